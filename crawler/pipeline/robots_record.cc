#include "crawler/pipeline/robots_record.h"

#include <optional>
#include <string>

#include "base/bytes.h"

namespace crawler {
namespace {

using store::Table;

// The first byte of a record.
constexpr char kFile = 0;     // then the file
constexpr char kGivenUp = 1;  // then the disposition's name and the reason, each with its length

std::optional<Disposition> DispositionOf(std::string_view name) {
  for (std::size_t i = 0; i < kDispositions; ++i) {
    if (Name(static_cast<Disposition>(i)) == name) return static_cast<Disposition>(i);
  }
  return std::nullopt;
}

}  // namespace

void PutRobots(std::string_view origin, std::string_view file, store::Batch& batch) {
  batch.Put(Table::kRobots, origin, std::string(1, kFile).append(file));
}

void PutRobotsGivenUp(std::string_view origin, const RobotsCache::Denial& denial,
                      store::Batch& batch) {
  std::string record(1, kGivenUp);
  base::AppendText(Name(denial.disposition), record);
  base::AppendText(denial.why, record);
  batch.Put(Table::kRobots, origin, record);
}

base::Result<std::optional<std::variant<std::string, RobotsCache::Denial>>> ReadRobots(
    const store::Store& store, std::string_view origin) {
  const auto record = store.Get(Table::kRobots, origin);
  if (!record) return base::Fail(record.error().message);
  if (!*record) return std::nullopt;
  base::ByteReader reader(**record);
  const std::string_view kind = reader.Bytes(1);
  if (reader.ok() && kind[0] == kFile) return std::string(reader.rest());
  const std::optional<Disposition> disposition = DispositionOf(reader.Text());
  const std::string_view why = reader.Text();
  if (!reader.AtEnd() || kind[0] != kGivenUp || !disposition) {
    return base::Fail("the table of robots.txt has a record that is none, of " +
                      std::string(origin));
  }
  return RobotsCache::Denial{*disposition, std::string(why)};
}

}  // namespace crawler
