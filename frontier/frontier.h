#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/result.h"
#include "frontier/candidate.h"
#include "frontier/host_traps.h"
#include "frontier/scope.h"
#include "frontier/url.h"
#include "frontier/url_seen.h"
#include "store/store.h"

namespace frontier {

struct FrontierOptions {
  /// From the end of one request to a host to the start of the next. Range 0 to delay_max.
  base::Duration delay = std::chrono::seconds(1);
  /// The longest delay that a robots.txt Crawl-delay can ask for. Range 0 to 1 h.
  base::Duration delay_max = std::chrono::seconds(300);
  /// A host that takes long to answer is left alone for so many times as long; 0: for `delay`,
  /// however long it took. Range 0 to 100. Where `delay` is 0 nobody asked to be gentle.
  std::uint32_t response_time_factor = 5;
  /// The longest delay that comes of that. Range 0 to 1 h.
  base::Duration slow_delay_max = std::chrono::seconds(30);
  /// Requests to one host at the same time; one where a robots.txt asks for a Crawl-delay. Range 1
  /// to 64.
  std::uint32_t connections_per_host = 1;
  /// A registered domain is asked as if so many of its hosts were crawled at a time, whatever
  /// their number: so many times the connections of a host, and so much less delay. Range 1 to
  /// 10,000.
  std::uint32_t hosts_at_once_per_domain = 4;
  /// The same for the hosts that one address serves, as soon as their address is known.
  std::uint32_t hosts_at_once_per_address = 16;
  /// Requests started in a second, by the whole crawl; a tenth of it may come at once after a
  /// pause. Range 1 to 1,000,000.
  std::uint32_t requests_per_second_max = 1'000'000;
  /// Pages requested in the whole crawl (those to be tried again do not count). From 1.
  std::uint64_t pages_max = 100'000'000;
  /// URLs accepted for one host in the whole crawl. From 1.
  std::uint32_t pages_per_host_max = 1'000'000;
  /// Hosts accepted in one registered domain, and URLs accepted for all of them. From 1.
  std::uint32_t hosts_per_domain_max = 1'000;
  std::uint64_t pages_per_domain_max = 5'000'000;
  /// Redirects in one chain. Range 0 to 100.
  std::uint32_t redirects_max = 5;
  /// Hosts known. From 1.
  std::uint32_t hosts_max = 1'000'000;
  /// Combinations of scheme and port used on one host, each of which costs a robots.txt request.
  /// Range 1 to 64.
  std::uint32_t origins_per_host_max = 8;
  /// URLs waiting. From 1.
  std::uint64_t queued_max = 50'000'000;
  /// Before the second attempt at a URL; doubles with each further one up to retry_delay_max.
  base::Duration retry_delay = std::chrono::seconds(10);
  base::Duration retry_delay_max = std::chrono::minutes(30);
  /// The longest time that a server's Retry-After can park its host for.
  base::Duration park_max = std::chrono::hours(1);
  /// What is added at random to a back-off, in percent of it, lest all that failed together is
  /// asked again together. Range 0 to 100.
  std::uint32_t jitter_percent = 25;
  /// The longest back-off of a host that fails again and again. It begins with retry_delay at the
  /// second failure in a row and doubles; a host that says 429 or 503 backs off from the first on.
  base::Duration failing_delay_max = std::chrono::minutes(5);
  /// After so many failures in a row a host is dead: this process asks nothing of it any more, and
  /// its URLs wait for the next one. From 1.
  std::uint32_t host_failures_max = 16;
  /// The longest time that a robots.txt is believed (RFC 9309 section 2.4).
  base::Duration robots_valid_max = std::chrono::hours(24);
  /// Stands for who reads robots.txt, and how: where it was another one before, Restore() has all
  /// of them asked for anew, lest a Crawl-delay meant for another holds.
  std::uint64_t robots_reader = 0;
  /// Memory for the URLs that wait; the rest of them is read from the store when its turn comes.
  std::uint64_t queue_bytes_max = std::uint64_t{64} << 20;
  /// When a host's URLs go round in circles.
  TrapOptions traps = {};
  /// Keys the hash tables against URLs made to collide: random for each crawl, kept with its
  /// store.
  std::uint64_t hash_key = 0;
};

/// Limits that keep a URL in scope and unseen out of the queues.
enum class ScheduleLimit : std::uint8_t {
  kRedirects,       // redirects_max
  kPagesPerHost,    // pages_per_host_max
  kHosts,           // hosts_max
  kOrigins,         // origins_per_host_max
  kQueued,          // queued_max
  kHostsPerDomain,  // hosts_per_domain_max
  kPagesPerDomain,  // pages_per_domain_max
  kQueriesPerPath,  // TrapOptions::queries_per_path_max
  kClosedPattern,   // TrapOptions::pattern_duplicates_max
};
inline constexpr std::size_t kScheduleLimits = 9;

/// The limit as logs and statistics spell it, e.g. "pages-per-host".
std::string_view Name(ScheduleLimit limit);

/// What became of scheduled candidates; the counts add up to their number.
struct ScheduleCounts {
  std::uint64_t queued = 0;
  std::uint64_t seen = 0;
  /// By ScopeVerdict; that of kIn is always 0.
  std::array<std::uint64_t, kScopeVerdicts> out_of_scope{};
  /// By ScheduleLimit.
  std::array<std::uint64_t, kScheduleLimits> over_limit{};
  /// Of those seen, those new to the crawl that another URL stands for: what differs is idle.
  std::uint64_t left_to_another = 0;

  std::uint64_t total() const;
  ScheduleCounts& operator+=(const ScheduleCounts& other);
};

/// How a host bore a request.
enum class HostState : std::uint8_t {
  kWell,
  kOverloaded,  // asks for less: 429, 503
  kFailing,     // an answer that says so (5xx), or the connection was lost
  kSilent,      // nothing was heard of it; it may be the crawl's own network that is down
};

/// How the fetch of a lease ended, as far as the frontier must know.
struct Ending {
  /// A request was sent, so the host's delay starts now. A page that robots.txt denies costs none.
  bool requested = true;
  /// From sending the request to the last byte of the response.
  base::Duration response_time{0};
  HostState host = HostState::kWell;
  /// The numeric address that answered; empty where none is known.
  std::string_view address = {};
  /// What its content says about the URLs like it (pages only).
  PageContent content = {};
  /// The host asks to be left alone for so long (Retry-After); capped by park_max.
  base::Duration park{0};
  /// Try this URL again after a back-off (kPage only). The caller bounds the attempts:
  /// Lease::candidate().attempt says how many failed before this one (those of an outage aside).
  bool retry = false;
};

/// The origin's robots.txt is known (or known to be absent): its pages may be leased.
struct RobotsKnown {
  /// Raises the delay of the host, up to FrontierOptions::delay_max; never lowers it. Where it is
  /// above 0 the host has one lease out at a time.
  std::optional<base::Duration> crawl_delay = std::nullopt;
  /// Ask again after that, at most robots_valid_max; but not before the first page.
  base::Duration valid_for = std::chrono::hours(24);
  /// Else the next process asks again, as where what stands in the place of its rules is only why
  /// it was refused.
  bool lasts = true;
};
/// The origin's robots.txt could not be had: its pages wait, and it is asked for again later.
struct RobotsUnreachable {
  base::Duration retry_in = std::chrono::minutes(5);
};
/// It could not be had again, but an earlier one is known: what was told of that holds on (RFC
/// 9309 section 2.4), and it is asked for once more later.
struct RobotsKept {
  base::Duration retry_in = std::chrono::minutes(5);
};
/// It could not be had, again and again: its pages wait for the next process.
struct RobotsGivenUp {};
/// It stands there, by a redirect: that is asked for by a lease of its own, as any other request
/// to that host is, and until that one has ended the origin's pages wait.
struct RobotsElsewhere {
  Url url;
};
using OriginPolicy =
    std::variant<RobotsKnown, RobotsUnreachable, RobotsKept, RobotsGivenUp, RobotsElsewhere>;

class Frontier;

/// The right to request one URL, and a connection to its host. Ends by Frontier::End or EndRobots;
/// one that is destroyed otherwise gives its URL back to the front of its queue, and no delay is
/// counted.
///
/// Thread safety: as a value; may be moved between threads. Ownership: must not outlive its
/// Frontier.
class Lease {
 public:
  enum class Kind : std::uint8_t {
    kPage,
    /// The robots.txt of an origin: given once, before its first page, and again when the policy
    /// told is too old. candidate().url is origin() + "/robots.txt", candidate().attempt counts
    /// the RobotsUnreachable in a row before this one. After a RobotsElsewhere that URL is in
    /// candidate().asked, `url` is what it named, and `redirects` counts how many there were.
    kRobots,
    /// The same where the host that was named is given up: it may not be requested, only ended.
    kRobotsLost,
    /// A page of a pattern that was closed since it was accepted, or one that another URL stands
    /// for, as a parameter was found idle since: it may not be requested, only ended.
    kTrapped,
  };

  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease();

  Kind kind() const { return kind_; }
  const Candidate& candidate() const { return candidate_; }
  const Url& url() const { return candidate_.url; }
  /// It ends by EndRobots().
  bool IsOfRobots() const { return kind_ == Kind::kRobots || kind_ == Kind::kRobotsLost; }

 private:
  friend class Frontier;
  Lease(Frontier* frontier, Kind kind, Candidate candidate, std::uint32_t host,
        std::uint32_t origin, std::uint32_t address, std::uint64_t entry, base::Time began);
  void GiveBack();

  Frontier* frontier_;  // null when moved from or ended
  Candidate candidate_;
  std::uint64_t entry_;  // in the queue; 0 for robots.txt
  base::Time began_;
  std::uint32_t host_;
  std::uint32_t asker_;  // whose origin it is: another host after a RobotsElsewhere
  std::uint32_t origin_;
  std::uint32_t address_;  // the group of hosts that this is a lease of, too
  Kind kind_;
};

/// Nothing may be leased before this time, or before the next wake-up. It may be now: many URLs
/// were passed over, and others want their turn.
struct WaitUntil {
  base::Time when;
};
/// Nothing can be leased until a lease that is out ends, or something is scheduled.
struct WaitForChange {};
/// No lease is out, and no URL waits but those of hosts and origins that were given up and those
/// out of scope, or the budget of pages is spent: the crawl has ended.
struct Finished {};
using Acquired = std::variant<Lease, WaitUntil, WaitForChange, Finished>;

/// A snapshot for progress and statistics.
struct FrontierStats {
  std::uint64_t queued = 0;               // URLs waiting, those to be tried again included
  std::uint64_t queued_given_up = 0;      // of these, at hosts and origins that were given up
  std::uint64_t queued_out_of_scope = 0;  // and those found out of scope, which was wider before
  std::uint64_t hosts = 0;                // hosts ever met
  std::uint64_t hosts_waiting = 0;        // of these with URLs waiting
  std::uint64_t hosts_dead = 0;           // of those known, given up
  std::uint64_t patterns_closed = 0;      // by this process
  std::uint64_t leased = 0;               // leases out, of both kinds
  std::uint64_t pages_out = 0;            // of these, of pages
  std::uint64_t pages = 0;                // pages requested, less those to be tried again
  std::uint64_t pages_max_reached = 0;    // FrontierOptions::pages_max, when it is; else 0
  std::uint64_t seen = 0;                 // URLs remembered by UrlSeen
  std::uint64_t seen_bytes = 0;           // and the memory that takes
  std::uint64_t queue_bytes = 0;          // memory of the queues
  std::uint64_t host_bytes = 0;           // memory of hosts, origins and what was learned, about
  base::Duration next_in{0};  // until a host may be asked; 0: now, or none waits for it
  base::Duration outage{0};   // for so long nothing was heard of any host; 0: no outage

  /// URLs that this process may still ask for.
  std::uint64_t queued_open() const { return queued - queued_given_up - queued_out_of_scope; }
};

/// What is to be crawled, and when each host may be asked again.
///
///     Frontier frontier(options, *scope, clock);
///     frontier.Schedule(seeds);
///     Acquired next = frontier.Acquire();
///     if (Lease* lease = std::get_if<Lease>(&next)) {
///       ... fetch lease->url(), frontier.Schedule(its links) ...
///       frontier.End(std::move(*lease), Ending{});
///     }
///
/// Promises:
///  1. A URL is leased once (and once more where a page linked to it before it was named as a
///     sitemap), unless its lease is given back or ends with a retry; by this process
///     or, where its host or the robots.txt of its origin was given up, by a later one. One that
///     an earlier process accepted and that is out of this one's scope waits in the store, for a
///     process whose scope is wider.
///  2. A host (a name or address, whatever port and scheme) has at most connections_per_host
///     leases out, and none starts before its delay has passed since the end of the latest one.
///     robots.txt counts as any other request: the first page waits a delay after it; and where it
///     is redirected each hop is a request to the host that it leads to, in turn with that host's
///     origins. (Where a limit of hosts lets none in, in turn with those of the host that asks.)
///     A registered domain, and an address, bears as much as a few hosts do, whatever their
///     number; a host that fails is left alone ever longer, and given up in the end. A later
///     process begins with it anew. While the crawl's own network seems down (outage.h), one
///     request in five seconds is all that is leased, and those that hear nothing count neither
///     as attempts nor as failures of their hosts.
///  3. A page is leased only while its origin's robots policy is known and not too old; the first
///     page after it may come later, where its turn does, and then others for a minute.
///  4. URLs of one origin come first in, first out (one to be tried again comes after its
///     back-off, ahead of what waits, and a probe ahead of all but a seed); the origins of a host
///     take turns; of the hosts that may be asked, that which could be asked first is.
///  5. With a store: what Save() gave at one moment and was committed is, after any crash, what
///     Restore() finds: every URL accepted until then and not ended waits again, a leased one
///     among them.
///  6. Acquire returns Finished only when no lease is out: therefore, if each page schedules its
///     links before its lease ends, Finished is the end of the crawl.
///
/// Thread safety: all methods. Ownership: `scope`, `clock` and `store` must outlive the Frontier,
/// and it its leases. Cost: O(log hosts) for Acquire and End; a queued URL costs its path and
/// about 10 bytes, and its referrer as far as that differs: of memory up to queue_bytes_max, then
/// of the store.
class Frontier {
 public:
  /// Without a store everything stays in memory and ends with the process.
  Frontier(const FrontierOptions& options, Scope& scope, const base::Clock& clock,
           const store::Store* store = nullptr);
  ~Frontier();
  Frontier(const Frontier&) = delete;
  Frontier& operator=(const Frontier&) = delete;

  /// `wake` is called, outside any lock, when an answer of Acquire other than a Lease may have
  /// become untrue: something was scheduled or a lease ended. Calls are collapsed: there is one
  /// after the latest such answer, not one for each change.
  void SetWakeup(std::function<void()> wake);

  /// From now on, in the place of FrontierOptions::queue_bytes_max. What is in memory stays until
  /// it is leased.
  void SetQueueBytesMax(std::uint64_t queue_bytes_max);

  /// Takes each candidate through scope, limits and URL-seen into its host's queue. A candidate
  /// over a limit is not remembered as seen.
  ScheduleCounts Schedule(std::span<const Candidate> candidates);

  /// The next thing to do. Never blocks.
  Acquired Acquire();

  /// Ends a lease of a page.
  void End(Lease lease, const Ending& ending);

  /// Ends a lease of kind kRobots with what its pages must know.
  void EndRobots(Lease lease, const Ending& ending, const OriginPolicy& policy);

  /// Takes back what an earlier frontier with the same hash_key committed to the store. Fails when
  /// that cannot be read. REQUIRES: a store; nothing was scheduled yet.
  base::Status Restore();
  /// Adds to `batch` all that changed since the last call; gives the figures of that moment.
  /// REQUIRES: a store.
  FrontierStats Save(store::Batch& batch);
  /// What Save() gave last was written to the store.
  void Saved();
  /// The crawl's own network seems to be down.
  bool InOutage() const;
  /// How much Save() would add now, less hosts.
  std::size_t unsaved_bytes() const;
  /// The first failure to read from the store; origins whose URLs could not be read stand still.
  base::Status status() const;

  FrontierStats Stats() const;

 private:
  friend class Lease;
  class State;
  void GiveBack(Lease& lease);

  const std::unique_ptr<State> state_;
};

}  // namespace frontier
