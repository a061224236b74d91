#include "frontier/host_record.h"

#include <algorithm>
#include <chrono>

#include "base/bytes.h"
#include "frontier/origin_queue.h"

namespace frontier {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

// Neither a lease nor giving up outlives its process, nor why a file was refused: all are to be
// asked for.
Origin::Robots Lasting(Origin::Robots robots, bool last = true) {
  using Robots = Origin::Robots;
  const bool of_process = robots == Robots::kLeased || robots == Robots::kGivenUp ||
                          (robots == Robots::kKnown && !last);
  return of_process ? Robots::kUnknown : robots;
}

void AppendOrigin(const Origin& origin, const WallTimes& times, std::string& out) {
  base::AppendBigEndian(origin.https ? 1 : 0, out, 1);
  base::AppendVarint(origin.port, out);
  base::AppendBigEndian(static_cast<std::uint64_t>(Lasting(origin.robots, origin.robots_last)),
                        out, 1);
  base::AppendVarint(origin.robots_failures, out);
  base::AppendVarint(static_cast<std::uint64_t>(times.ToWall(origin.robots_until)), out);
  base::AppendVarint(
      static_cast<std::uint64_t>(duration_cast<milliseconds>(origin.crawl_delay).count()), out);
}

Origin ReadOrigin(base::ByteReader& reader, const WallTimes& times,
                  const FrontierOptions& options) {
  Origin origin;
  origin.https = reader.BigEndian(1) != 0;
  origin.port = static_cast<std::uint16_t>(reader.Varint());
  origin.robots =
      Lasting(static_cast<Origin::Robots>(std::min<std::uint64_t>(reader.BigEndian(1), 3)));
  origin.robots_failures = static_cast<std::uint32_t>(reader.Varint());
  origin.robots_until =
      times.FromWall(static_cast<std::int64_t>(reader.Varint()), options.robots_valid_max);
  const std::uint64_t delay = std::min<std::uint64_t>(
      reader.Varint(),
      static_cast<std::uint64_t>(duration_cast<milliseconds>(options.delay_max).count()));
  origin.crawl_delay = milliseconds(delay);
  return origin;
}

// The longest time that a host can rest for.
base::Duration RestMax(const FrontierOptions& options) {
  const base::Duration longest = std::max(
      {options.park_max, options.delay_max, options.slow_delay_max, options.failing_delay_max});
  return longest + longest / 100 * options.jitter_percent;
}

}  // namespace

std::int64_t WallTimes::ToWall(base::Time time) const {
  if (time <= now_) return 0;
  return WallNow() + std::chrono::ceil<milliseconds>(time - now_).count();
}

std::int64_t WallTimes::WallNow() const {
  return duration_cast<milliseconds>(wall_now_.time_since_epoch()).count();
}

base::Time WallTimes::FromWall(std::int64_t wall, base::Duration latest) const {
  if (wall <= WallNow()) return now_;
  const std::int64_t ahead =
      std::min<std::int64_t>(wall - WallNow(), std::chrono::ceil<milliseconds>(latest).count());
  return now_ + milliseconds(ahead);
}

std::string HostRecord(const Host& host, const WallTimes& times) {
  std::string out;
  base::AppendText(*host.name, out);
  base::AppendVarint(host.accepted, out);
  base::AppendVarint(static_cast<std::uint64_t>(times.ToWall(host.rest_until)), out);
  base::AppendVarint(host.failures, out);
  base::AppendText(host.address_text, out);
  base::AppendVarint(host.traps == nullptr ? 0 : 1, out);
  if (host.traps != nullptr) host.traps->Append(out);
  base::AppendVarint(host.origins.size(), out);
  for (const Origin& origin : host.origins) AppendOrigin(origin, times, out);
  return out;
}

base::Result<Host> ReadHostRecord(std::string_view record, const WallTimes& times,
                                  const FrontierOptions& options, std::string* name) {
  base::ByteReader reader(record);
  Host host;
  *name = reader.Text();
  host.accepted = static_cast<std::uint32_t>(reader.Varint());
  host.rest_until = times.FromWall(static_cast<std::int64_t>(reader.Varint()), RestMax(options));
  host.failures = static_cast<std::uint32_t>(reader.Varint());
  host.address_text = reader.Text();
  if (reader.Varint() != 0) host.Traps() = HostTraps::Read(reader);
  const std::uint64_t origins = reader.Varint();
  for (std::uint64_t i = 0; i < origins && reader.ok(); ++i) {
    host.origins.push_back(ReadOrigin(reader, times, options));
  }
  const std::optional<Url> root = Url::FromStored("http://" + *name + "/");
  const bool is_name = root && root->host() == *name;
  if (!reader.AtEnd() || origins > kQueueOriginsMax || !is_name) {
    return base::Fail("the table of hosts has a record that is none");
  }
  return host;
}

}  // namespace frontier
