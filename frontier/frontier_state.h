#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "frontier/candidate.h"
#include "frontier/frontier.h"
#include "frontier/host.h"
#include "frontier/host_groups.h"
#include "frontier/host_heap.h"
#include "frontier/host_record.h"
#include "frontier/keyed_hash.h"
#include "frontier/origin_queue.h"
#include "frontier/outage.h"
#include "frontier/request_rate.h"
#include "frontier/scope.h"
#include "frontier/url_seen.h"
#include "store/batch.h"
#include "store/store.h"

namespace frontier {

/// A URL in back-off before its next attempt.
struct Retry {
  base::Time when;
  std::uint64_t turn;
  std::uint32_t host;
  std::uint32_t origin;
  std::uint64_t entry;
  std::string record;

  // std::priority_queue has the largest on top.
  bool operator<(const Retry& other) const {
    return when != other.when ? when > other.when : turn > other.turn;
  }
};

/// A robots.txt to be asked for where a redirect says that it is.
struct RobotsHop {
  std::uint32_t asker;   // the host that it is of,
  std::uint32_t origin;  // and its origin
  std::uint32_t redirects;
  Url url;
};

/// Everything behind the Frontier; for its own files frontier*.cc. They are one class because one
/// mutex guards all of it: frontier_schedule.cc takes URLs in, frontier_queues.cc holds them,
/// frontier_leases.cc gives them out, and frontier_restore.cc keeps it all in the store.
///
/// Invariants, whenever the mutex is free:
///  * a host for which Host::Opens() says when stands in `heap_`, and not before that time, or in
///    the line of a group; no other host stands in `heap_`;
///  * `queued_` is the number of URLs that wait in all origins (also those that are only in the
///    store) and in `retries_`, and so the sum of Host::queued; `queued_given_up_` that of
///    Host::QueuedGivenUp(); what is `set_aside_` stands in the store's queue alone;
///  * `leased_` is the sum of Host::leased.
class Frontier::State {
 public:
  // Candidates taken under one lock: enough to pay for it and for fetching the places of UrlSeen
  // into cache, few enough that nobody waits long.
  static constexpr std::size_t kBatch = 64;

  State(const FrontierOptions& options, Scope& scope, const base::Clock& clock,
        const store::Store* store);

  void SetWakeup(std::function<void()> wake) {
    auto shared = std::make_shared<const std::function<void()>>(std::move(wake));
    base::MutexLock lock(mutex_);
    wake_ = std::move(shared);
  }

  void ScheduleBatch(std::span<const Candidate> batch, ScheduleCounts& counts);
  void AddSeed(const Url& seed);
  Acquired Acquire(Frontier* owner);
  void EndPage(const Lease& lease, const Ending& ending);
  void EndRobots(const Lease& lease, const Ending& ending, const OriginPolicy& policy);
  void GiveBack(const Lease& lease);
  base::Status Restore();
  FrontierStats Save(store::Batch& batch);
  void Saved();
  std::size_t unsaved_bytes() const {
    base::MutexLock lock(mutex_);
    return changes_.bytes() + new_hashes_.size();
  }
  base::Status status() const {
    base::MutexLock lock(mutex_);
    return status_;
  }
  bool InOutage() const {
    base::MutexLock lock(mutex_);
    return outage_.On(clock_.Now());
  }
  void SetQueueBytesMax(std::uint64_t queue_bytes_max) {
    base::MutexLock lock(mutex_);
    queue_bytes_max_ = queue_bytes_max;
  }
  FrontierStats Stats() const;
  FrontierStats StatsNow() const REQUIRES(mutex_);

 private:
  // Entries read back from the store at once: enough to pay for the seek; when memory is short,
  // what every origin has (kHostBytes counts it).
  static constexpr std::size_t kRefill = 64;
  static constexpr std::size_t kRefillWhenShort = 1;

  using Wake = std::shared_ptr<const std::function<void()>>;

  /// By which it is remembered: of a URL that a page linked to nobody read the sitemap, should it
  /// be one.
  std::uint64_t HashOf(const Candidate& candidate) const;
  /// Notes for the store a URL of this hash, accepted as `entry`, whose record is `scratch_`.
  /// `ahead`: it does not wait behind what its origin has, and will not be looked for among the
  /// spilled.
  void KeepAccepted(const QueuePlace& place, std::uint64_t entry, std::uint64_t hash, bool ahead)
      REQUIRES(mutex_);
  void Admit(const Candidate& candidate, std::uint64_t hash, base::Time now,
             ScheduleCounts& counts) REQUIRES(mutex_);
  /// Of a page with parameters that are idle: what it is without them, as a hash.
  std::optional<std::uint64_t> FormOf(const Host& host, const Candidate& candidate) const
      REQUIRES(mutex_);
  /// Puts a hash beside those of the URLs that are queued into URL-seen, for later processes, too.
  void Remember(std::uint64_t hash) REQUIRES(mutex_);
  /// Whether the URL of this hash, which is to be requested, stands for all of its form: the first
  /// does. What is asked for is what somebody linked to; the form itself may be no page.
  bool Claim(std::uint64_t form, std::uint64_t hash) REQUIRES(mutex_);
  /// Lets another URL of its form claim it, once: what stood for it was no page. It was denied,
  /// say, or had expired.
  void SetFree(const Lease& lease) REQUIRES(mutex_);
  bool IsFreeAgain(std::uint64_t form) const REQUIRES(mutex_);
  /// Whether a redirect led here that began at the same form.
  bool IsWithinForm(const Host& host, const Candidate& candidate) const REQUIRES(mutex_);
  /// Whether a URL that another one stands for is accepted, to look at its idle parameters again.
  bool AcceptAnyway(const Host& host, const Candidate& candidate) REQUIRES(mutex_);
  /// The same where it is to be requested.
  bool RequestAnyway(const Host& host, const Candidate& candidate) REQUIRES(mutex_);
  std::optional<ScheduleLimit> LimitOf(const Candidate& candidate, const Host* host,
                                       bool origin_known) REQUIRES(mutex_);
  std::optional<ScheduleLimit> LimitOfDomain(std::string_view host, bool known) REQUIRES(mutex_);
  Host& AddHost(std::string_view name) REQUIRES(mutex_);
  ScopeVerdict InScope(const Candidate& candidate) const;
  /// What waits as `entry`, as this process sees it; nothing where the record is damaged.
  std::optional<Candidate> ReadEntry(const Host& host, const Origin& origin, std::uint64_t entry,
                                     std::string_view record) const REQUIRES(mutex_);

  /// A host that may be asked now; nothing when there is none. It stands neither in the heap nor
  /// in a line.
  std::optional<std::uint32_t> TakeHost(base::Time now) REQUIRES(mutex_);
  /// The next time at which TakeHost() or ReturnDueRetries() has something to do.
  std::optional<base::Time> NextTime() const REQUIRES(mutex_);
  /// Nothing where its next entry is out of the scope; or damaged: status_ says so then.
  std::optional<Lease> LeaseFrom(Frontier* owner, std::uint32_t host_id, base::Time now)
      REQUIRES(mutex_);
  /// The next robots.txt that another origin's redirect has led to this host for.
  Lease LeaseHop(Frontier* owner, std::uint32_t host_id, base::Time now) REQUIRES(mutex_);
  Lease LeaseLostHop(Frontier* owner, base::Time now) REQUIRES(mutex_);
  Candidate CandidateOf(const RobotsHop& hop) const REQUIRES(mutex_);
  /// The robots.txt of `lease` is asked for there.
  void AddHop(const Lease& lease, const Url& url, base::Time now) REQUIRES(mutex_);
  /// The host that bears that request.
  std::uint32_t HostOfHop(std::uint32_t asker, const Url& url) REQUIRES(mutex_);
  /// It has what another host answered for it.
  void EndHop(std::uint32_t asker, const Ending& ending, base::Time now) REQUIRES(mutex_);
  /// Nothing more is asked of it.
  void LoseHops(std::uint32_t host_id) REQUIRES(mutex_);
  void Damaged(const std::string& origin, std::uint64_t entry) REQUIRES(mutex_);
  bool OutOfScope(Origin& origin, std::uint64_t entry, const Candidate& page) REQUIRES(mutex_);
  /// Passes over what Restore() found, where it is out of the scope: what is in back-off, and at
  /// each origin what comes before the first that is in it. A few at a time: true when all is
  /// done.
  bool PassOverRestored(base::Time now) REQUIRES(mutex_);
  /// The same for one; false where it is in the scope, or none waits.
  bool PassOverFront(const QueuePlace& place, base::Time now) REQUIRES(mutex_);
  void PassOverOrWait(const Retry& retry) REQUIRES(mutex_);
  Lease::Kind KindNow(const Host& host, const Candidate& page) REQUIRES(mutex_);
  /// Nobody may be asked before.
  base::Time Opens(base::Time now) const REQUIRES(mutex_) {
    return std::max(rate_.Opens(), outage_.Opens(now));
  }
  void TakeRequest(const Host& host, base::Time now) REQUIRES(mutex_);
  void GiveBackRequest(const Host& host, const Lease& lease) REQUIRES(mutex_);
  /// What of a host's delay its groups are left alone for.
  base::Duration DomainsShare(base::Duration delay) const {
    return delay / options_.hosts_at_once_per_domain;
  }
  base::Duration AddressesShare(base::Duration delay) const {
    return delay / options_.hosts_at_once_per_address;
  }
  /// What it says of the host that bore it.
  Ending OfItsHost(const Lease& lease, const Ending& ending) const REQUIRES(mutex_);
  /// Whether what became of the lease is to be laid at the crawl's own network.
  bool IsOfOutage(const Lease& lease, const Ending& ending, base::Time now) REQUIRES(mutex_);
  void EndLease(const Lease& lease, const Ending& ending, bool of_outage, base::Time now)
      REQUIRES(mutex_);
  void Learn(const Lease& lease, const PageContent& content) REQUIRES(mutex_);
  void Learn(Host& host, Origin& origin, const OriginPolicy& policy, bool of_outage,
             base::Time now) REQUIRES(mutex_);
  void RestHost(Host& host, const Lease& lease, const Ending& ending, bool of_outage,
                base::Time now) REQUIRES(mutex_);
  void MoveToAddress(Host& host, std::string_view address) REQUIRES(mutex_);
  base::Duration Jittered(base::Duration back_off) REQUIRES(mutex_);
  void ReturnDueRetries(base::Time now) REQUIRES(mutex_);
  void AddRetry(const Lease& lease, bool of_outage, base::Time now) REQUIRES(mutex_);
  void Wait(Retry retry) REQUIRES(mutex_);

  /// Kept in memory where `first`, or where there is room.
  void PushBack(Host& host, const QueuePlace& place, std::uint64_t entry, std::string_view record,
                bool first = false) REQUIRES(mutex_);
  void PushFront(Host& host, const QueuePlace& place, std::uint64_t entry, std::string_view record)
      REQUIRES(mutex_);
  /// Ahead of all but a seed, which needs no probe.
  void PushProbe(Host& host, const QueuePlace& place, std::uint64_t entry, std::string_view record)
      REQUIRES(mutex_);
  void Pop(Host& host, const QueuePlace& place) REQUIRES(mutex_);
  /// Reads spilled URLs back, when none is left in memory; else, later.
  void Feed(const QueuePlace& place) REQUIRES(mutex_);
  /// A URL begins or ceases to wait.
  void CountIn(Host& host, Origin& origin) REQUIRES(mutex_);
  void CountOut(Host& host, Origin& origin) REQUIRES(mutex_);
  /// What gives up a host or an origin, or makes a host well again.
  void SetFailures(Host& host, std::uint32_t failures) REQUIRES(mutex_);
  void GiveUpRobots(Host& host, Origin& origin) REQUIRES(mutex_);
  /// The URLs of origins that this process is done with wait in the store alone.
  void FreeGivenUp(Host& host) REQUIRES(mutex_);

  base::Status RestoreHosts(const WallTimes& times) REQUIRES(mutex_);
  void ForgetRobots() REQUIRES(mutex_);
  base::Status RestoreSeen();
  base::Status RestoreQueue(const WallTimes& times) REQUIRES(mutex_);
  /// The host's record is to be written.
  void Touch(std::uint32_t host_id) REQUIRES(mutex_);

  /// Puts a host where it belongs in the heap after it has changed.
  void Replace(std::uint32_t host_id, base::Time now) REQUIRES(mutex_);
  /// Whom to wake, once the mutex is free again; null if nobody waits.
  Wake TakeWake() REQUIRES(mutex_) { return std::exchange(waiter_, false) ? wake_ : nullptr; }
  static void Call(const Wake& wake) {
    if (wake != nullptr && *wake) (*wake)();
  }

  // Constant after construction.
  const FrontierOptions options_;
  Scope& scope_;
  const base::Clock& clock_;
  const store::Store* const store_;  // null: nothing is kept, and nothing spilled

  // Themselves safe for threads.
  UrlSeen seen_;
  UrlSeen seeds_;  // those named to this process, where an earlier one left URLs that wait

  mutable base::Mutex mutex_;
  NumberByName host_ids_ GUARDED_BY(mutex_);
  std::deque<Host> hosts_ GUARDED_BY(mutex_);
  HostGroups domains_ GUARDED_BY(mutex_);
  HostGroups addresses_ GUARDED_BY(mutex_);
  RequestRate rate_ GUARDED_BY(mutex_);
  Outage outage_ GUARDED_BY(mutex_);
  std::minstd_rand jitter_ GUARDED_BY(mutex_);
  std::uint64_t hosts_dead_ GUARDED_BY(mutex_) = 0;
  std::uint64_t patterns_closed_ GUARDED_BY(mutex_) = 0;  // by this process
  HostHeap heap_ GUARDED_BY(mutex_);
  std::priority_queue<Retry> retries_ GUARDED_BY(mutex_);
  std::uint64_t retry_turns_ GUARDED_BY(mutex_) = 0;
  // What waits from an earlier process, until PassOverRestored() comes to it.
  std::priority_queue<Retry> restored_retries_ GUARDED_BY(mutex_);
  std::vector<QueuePlace> restored_origins_ GUARDED_BY(mutex_);
  // By the host that they lead to, in the order found: at most one of each origin. Host::hops
  // counts them.
  std::unordered_map<std::uint32_t, std::deque<RobotsHop>> hops_ GUARDED_BY(mutex_);
  std::deque<RobotsHop> lost_hops_ GUARDED_BY(mutex_);  // to hosts that were given up
  std::uint64_t queued_ GUARDED_BY(mutex_) = 0;
  std::uint64_t queued_given_up_ GUARDED_BY(mutex_) = 0;
  std::uint64_t set_aside_ GUARDED_BY(mutex_) = 0;  // out of the scope of this process
  std::uint64_t queue_bytes_ GUARDED_BY(mutex_) = 0;
  std::uint64_t queue_bytes_max_ GUARDED_BY(mutex_);
  std::uint64_t trap_bytes_ GUARDED_BY(mutex_) = 0;  // of all hosts
  std::uint64_t hosts_waiting_ GUARDED_BY(mutex_) = 0;
  std::uint64_t leased_ GUARDED_BY(mutex_) = 0;
  std::uint64_t pages_ GUARDED_BY(mutex_) = 0;
  std::uint64_t pages_out_ GUARDED_BY(mutex_) = 0;  // leases of pages
  std::string scratch_ GUARDED_BY(mutex_);

  // What the clock of the store's times is ahead of the wall clock.
  base::WallTime::duration wall_ahead_ GUARDED_BY(mutex_){};
  // What the store does not know yet; empty without a store.
  std::uint64_t next_entry_ GUARDED_BY(mutex_) = 1;
  // Those before it were accepted by an earlier process.
  std::uint64_t first_own_entry_ GUARDED_BY(mutex_) = 1;
  store::Batch changes_ GUARDED_BY(mutex_);
  std::string new_hashes_ GUARDED_BY(mutex_);
  std::vector<std::uint32_t> changed_hosts_ GUARDED_BY(mutex_);
  // Origins that wait for their spilled URLs to be committed.
  std::vector<QueuePlace> starved_ GUARDED_BY(mutex_);
  base::Status status_ GUARDED_BY(mutex_);
  // Acquire has answered other than by a lease since the last wake-up.
  bool waiter_ GUARDED_BY(mutex_) = false;
  Wake wake_ GUARDED_BY(mutex_);
};

}  // namespace frontier
