#include "frontier/frontier.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "frontier/frontier_state.h"

namespace frontier {
namespace {

// Memory of a host with its name, an origin, the first URL that waits there and its places in
// groups, estimated from their sizes.
constexpr std::uint64_t kHostBytes = 850;

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

Frontier::State::State(const FrontierOptions& options, Scope& scope, const base::Clock& clock,
                       const store::Store* store)
    : options_(options),
      scope_(scope),
      clock_(clock),
      store_(store),
      seen_(options.hash_key),
      seeds_(options.hash_key),
      host_ids_(0, KeyedHash(options.hash_key)),
      domains_(options.hosts_at_once_per_domain * options.connections_per_host, options.hash_key),
      addresses_(options.hosts_at_once_per_address * options.connections_per_host,
                 options.hash_key),
      rate_(options.requests_per_second_max),
      jitter_(static_cast<std::uint32_t>(options.hash_key ^ (options.hash_key >> 32))),
      queue_bytes_max_(options.queue_bytes_max) {
  CheckOptions(options);
}

FrontierStats Frontier::State::Stats() const {
  base::MutexLock lock(mutex_);
  return StatsNow();
}

FrontierStats Frontier::State::StatsNow() const {
  FrontierStats stats{.seen = seen_.size(), .seen_bytes = seen_.bytes() + seeds_.bytes()};
  stats.queued = queued_ + set_aside_;
  stats.queued_given_up = queued_given_up_;
  stats.queued_out_of_scope = set_aside_;
  stats.hosts = hosts_.size();
  stats.hosts_waiting = hosts_waiting_;
  stats.hosts_dead = hosts_dead_;
  stats.patterns_closed = patterns_closed_;
  stats.leased = leased_;
  stats.pages_out = pages_out_;
  stats.pages = pages_;
  if (pages_ - pages_out_ >= options_.pages_max) stats.pages_max_reached = options_.pages_max;
  stats.queue_bytes = queue_bytes_;
  stats.host_bytes = hosts_.size() * kHostBytes + trap_bytes_;
  const base::Time now = clock_.Now();
  if (const auto next = NextTime()) {
    stats.next_in = std::max(std::max(*next, Opens(now)) - now, base::Duration(0));
  }
  stats.outage = outage_.Lasting(now);
  return stats;
}

std::string_view Name(ScheduleLimit limit) {
  static constexpr std::array<std::string_view, kScheduleLimits> kNames = {
      "redirects",        "pages-per-host",   "hosts",
      "origins-per-host", "queue-full",       "hosts-per-domain",
      "pages-per-domain", "queries-per-path", "closed-pattern"};
  return kNames[static_cast<std::size_t>(limit)];
}

std::uint64_t ScheduleCounts::total() const {
  std::uint64_t sum = queued + seen;
  sum = std::accumulate(out_of_scope.begin(), out_of_scope.end(), sum);
  return std::accumulate(over_limit.begin(), over_limit.end(), sum);
}

ScheduleCounts& ScheduleCounts::operator+=(const ScheduleCounts& other) {
  left_to_another += other.left_to_another;
  queued += other.queued;
  seen += other.seen;
  for (std::size_t i = 0; i < out_of_scope.size(); ++i) out_of_scope[i] += other.out_of_scope[i];
  for (std::size_t i = 0; i < over_limit.size(); ++i) over_limit[i] += other.over_limit[i];
  return *this;
}

Lease::Lease(Frontier* frontier, Kind kind, Candidate candidate, std::uint32_t host,
             std::uint32_t origin, std::uint32_t address, std::uint64_t entry, base::Time began)
    : frontier_(frontier),
      candidate_(std::move(candidate)),
      entry_(entry),
      began_(began),
      host_(host),
      asker_(host),
      origin_(origin),
      address_(address),
      kind_(kind) {}

Lease::Lease(Lease&& other) noexcept
    : frontier_(std::exchange(other.frontier_, nullptr)),
      candidate_(std::move(other.candidate_)),
      entry_(other.entry_),
      began_(other.began_),
      host_(other.host_),
      asker_(other.asker_),
      origin_(other.origin_),
      address_(other.address_),
      kind_(other.kind_) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    GiveBack();
    frontier_ = std::exchange(other.frontier_, nullptr);
    candidate_ = std::move(other.candidate_);
    entry_ = other.entry_;
    began_ = other.began_;
    host_ = other.host_;
    asker_ = other.asker_;
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
    std::size_t size = std::min(State::kBatch, candidates.size());
    state_->ScheduleBatch(candidates.first(size), counts);
    candidates = candidates.subspan(size);
  }
  return counts;
}

Acquired Frontier::Acquire() { return state_->Acquire(this); }

void Frontier::End(Lease lease, const Ending& ending) {
  CHECK(lease.frontier_ == this && !lease.IsOfRobots());
  state_->EndPage(lease, ending);
  lease.frontier_ = nullptr;
}

void Frontier::EndRobots(Lease lease, const Ending& ending, const OriginPolicy& policy) {
  CHECK(lease.frontier_ == this && lease.IsOfRobots());
  state_->EndRobots(lease, ending, policy);
  lease.frontier_ = nullptr;
}

base::Status Frontier::Restore() { return state_->Restore(); }

FrontierStats Frontier::Save(store::Batch& batch) { return state_->Save(batch); }

void Frontier::Saved() { state_->Saved(); }

std::size_t Frontier::unsaved_bytes() const { return state_->unsaved_bytes(); }

base::Status Frontier::status() const { return state_->status(); }

void Frontier::SetQueueBytesMax(std::uint64_t queue_bytes_max) {
  state_->SetQueueBytesMax(queue_bytes_max);
}

bool Frontier::InOutage() const { return state_->InOutage(); }

FrontierStats Frontier::Stats() const { return state_->Stats(); }

void Frontier::GiveBack(Lease& lease) { state_->GiveBack(lease); }

}  // namespace frontier
