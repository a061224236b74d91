#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "frontier/frontier.h"
#include "frontier/origin_queue.h"

namespace frontier {

/// Scheme and port of one host: the unit to which a robots.txt applies (RFC 9309 section 2.3),
/// with the URLs that wait there.
struct Origin {
  enum class Robots : std::uint8_t {
    kUnknown,      // to be asked for before the next page
    kLeased,       // being asked for
    kKnown,        // until robots_until
    kUnreachable,  // to be asked for again from robots_until on
  };

  bool https = false;
  Robots robots = Robots::kUnknown;
  std::uint16_t port = 0;
  /// RobotsUnreachable in a row.
  std::uint32_t robots_failures = 0;
  base::Time robots_until{};
  base::Duration crawl_delay{0};
  OriginQueue waiting = {};

  bool NeedsRobots(base::Time now) const {
    return robots != Robots::kKnown || robots_until <= now;
  }
  /// When a lease may be given here, the host's delay left aside; nothing while none may.
  std::optional<base::Time> Opens() const {
    if (waiting.empty() || robots == Robots::kLeased) return std::nullopt;
    return robots == Robots::kUnreachable ? robots_until : base::Time::min();
  }
};

/// One host name or address: the unit of politeness.
struct Host {
  /// The key in the table of hosts, which outlives this.
  const std::string* name = nullptr;
  std::vector<Origin> origins = {};
  /// No lease starts before.
  base::Time rest_until = base::Time::min();
  /// Leases out.
  std::uint32_t leased = 0;
  /// URLs accepted in the whole crawl.
  std::uint32_t accepted = 0;
  /// URLs waiting in its origins, in memory or spilled (not those in back-off).
  std::uint64_t waiting = 0;
  /// The origin whose turn is next.
  std::uint32_t turn = 0;
  /// Its record in the store is out of date.
  bool changed = false;

  /// The index of an origin, if it is known.
  std::optional<std::uint32_t> FindOrigin(bool https, std::uint16_t port) const;
  /// "scheme://name" or "scheme://name:port".
  std::string OriginText(const Origin& origin) const;
  /// When the next lease may be given; nothing while none may.
  std::optional<base::Time> Opens(const FrontierOptions& options) const;
  /// The origin to lease from at `now`, in turn. REQUIRES: Opens() is not later than `now`.
  std::uint32_t TakeTurn(base::Time now);
  /// From the end of a request to the start of the next.
  base::Duration Delay(const FrontierOptions& options) const;
};

}  // namespace frontier
