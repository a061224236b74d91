#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "frontier/frontier.h"
#include "frontier/host_groups.h"
#include "frontier/host_traps.h"
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
    kGivenUp,      // not asked for again by this process
  };

  bool https = false;
  Robots robots = Robots::kUnknown;
  std::uint16_t port = 0;
  /// RobotsUnreachable in a row.
  std::uint32_t robots_failures = 0;
  base::Time robots_until{};
  /// Until then the first page after its robots.txt is leased, however old that is: where the line
  /// before a door is longer than a robots.txt is valid, it would be asked for for ever, and a
  /// page never.
  base::Time first_page_until = base::Time::min();
  base::Duration crawl_delay{0};
  /// RobotsKnown::lasts.
  bool robots_last = true;
  OriginQueue waiting = {};
  /// The entry that was judged last and is in the scope; 0 for none.
  std::uint64_t entry_in_scope = 0;
  /// URLs that wait: in the queue, in memory or spilled, and in back-off.
  std::uint64_t queued = 0;

  bool NeedsRobots(base::Time now) const {
    return robots != Robots::kKnown || std::max(robots_until, first_page_until) <= now;
  }
  /// A page is leased. REQUIRES: not NeedsRobots().
  void PageLeased(base::Time now) {
    CHECK(!NeedsRobots(now));
    // Behind a first one that came late the others have a little time: what is denied ends at
    // once.
    if (robots_until <= now) robots_until = now + std::chrono::minutes(1);
    first_page_until = base::Time::min();
  }
  /// When a lease may be given here, the host's delay left aside; nothing while none may.
  std::optional<base::Time> Opens() const {
    if (waiting.empty()) return std::nullopt;
    if (robots == Robots::kLeased || robots == Robots::kGivenUp) return std::nullopt;
    return robots == Robots::kUnreachable ? robots_until : base::Time::min();
  }
};

/// A back-off: `first`, doubled so many times, but not longer than `longest`.
base::Duration Doubled(base::Duration first, std::uint32_t times, base::Duration longest);

/// One host name or address: the unit of politeness.
struct Host {
  /// The key in the table of hosts, which outlives this.
  const std::string* name = nullptr;
  std::vector<Origin> origins = {};
  /// No lease starts before.
  base::Time rest_until = base::Time::min();
  /// Leases out.
  std::uint32_t leased = 0;
  /// Requests in a row that it did not bear well.
  std::uint32_t failures = 0;
  /// Its groups; kNone while its address is not known.
  std::uint32_t domain = HostGroups::kNone;
  std::uint32_t address = HostGroups::kNone;
  /// As text; empty while not known.
  std::string address_text = {};
  /// Null until something is known.
  std::unique_ptr<HostTraps> traps = nullptr;
  /// It stands in the line of one of them.
  bool in_line = false;
  /// URLs accepted in the whole crawl.
  std::uint32_t accepted = 0;
  /// URLs that wait in its origins.
  std::uint64_t queued = 0;
  /// Robots.txt of others that wait to be asked for here, where a redirect led.
  std::uint32_t hops = 0;
  /// The origin whose turn is next.
  std::uint32_t turn = 0;
  /// Its record in the store is out of date.
  bool changed = false;

  HostTraps& Traps() {
    if (traps == nullptr) traps = std::make_unique<HostTraps>();
    return *traps;
  }
  /// The memory of what is known.
  std::size_t TrapBytes() const { return traps == nullptr ? 0 : traps->bytes(); }
  /// The index of an origin, if it is known.
  std::optional<std::uint32_t> FindOrigin(bool https, std::uint16_t port) const;
  /// "scheme://name" or "scheme://name:port".
  std::string OriginText(const Origin& origin) const;
  /// So many failures that this process asks nothing of it any more: its URLs stay where they are,
  /// for the next one.
  bool Dead(const FrontierOptions& options) const { return failures >= options.host_failures_max; }
  /// The same for one of its origins.
  bool GaveUp(const Origin& origin, const FrontierOptions& options) const {
    return Dead(options) || origin.robots == Origin::Robots::kGivenUp;
  }
  /// And no answer that is under way can bring it back.
  bool GaveUpForGood(const Origin& origin, const FrontierOptions& options) const {
    return origin.robots == Origin::Robots::kGivenUp || (Dead(options) && leased == 0);
  }
  /// URLs that wait at origins that were given up.
  std::uint64_t QueuedGivenUp(const FrontierOptions& options) const;
  /// The longest Crawl-delay of its origins; 0 where none asks for one.
  base::Duration CrawlDelay() const;
  /// Leases that may be out at a time: one where a Crawl-delay is asked for, for that is the time
  /// between requests, and several at once have none between them.
  std::uint32_t Connections(const FrontierOptions& options) const {
    return CrawlDelay() > base::Duration(0) ? 1 : options.connections_per_host;
  }
  /// When the next lease may be given; nothing while none may.
  std::optional<base::Time> Opens(const FrontierOptions& options) const;
  /// The origin to lease from at `now`, in turn; their number where it is the turn of a hop.
  /// REQUIRES: Opens() is not later than `now`.
  std::uint32_t TakeTurn(base::Time now);
  /// From the end of a request that took so long to the start of the next.
  base::Duration Delay(const FrontierOptions& options, base::Duration response_time) const;
  /// How long to leave a host alone that has failed so often, jitter left aside.
  base::Duration BackOff(const FrontierOptions& options, HostState state) const;
};

/// While it stands a host's traps may change; what that does to their memory is then added to
/// `total`, that of all hosts.
class TrapsChange {
 public:
  TrapsChange(const Host& host, std::uint64_t& total)
      : host_(host), total_(total), before_(host.TrapBytes()) {}
  ~TrapsChange() { total_ += host_.TrapBytes() - before_; }
  TrapsChange(const TrapsChange&) = delete;
  TrapsChange& operator=(const TrapsChange&) = delete;

 private:
  const Host& host_;
  std::uint64_t& total_;
  const std::size_t before_;
};

}  // namespace frontier
