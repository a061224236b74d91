#include "frontier/frontier.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <queue>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/mutex.h"
#include "frontier/candidate_record.h"
#include "frontier/host.h"
#include "frontier/host_groups.h"
#include "frontier/host_heap.h"
#include "frontier/host_record.h"
#include "frontier/keyed_hash.h"
#include "frontier/origin_queue.h"
#include "frontier/registered_domain.h"
#include "frontier/request_rate.h"

namespace frontier {
namespace {

// Candidates taken under one lock: enough to pay for it and for fetching the places of UrlSeen
// into cache, few enough that nobody waits long.
constexpr std::size_t kBatch = 64;

// Entries read back from the store at once: enough to pay for the seek; few when memory is short.
constexpr std::size_t kRefill = 64;
constexpr std::size_t kRefillWhenShort = 4;

// Memory of a host with its name, an origin and its places in groups, estimated from their sizes;
// what was learned of its URLs (HostTraps) is left aside.
constexpr std::uint64_t kHostBytes = 700;

// In a block of store::Table::kSeen, big-endian.
constexpr std::size_t kHashBytes = 8;

// In store::Table::kAbout: the next entry number, and pages ended.
constexpr std::string_view kFrontierKey = "frontier";

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

void CheckOptions(const FrontierOptions& options) {
  CHECK(options.delay >= base::Duration(0) && options.delay_max >= options.delay);
  CHECK(options.connections_per_host >= 1 && options.origins_per_host_max >= 1);
  CHECK(options.hosts_at_once_per_domain >= 1 && options.hosts_at_once_per_address >= 1);
  CHECK(options.host_failures_max >= 1 && options.jitter_percent <= 100);
  CHECK(options.retry_delay >= base::Duration(0) && options.park_max >= base::Duration(0));
  CHECK(options.retry_delay_max >= options.retry_delay);
  CHECK(options.robots_valid_max >= base::Duration(0));
  CHECK(options.origins_per_host_max <= kQueueOriginsMax);
}

}  // namespace

/// Everything behind the Frontier. Invariants, whenever the mutex is free:
///  * a host for which Host::Opens() says when stands in `heap_`, and not before that time, or in
///    the line of a group; no other host stands in `heap_`;
///  * `queued_` is the number of records in all origins and in `retries_`;
///  * `leased_` is the sum of Host::leased.
class Frontier::State {
 public:
  State(const FrontierOptions& options, Scope& scope, const base::Clock& clock,
        const store::Store* store)
      : options_(options),
        scope_(scope),
        clock_(clock),
        store_(store),
        seen_(options.hash_key),
        host_ids_(0, KeyedHash(options.hash_key)),
        domains_(options.hosts_at_once_per_domain * options.connections_per_host,
                 options.hash_key),
        addresses_(options.hosts_at_once_per_address * options.connections_per_host,
                   options.hash_key),
        rate_(options.requests_per_second_max),
        jitter_(static_cast<std::uint32_t>(options.hash_key ^ (options.hash_key >> 32))),
        queue_bytes_max_(options.queue_bytes_max) {
    CheckOptions(options);
  }

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
  void Save(store::Batch& batch);
  void Saved();
  std::size_t unsaved_bytes() const {
    base::MutexLock lock(mutex_);
    return changes_.bytes() + new_hashes_.size();
  }
  base::Status status() const {
    base::MutexLock lock(mutex_);
    return status_;
  }
  void SetQueueBytesMax(std::uint64_t queue_bytes_max) {
    base::MutexLock lock(mutex_);
    queue_bytes_max_ = queue_bytes_max;
  }
  FrontierStats Stats() const;

 private:
  using Wake = std::shared_ptr<const std::function<void()>>;

  void Admit(const Candidate& candidate, std::uint64_t hash, base::Time now,
             ScheduleCounts& counts) REQUIRES(mutex_);
  std::optional<ScheduleLimit> LimitOf(const Candidate& candidate, const Host* host,
                                       bool origin_known) REQUIRES(mutex_);
  std::optional<ScheduleLimit> LimitOfDomain(std::string_view host, bool known) REQUIRES(mutex_);
  Host& AddHost(std::string_view name) REQUIRES(mutex_);

  /// A host that may be asked now; nothing when there is none. It stands neither in the heap nor
  /// in a line.
  std::optional<std::uint32_t> TakeHost(base::Time now) REQUIRES(mutex_);
  /// The next time at which TakeHost() or ReturnDueRetries() has something to do.
  std::optional<base::Time> NextTime() const REQUIRES(mutex_);
  /// Nothing where its next entry is damaged: status_ says so then.
  std::optional<Lease> LeaseFrom(Frontier* owner, std::uint32_t host_id, base::Time now)
      REQUIRES(mutex_);
  void Damaged(const std::string& origin, std::uint64_t entry) REQUIRES(mutex_);
  bool Trapped(const Host& host, Candidate& page) REQUIRES(mutex_);
  void TakeRequest(const Host& host, base::Time now) REQUIRES(mutex_);
  void EndLease(const Lease& lease, const Ending& ending, base::Time now) REQUIRES(mutex_);
  void Learn(const Lease& lease, const PageContent& content) REQUIRES(mutex_);
  void RestHost(Host& host, const Lease& lease, const Ending& ending, base::Time now)
      REQUIRES(mutex_);
  void MoveToAddress(Host& host, std::string_view address) REQUIRES(mutex_);
  base::Duration Jittered(base::Duration back_off) REQUIRES(mutex_);
  void ReturnDueRetries(base::Time now) REQUIRES(mutex_);
  void AddRetry(const Lease& lease, base::Time now) REQUIRES(mutex_);

  /// Kept in memory where `first`, or where there is room.
  void PushBack(Host& host, const QueuePlace& place, std::uint64_t entry, std::string_view record,
                bool first = false) REQUIRES(mutex_);
  void PushFront(Host& host, const QueuePlace& place, std::uint64_t entry, std::string_view record)
      REQUIRES(mutex_);
  OriginQueue::Entry Pop(Host& host, const QueuePlace& place) REQUIRES(mutex_);
  /// Reads spilled URLs back, when none is left in memory; else, later.
  void Feed(const QueuePlace& place) REQUIRES(mutex_);
  void CountWaiting(Host& host, std::uint64_t waiting) REQUIRES(mutex_);

  base::Status RestoreHosts(const WallTimes& times) REQUIRES(mutex_);
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

  // Itself safe for threads.
  UrlSeen seen_;

  mutable base::Mutex mutex_;
  NumberByName host_ids_ GUARDED_BY(mutex_);
  std::deque<Host> hosts_ GUARDED_BY(mutex_);
  HostGroups domains_ GUARDED_BY(mutex_);
  HostGroups addresses_ GUARDED_BY(mutex_);
  RequestRate rate_ GUARDED_BY(mutex_);
  std::minstd_rand jitter_ GUARDED_BY(mutex_);
  std::uint64_t hosts_dead_ GUARDED_BY(mutex_) = 0;
  std::uint64_t patterns_closed_ GUARDED_BY(mutex_) = 0;  // by this process
  HostHeap heap_ GUARDED_BY(mutex_);
  std::priority_queue<Retry> retries_ GUARDED_BY(mutex_);
  std::uint64_t retry_turns_ GUARDED_BY(mutex_) = 0;
  std::uint64_t queued_ GUARDED_BY(mutex_) = 0;
  std::uint64_t queue_bytes_ GUARDED_BY(mutex_) = 0;
  std::uint64_t queue_bytes_max_ GUARDED_BY(mutex_);
  std::uint64_t hosts_waiting_ GUARDED_BY(mutex_) = 0;
  std::uint64_t leased_ GUARDED_BY(mutex_) = 0;
  std::uint64_t pages_ GUARDED_BY(mutex_) = 0;
  std::uint64_t pages_out_ GUARDED_BY(mutex_) = 0;  // leases of pages
  std::string scratch_ GUARDED_BY(mutex_);

  // What the store does not know yet; empty without a store.
  std::uint64_t next_entry_ GUARDED_BY(mutex_) = 1;
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

// ---- Scheduling

void Frontier::State::AddSeed(const Url& seed) {
  scope_.AddSeed(seed);
  base::MutexLock lock(mutex_);
  if (store_ != nullptr) changes_.Put(store::Table::kSeeds, seed.text(), {});
}

void Frontier::State::ScheduleBatch(std::span<const Candidate> batch, ScheduleCounts& counts) {
  std::array<std::uint64_t, kBatch> hashes{};
  std::array<const Candidate*, kBatch> inside{};
  std::size_t size = 0;
  for (const Candidate& candidate : batch) {
    if (candidate.seed) AddSeed(candidate.url);
    const bool page = candidate.role == CandidateRole::kPage;
    ScopeVerdict verdict = scope_.Judge(candidate.url, page ? candidate.depth : 0);
    if (verdict != ScopeVerdict::kIn) {
      ++counts.out_of_scope[static_cast<std::size_t>(verdict)];
      continue;
    }
    hashes[size] = seen_.Hash(candidate.url);
    seen_.Prefetch(hashes[size]);
    inside[size++] = &candidate;
  }
  if (size == 0) return;
  Wake wake;
  {
    const std::uint64_t queued_before = counts.queued;
    base::MutexLock lock(mutex_);
    const base::Time now = clock_.Now();
    for (std::size_t i = 0; i < size; ++i) Admit(*inside[i], hashes[i], now, counts);
    if (counts.queued != queued_before) wake = TakeWake();
  }
  Call(wake);
}

std::optional<ScheduleLimit> Frontier::State::LimitOf(const Candidate& candidate, const Host* host,
                                                      bool origin_known) {
  if (candidate.redirects > options_.redirects_max) return ScheduleLimit::kRedirects;
  if (queued_ >= options_.queued_max) return ScheduleLimit::kQueued;
  if (auto limit = LimitOfDomain(candidate.url.host(), host != nullptr)) return limit;
  if (host == nullptr) {
    if (hosts_.size() >= options_.hosts_max) return ScheduleLimit::kHosts;
    return std::nullopt;
  }
  if (host->Dead(options_)) return ScheduleLimit::kDeadHost;
  if (host->traps != nullptr) {
    if (host->traps->Closed(candidate.url, options_.traps)) return ScheduleLimit::kClosedPattern;
    if (host->traps->HasNoQueryLeft(candidate.url, options_.traps)) {
      return ScheduleLimit::kQueriesPerPath;
    }
  }
  if (host->accepted >= options_.pages_per_host_max) return ScheduleLimit::kPagesPerHost;
  if (!origin_known && host->origins.size() >= options_.origins_per_host_max) {
    return ScheduleLimit::kOrigins;
  }
  return std::nullopt;
}

std::optional<ScheduleLimit> Frontier::State::LimitOfDomain(std::string_view host, bool known) {
  const std::optional<std::uint32_t> domain = domains_.FindKnown(RegisteredDomain(host));
  if (!domain) return std::nullopt;
  if (!known && domains_.hosts(*domain) >= options_.hosts_per_domain_max) {
    return ScheduleLimit::kHostsPerDomain;
  }
  if (domains_.accepted(*domain) >= options_.pages_per_domain_max) {
    return ScheduleLimit::kPagesPerDomain;
  }
  return std::nullopt;
}

Host& Frontier::State::AddHost(std::string_view name) {
  auto id = static_cast<std::uint32_t>(hosts_.size());
  auto [entry, added] = host_ids_.emplace(std::string(name), id);
  CHECK(added);
  const std::uint32_t domain = domains_.Find(RegisteredDomain(name));
  domains_.Enter(domain);
  return hosts_.emplace_back(Host{.name = &entry->first, .domain = domain});
}

void Frontier::State::Admit(const Candidate& candidate, std::uint64_t hash, base::Time now,
                            ScheduleCounts& counts) {
  const Url& url = candidate.url;
  const bool https = url.scheme() == "https";
  auto entry = host_ids_.find(url.host());
  std::uint32_t host_id =
      entry == host_ids_.end() ? static_cast<std::uint32_t>(hosts_.size()) : entry->second;
  Host* host = entry == host_ids_.end() ? nullptr : &hosts_[host_id];
  if (host != nullptr && host->traps != nullptr && host->traps->HasIdle(options_.traps)) {
    Url shorter = host->traps->WithoutIdle(url, options_.traps);
    if (shorter != url) {
      ++counts.shortened;
      Candidate other = candidate;
      other.url = std::move(shorter);
      return Admit(other, seen_.Hash(other.url), now, counts);
    }
  }
  std::optional<std::uint32_t> origin_id;
  if (host != nullptr) origin_id = host->FindOrigin(https, url.port());

  if (std::optional<ScheduleLimit> limit = LimitOf(candidate, host, origin_id.has_value())) {
    ++counts.over_limit[static_cast<std::size_t>(*limit)];
    return;
  }
  if (!seen_.InsertHash(hash)) {
    ++counts.seen;
    return;
  }
  if (host == nullptr) host = &AddHost(url.host());
  if (!origin_id) {
    origin_id = static_cast<std::uint32_t>(host->origins.size());
    host->origins.push_back(Origin{.https = https, .port = url.port()});
  }
  scratch_.clear();
  AppendRecord(candidate, scratch_);
  const QueuePlace place{host_id, *origin_id};
  const std::uint64_t number = next_entry_++;
  if (store_ != nullptr) {
    changes_.Put(store::Table::kQueue, place.Key(number), QueueValue(0, scratch_));
    base::AppendBigEndian(hash, new_hashes_);
  }
  PushBack(*host, place, number, scratch_);
  ++queued_;
  ++host->accepted;
  if (!url.query().empty()) host->Traps().Accepted(url);
  ++domains_.accepted(host->domain);
  ++counts.queued;
  Touch(host_id);
  Replace(host_id, now);
}

// ---- Queues

void Frontier::State::CountWaiting(Host& host, std::uint64_t waiting) {
  if (host.waiting == 0) ++hosts_waiting_;
  if (waiting == 0) --hosts_waiting_;
  host.waiting = waiting;
}

void Frontier::State::PushBack(Host& host, const QueuePlace& place, std::uint64_t entry,
                               std::string_view record, bool first) {
  OriginQueue& queue = host.origins[place.origin].waiting;
  const bool keep = first || store_ == nullptr || queue_bytes_ < queue_bytes_max_;
  const bool starved_before = queue.starved();
  queue_bytes_ -= queue.bytes();
  queue.Push(entry, record, keep);
  queue_bytes_ += queue.bytes();
  CountWaiting(host, host.waiting + 1);
  if (queue.starved() && !starved_before) starved_.push_back(place);
}

void Frontier::State::PushFront(Host& host, const QueuePlace& place, std::uint64_t entry,
                                std::string_view record) {
  OriginQueue& queue = host.origins[place.origin].waiting;
  queue_bytes_ -= queue.bytes();
  queue.PushFront(entry, record);
  queue_bytes_ += queue.bytes();
  CountWaiting(host, host.waiting + 1);
}

OriginQueue::Entry Frontier::State::Pop(Host& host, const QueuePlace& place) {
  OriginQueue& queue = host.origins[place.origin].waiting;
  queue_bytes_ -= queue.bytes();
  OriginQueue::Entry entry = queue.Pop();
  queue_bytes_ += queue.bytes();
  CountWaiting(host, host.waiting - 1);
  Feed(place);
  return entry;
}

void Frontier::State::Feed(const QueuePlace& place) {
  OriginQueue& queue = hosts_[place.host].origins[place.origin].waiting;
  if (!queue.starved()) return;
  queue_bytes_ -= queue.bytes();
  const bool short_of_memory = queue_bytes_ >= queue_bytes_max_;
  base::Status read = queue.Refill(*store_, place, short_of_memory ? kRefillWhenShort : kRefill);
  queue_bytes_ += queue.bytes();
  if (!read && status_) status_ = std::move(read);
  if (queue.starved()) starved_.push_back(place);
}

void Frontier::State::Replace(std::uint32_t host_id, base::Time now) {
  if (hosts_[host_id].in_line) return;  // asked again when its turn comes
  std::optional<base::Time> opens = hosts_[host_id].Opens(options_);
  if (!opens) {
    heap_.Remove(host_id);
  } else if (*opens > now || !heap_.Has(host_id) || heap_.TimeOf(host_id) > now) {
    // Not before now, that a host which comes back does not overtake those that wait already; and
    // one that is due keeps its place.
    heap_.Set(host_id, std::max(*opens, now));
  }
}

void Frontier::State::ReturnDueRetries(base::Time now) {
  while (!retries_.empty() && retries_.top().when <= now) {
    const Retry& retry = retries_.top();
    const std::uint32_t host_id = retry.host;
    Host& host = hosts_[host_id];
    PushFront(host, {host_id, retry.origin}, retry.entry, retry.record);
    queue_bytes_ -= sizeof(Retry) + retry.record.size();
    retries_.pop();
    Replace(host_id, now);
  }
}

void Frontier::State::AddRetry(const Lease& lease, base::Time now) {
  Candidate again = lease.candidate_;
  const base::Duration delay =
      Doubled(options_.retry_delay, again.attempt, options_.retry_delay_max);
  ++again.attempt;
  Retry retry{.when = now + Jittered(delay),
              .turn = retry_turns_++,
              .host = lease.host_,
              .origin = lease.origin_,
              .entry = lease.entry_,
              .record = {}};
  AppendRecord(again, retry.record);
  if (store_ != nullptr) {
    changes_.Put(store::Table::kQueue, QueuePlace{retry.host, retry.origin}.Key(retry.entry),
                 QueueValue(WallTimes(clock_).ToWall(retry.when), retry.record));
  }
  queue_bytes_ += sizeof(Retry) + retry.record.size();
  retries_.push(std::move(retry));
  ++queued_;
}

// ---- Leases

Acquired Frontier::State::Acquire(Frontier* owner) {
  base::MutexLock lock(mutex_);
  const base::Time now = clock_.Now();
  ReturnDueRetries(now);
  const bool spent = pages_ >= options_.pages_max;
  if (!spent && rate_.Opens() <= now) {
    while (auto host = TakeHost(now)) {
      if (auto lease = LeaseFrom(owner, *host, now)) return std::move(*lease);
    }
  }
  waiter_ = true;
  if (leased_ == 0 && (spent || queued_ == 0)) return Finished{};
  const std::optional<base::Time> next = NextTime();
  if (spent || !next) return WaitForChange{};
  return WaitUntil{std::max(*next, rate_.Opens())};
}

std::optional<std::uint32_t> Frontier::State::TakeHost(base::Time now) {
  while (true) {
    std::optional<std::uint32_t> id = domains_.Next(now);
    if (!id) id = addresses_.Next(now);
    if (!id && (heap_.empty() || heap_.TopTime() > now)) return std::nullopt;
    if (!id) id = heap_.TopHost();
    Host& host = hosts_[*id];
    host.in_line = false;
    const std::optional<base::Time> opens = host.Opens(options_);
    if (!opens || *opens > now) {  // it has changed while it stood in line
      Replace(*id, now);
      continue;
    }
    heap_.Remove(*id);
    if (host.Dead(options_)) return id;
    HostGroups* busy = nullptr;
    if (!addresses_.Free(host.address, now)) busy = &addresses_;
    if (!domains_.Free(host.domain, now)) busy = &domains_;
    if (busy == nullptr) return id;
    host.in_line = true;
    busy->Join(busy == &domains_ ? host.domain : host.address, *id);
  }
}

std::optional<base::Time> Frontier::State::NextTime() const {
  std::optional<base::Time> first;
  auto offer = [&first](std::optional<base::Time> when) {
    if (when && (!first || *when < *first)) first = when;
  };
  if (!heap_.empty()) offer(heap_.TopTime());
  if (!retries_.empty()) offer(retries_.top().when);
  offer(domains_.NextTime());
  offer(addresses_.NextTime());
  return first;
}

void Frontier::State::Damaged(const std::string& origin, std::uint64_t entry) {
  if (!status_) return;
  status_ = base::Fail("the store's queue of " + origin + " has an entry that is none (number " +
                       std::to_string(entry) +
                       "): another program wrote it; take a copy of the data directory from "
                       "before, or begin anew with --fresh");
}

std::optional<Lease> Frontier::State::LeaseFrom(Frontier* owner, std::uint32_t host_id,
                                                base::Time now) {
  Host& host = hosts_[host_id];
  const std::uint32_t origin_id = host.TakeTurn(options_, now);
  Origin& origin = host.origins[origin_id];
  const bool dead = host.Dead(options_);
  ++host.leased;
  ++leased_;
  if (!dead && origin.NeedsRobots(now)) {
    TakeRequest(host, now);
    origin.robots = Origin::Robots::kLeased;
    Replace(host_id, now);
    Candidate robots{.url = Url::FromCanonical(host.OriginText(origin) + "/robots.txt"),
                     .attempt = origin.robots_failures};
    return Lease(owner, Lease::Kind::kRobots, std::move(robots), host_id, origin_id, host.address,
                 0);
  }
  const OriginQueue::Entry entry = Pop(host, {host_id, origin_id});
  std::optional<Candidate> page = ReadRecord(host.OriginText(origin), entry.record);
  if (!page) {  // it stays in the store
    Damaged(host.OriginText(origin), entry.number);
    --host.leased;
    --leased_;
    --queued_;
    Replace(host_id, now);
    return std::nullopt;
  }
  Lease::Kind kind = Trapped(host, *page) ? Lease::Kind::kTrapped : Lease::Kind::kPage;
  if (dead) kind = Lease::Kind::kDeadHost;
  if (kind == Lease::Kind::kPage) TakeRequest(host, now);
  --queued_;
  ++pages_;
  ++pages_out_;
  Replace(host_id, now);
  return Lease(owner, kind, std::move(*page), host_id, origin_id, host.address, entry.number);
}

// What was learned since a URL was accepted holds for it, too.
bool Frontier::State::Trapped(const Host& host, Candidate& page) {
  if (host.traps == nullptr) return false;
  if (host.traps->Closed(page.url, options_.traps)) return true;
  if (!host.traps->HasIdle(options_.traps)) return false;
  Url shorter = host.traps->WithoutIdle(page.url, options_.traps);
  if (shorter == page.url) return false;
  page.url = std::move(shorter);
  const std::uint64_t hash = seen_.Hash(page.url);
  if (!seen_.InsertHash(hash)) return true;
  if (store_ != nullptr) base::AppendBigEndian(hash, new_hashes_);
  return false;
}

void Frontier::State::TakeRequest(const Host& host, base::Time now) {
  rate_.Take(now);
  domains_.Lease(host.domain, now + options_.delay / options_.hosts_at_once_per_domain);
  addresses_.Lease(host.address, now + options_.delay / options_.hosts_at_once_per_address);
}

void Frontier::State::EndLease(const Lease& lease, const Ending& ending, base::Time now) {
  Host& host = hosts_[lease.host_];
  --host.leased;
  --leased_;
  const bool to_be_asked =
      lease.kind_ == Lease::Kind::kPage || lease.kind_ == Lease::Kind::kRobots;
  if (to_be_asked) RestHost(host, lease, ending, now);
  if (lease.kind_ != Lease::Kind::kRobots) --pages_out_;
  Touch(lease.host_);
  Replace(lease.host_, now);
}

void Frontier::State::Learn(const Lease& lease, const PageContent& content) {
  Host& host = hosts_[lease.host_];
  const bool worth_it =
      content.kind == PageContent::Kind::kDuplicate || !lease.url().query().empty();
  if (host.traps == nullptr && !worth_it) return;
  if (host.Traps().Ended(lease.url(), content, options_.traps)) ++patterns_closed_;
}

void Frontier::State::RestHost(Host& host, const Lease& lease, const Ending& ending,
                               base::Time now) {
  base::Time until = now;
  if (ending.requested) {
    const bool was_dead = host.Dead(options_);
    host.failures = ending.host == HostState::kWell ? 0 : host.failures + 1;
    if (host.Dead(options_) != was_dead) was_dead ? --hosts_dead_ : ++hosts_dead_;
    until += host.Delay(options_, ending.response_time);
    host.rest_until = std::max(host.rest_until, until);
  } else {
    rate_.GiveBack();
  }
  const base::Duration asked = std::min(ending.park, options_.park_max);
  const base::Duration back_off = Jittered(host.BackOff(options_, ending.host));
  const base::Duration park = asked > base::Duration(0) ? asked : back_off;
  if (park > base::Duration(0)) host.rest_until = std::max(host.rest_until, now + park);
  domains_.End(host.domain, now + (until - now) / options_.hosts_at_once_per_domain);
  addresses_.End(lease.address_, now + (until - now) / options_.hosts_at_once_per_address);
  if (!ending.address.empty()) MoveToAddress(host, ending.address);
}

void Frontier::State::MoveToAddress(Host& host, std::string_view address) {
  if (host.address_text == address) return;
  // Not more addresses than hosts, however often a name is made to point elsewhere.
  if (!addresses_.FindKnown(address) && addresses_.size() > hosts_.size()) return;
  if (host.address != HostGroups::kNone) addresses_.Leave(host.address);
  host.address = addresses_.Find(address);
  host.address_text = address;
  addresses_.Enter(host.address);
}

// The same crawl draws the same: tests and reruns are not a matter of luck.
base::Duration Frontier::State::Jittered(base::Duration back_off) {
  if (options_.jitter_percent == 0 || back_off <= base::Duration(0)) return back_off;
  return back_off + back_off / 100 * (jitter_() % (options_.jitter_percent + 1));
}

void Frontier::State::EndPage(const Lease& lease, const Ending& ending) {
  Wake wake;
  {
    base::MutexLock lock(mutex_);
    const base::Time now = clock_.Now();
    Learn(lease, ending.content);
    if (ending.retry) {
      AddRetry(lease, now);
      --pages_;
    } else if (store_ != nullptr) {
      changes_.Delete(store::Table::kQueue,
                      QueuePlace{lease.host_, lease.origin_}.Key(lease.entry_));
    }
    EndLease(lease, ending, now);
    wake = TakeWake();
  }
  Call(wake);
}

void Frontier::State::EndRobots(const Lease& lease, const Ending& ending,
                                const OriginPolicy& policy) {
  Wake wake;
  {
    base::MutexLock lock(mutex_);
    const base::Time now = clock_.Now();
    Host& host = hosts_[lease.host_];
    Origin& origin = host.origins[lease.origin_];
    if (const auto* known = std::get_if<RobotsKnown>(&policy)) {
      origin.robots = Origin::Robots::kKnown;
      origin.robots_failures = 0;
      origin.crawl_delay = known->crawl_delay.value_or(base::Duration(0));
      // At least until the first page after it may be asked for, or robots.txt would be asked for
      // for ever.
      origin.robots_until =
          now + std::max(std::min(known->valid_for, options_.robots_valid_max),
                         2 * host.Delay(options_, ending.response_time) + std::chrono::minutes(1));
    } else {
      const auto& unreachable = std::get<RobotsUnreachable>(policy);
      origin.robots = Origin::Robots::kUnreachable;
      ++origin.robots_failures;
      origin.robots_until = now + std::min(unreachable.retry_in, options_.robots_valid_max);
    }
    EndLease(lease, ending, now);
    wake = TakeWake();
  }
  Call(wake);
}

void Frontier::State::GiveBack(const Lease& lease) {
  Wake wake;
  {
    base::MutexLock lock(mutex_);
    Host& host = hosts_[lease.host_];
    Origin& origin = host.origins[lease.origin_];
    if (lease.kind_ == Lease::Kind::kRobots) {
      origin.robots = Origin::Robots::kUnknown;
    } else {
      scratch_.clear();
      AppendRecord(lease.candidate_, scratch_);
      PushFront(host, {lease.host_, lease.origin_}, lease.entry_, scratch_);
      ++queued_;
      --pages_;
    }
    EndLease(lease, Ending{.requested = false}, clock_.Now());
    wake = TakeWake();
  }
  Call(wake);
}

FrontierStats Frontier::State::Stats() const {
  FrontierStats stats{.seen = seen_.size(), .seen_bytes = seen_.bytes()};
  base::MutexLock lock(mutex_);
  stats.queued = queued_;
  stats.hosts = hosts_.size();
  stats.hosts_waiting = hosts_waiting_;
  stats.hosts_dead = hosts_dead_;
  stats.patterns_closed = patterns_closed_;
  stats.leased = leased_;
  stats.pages = pages_;
  stats.queue_bytes = queue_bytes_;
  stats.host_bytes = hosts_.size() * kHostBytes;
  return stats;
}

// ---- The store

void Frontier::State::Touch(std::uint32_t host_id) {
  if (store_ == nullptr || std::exchange(hosts_[host_id].changed, true)) return;
  changed_hosts_.push_back(host_id);
}

void Frontier::State::Save(store::Batch& batch) {
  base::MutexLock lock(mutex_);
  const WallTimes times(clock_);
  batch.Append(std::exchange(changes_, {}));
  for (std::uint32_t id : changed_hosts_) {
    std::string key;
    base::AppendBigEndian(id, key, 4);
    batch.Put(store::Table::kHosts, key, HostRecord(hosts_[id], times));
    hosts_[id].changed = false;
  }
  changed_hosts_.clear();
  if (!new_hashes_.empty()) {
    std::string key;
    base::AppendBigEndian(next_entry_, key);  // has grown since the last block
    batch.Put(store::Table::kSeen, key, new_hashes_);
    new_hashes_.clear();
  }
  std::string about;
  base::AppendVarint(next_entry_, about);
  base::AppendVarint(pages_ - pages_out_, about);
  batch.Put(store::Table::kAbout, kFrontierKey, about);
}

void Frontier::State::Saved() {
  Wake wake;
  {
    base::MutexLock lock(mutex_);
    const base::Time now = clock_.Now();
    const std::vector<QueuePlace> starved = std::exchange(starved_, {});
    for (const QueuePlace& place : starved) {
      Feed(place);
      Replace(place.host, now);
    }
    if (!starved.empty()) wake = TakeWake();
  }
  Call(wake);
}

base::Status Frontier::State::Restore() {
  const WallTimes times(clock_);
  base::MutexLock lock(mutex_);
  CHECK(store_ != nullptr && hosts_.empty() && next_entry_ == 1);
  auto about = store_->Get(store::Table::kAbout, kFrontierKey);
  if (!about) return base::Fail(about.error().message);
  if (!*about) return {};  // nothing was ever committed
  base::ByteReader reader(**about);
  next_entry_ = reader.Varint();
  pages_ = reader.Varint();
  if (!reader.AtEnd()) return base::Fail("the frontier's own record is none");
  auto seeds = store_->Read(store::Table::kSeeds);
  for (; seeds->Valid(); seeds->Next()) {
    const std::optional<Url> seed = Url::FromStored(std::string(seeds->key()));
    if (!seed) return base::Fail("the table of seeds has a key that is no URL");
    scope_.AddSeed(*seed);
  }
  if (base::Status read = seeds->status(); !read) return read;
  // Two large tables, that do not touch.
  base::Status seen;
  std::thread other([this, &seen] { seen = RestoreSeen(); });
  base::Status read = RestoreHosts(times);
  if (read) read = RestoreQueue(times);
  other.join();
  if (!read || !seen) return read ? seen : read;
  for (std::uint32_t id = 0; id < hosts_.size(); ++id) Replace(id, times.now());
  return {};
}

base::Status Frontier::State::RestoreHosts(const WallTimes& times) {
  auto cursor = store_->Read(store::Table::kHosts);
  for (; cursor->Valid(); cursor->Next()) {
    std::string name;
    auto host = ReadHostRecord(cursor->value(), times, options_, &name);
    base::ByteReader key(cursor->key());
    if (!host) return base::Fail(host.error().message);
    if (key.BigEndian(4) != hosts_.size() || !key.AtEnd() || host_ids_.contains(name)) {
      return base::Fail("the table of hosts has a gap or a name twice");
    }
    Host& added = AddHost(name);
    host->name = added.name;
    host->domain = added.domain;
    added = std::move(*host);
    domains_.accepted(added.domain) += added.accepted;
    if (added.Dead(options_)) ++hosts_dead_;
    const std::string address = std::exchange(added.address_text, {});
    if (!address.empty()) MoveToAddress(added, address);
  }
  return cursor->status();
}

base::Status Frontier::State::RestoreSeen() {
  auto cursor = store_->Read(store::Table::kSeen);
  for (; cursor->Valid(); cursor->Next()) {
    if (cursor->value().size() % kHashBytes != 0) {
      return base::Fail("the table of URLs seen has a block that is none");
    }
    std::array<std::uint64_t, kBatch> hashes{};
    for (base::ByteReader rest(cursor->value()); !rest.AtEnd();) {
      const std::size_t size = std::min(kBatch, rest.rest().size() / kHashBytes);
      for (std::size_t i = 0; i < size; ++i) seen_.Prefetch(hashes[i] = rest.BigEndian());
      for (std::size_t i = 0; i < size; ++i) seen_.InsertHash(hashes[i]);
    }
  }
  return cursor->status();
}

base::Status Frontier::State::RestoreQueue(const WallTimes& times) {
  // The first few of each origin are kept, so that none has to be looked for again at once.
  QueuePlace origin;
  std::size_t nth = 0;
  auto cursor = store_->Read(store::Table::kQueue);
  for (; cursor->Valid(); cursor->Next()) {
    std::uint64_t entry = 0;
    std::int64_t retry_at = 0;
    const auto place = QueuePlace::Read(cursor->key(), &entry);
    if (!place) return base::Fail(place.error().message);
    const auto record = ReadQueueValue(cursor->value(), &retry_at);
    if (!record) return base::Fail(record.error().message);
    if (place->host >= hosts_.size() || place->origin >= hosts_[place->host].origins.size() ||
        entry >= next_entry_) {
      return base::Fail("the queue has an entry of no known host");
    }
    ++queued_;
    if (retry_at == 0) {
      if (place->host != origin.host || place->origin != origin.origin) nth = 0;
      origin = *place;
      const bool first = nth++ < kRefillWhenShort;
      PushBack(hosts_[place->host], *place, entry, *record, first);
      continue;
    }
    queue_bytes_ += sizeof(Retry) + record->size();
    retries_.push({.when = times.FromWall(retry_at, options_.retry_delay_max),
                   .turn = retry_turns_++,
                   .host = place->host,
                   .origin = place->origin,
                   .entry = entry,
                   .record = std::string(*record)});
  }
  return cursor->status();
}

// ---- What the header shows

std::string_view Name(ScheduleLimit limit) {
  static constexpr std::array<std::string_view, kScheduleLimits> kNames = {
      "redirects",        "pages-per-host",   "hosts",     "origins-per-host", "queue-full",
      "hosts-per-domain", "pages-per-domain", "dead-host", "queries-per-path", "closed-pattern"};
  return kNames[static_cast<std::size_t>(limit)];
}

std::uint64_t ScheduleCounts::total() const {
  std::uint64_t sum = queued + seen;
  sum = std::accumulate(out_of_scope.begin(), out_of_scope.end(), sum);
  return std::accumulate(over_limit.begin(), over_limit.end(), sum);
}

ScheduleCounts& ScheduleCounts::operator+=(const ScheduleCounts& other) {
  shortened += other.shortened;
  queued += other.queued;
  seen += other.seen;
  for (std::size_t i = 0; i < out_of_scope.size(); ++i) out_of_scope[i] += other.out_of_scope[i];
  for (std::size_t i = 0; i < over_limit.size(); ++i) over_limit[i] += other.over_limit[i];
  return *this;
}

Lease::Lease(Frontier* frontier, Kind kind, Candidate candidate, std::uint32_t host,
             std::uint32_t origin, std::uint32_t address, std::uint64_t entry)
    : frontier_(frontier),
      candidate_(std::move(candidate)),
      entry_(entry),
      host_(host),
      origin_(origin),
      address_(address),
      kind_(kind) {}

Lease::Lease(Lease&& other) noexcept
    : frontier_(std::exchange(other.frontier_, nullptr)),
      candidate_(std::move(other.candidate_)),
      entry_(other.entry_),
      host_(other.host_),
      origin_(other.origin_),
      address_(other.address_),
      kind_(other.kind_) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    GiveBack();
    frontier_ = std::exchange(other.frontier_, nullptr);
    candidate_ = std::move(other.candidate_);
    entry_ = other.entry_;
    host_ = other.host_;
    origin_ = other.origin_;
    address_ = other.address_;
    kind_ = other.kind_;
  }
  return *this;
}

Lease::~Lease() { GiveBack(); }

void Lease::GiveBack() {
  if (Frontier* frontier = std::exchange(frontier_, nullptr)) frontier->GiveBack(*this);
}

Frontier::Frontier(const FrontierOptions& options, Scope& scope, const base::Clock& clock,
                   const store::Store* store)
    : state_(std::make_unique<State>(options, scope, clock, store)) {}

Frontier::~Frontier() { CHECK(state_->Stats().leased == 0 && "a lease outlives its frontier"); }

void Frontier::SetWakeup(std::function<void()> wake) { state_->SetWakeup(std::move(wake)); }

ScheduleCounts Frontier::Schedule(std::span<const Candidate> candidates) {
  ScheduleCounts counts;
  while (!candidates.empty()) {
    std::size_t size = std::min(kBatch, candidates.size());
    state_->ScheduleBatch(candidates.first(size), counts);
    candidates = candidates.subspan(size);
  }
  return counts;
}

Acquired Frontier::Acquire() { return state_->Acquire(this); }

void Frontier::End(Lease lease, const Ending& ending) {
  CHECK(lease.frontier_ == this && lease.kind_ != Lease::Kind::kRobots);
  state_->EndPage(lease, ending);
  lease.frontier_ = nullptr;
}

void Frontier::EndRobots(Lease lease, const Ending& ending, const OriginPolicy& policy) {
  CHECK(lease.frontier_ == this && lease.kind_ == Lease::Kind::kRobots);
  state_->EndRobots(lease, ending, policy);
  lease.frontier_ = nullptr;
}

base::Status Frontier::Restore() { return state_->Restore(); }

void Frontier::Save(store::Batch& batch) { state_->Save(batch); }

void Frontier::Saved() { state_->Saved(); }

std::size_t Frontier::unsaved_bytes() const { return state_->unsaved_bytes(); }

base::Status Frontier::status() const { return state_->status(); }

void Frontier::SetQueueBytesMax(std::uint64_t queue_bytes_max) {
  state_->SetQueueBytesMax(queue_bytes_max);
}

FrontierStats Frontier::Stats() const { return state_->Stats(); }

void Frontier::GiveBack(Lease& lease) { state_->GiveBack(lease); }

}  // namespace frontier
