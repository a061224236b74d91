#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "frontier/host.h"

namespace frontier {

/// Times that outlive the process: those of the monotonic clock as milliseconds since 1970 and
/// back. What lies in the past when it is read is now, and nothing lies further ahead than
/// `latest`: what a wall clock said that was wrong must not stop a crawl for years.
///
/// Thread safety: as a value.
class WallTimes {
 public:
  /// `ahead` of the wall clock, which was set back by so much at least.
  explicit WallTimes(const base::Clock& clock, base::WallTime::duration ahead = {})
      : now_(clock.Now()), wall_now_(clock.WallNow() + ahead) {}
  /// The wall clock's milliseconds.
  std::int64_t WallNow() const;
  /// 0 for what is past.
  std::int64_t ToWall(base::Time time) const;
  base::Time FromWall(std::int64_t wall, base::Duration latest) const;
  base::Time now() const { return now_; }

 private:
  const base::Time now_;
  const base::WallTime wall_now_;
};

/// A host as the store keeps it; leases and queues are left out. docs/formats.md has the bytes.
std::string HostRecord(const Host& host, const WallTimes& times);

/// The host again, its name in `name`. Fails for bytes that are none.
base::Result<Host> ReadHostRecord(std::string_view record, const WallTimes& times,
                                  const FrontierOptions& options, std::string* name);

}  // namespace frontier
