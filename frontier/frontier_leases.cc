#include "frontier/frontier_state.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <variant>

#include "frontier/candidate_record.h"

namespace frontier {
namespace {

// How old a robots.txt may be for the first page after it, at least: see Origin::first_page_until.
constexpr std::chrono::hours kFirstPageWithin{24};

bool ToBeAsked(Lease::Kind kind) {
  return kind == Lease::Kind::kPage || kind == Lease::Kind::kRobots;
}

}  // namespace

Acquired Frontier::State::Acquire(Frontier* owner) {
  base::MutexLock lock(mutex_);
  const base::Time now = clock_.Now();
  const bool spent = pages_ >= options_.pages_max;
  if (!spent && !PassOverRestored(now)) {
    waiter_ = true;
    return WaitUntil{now};
  }
  ReturnDueRetries(now);
  if (!spent && !lost_hops_.empty()) return LeaseLostHop(owner, now);
  std::size_t passed_over = 0;
  if (!spent && Opens(now) <= now) {
    while (auto host = TakeHost(now)) {
      if (auto lease = LeaseFrom(owner, *host, now)) return std::move(*lease);
      if (++passed_over < kBatch) continue;
      waiter_ = true;
      return WaitUntil{now};
    }
  }
  waiter_ = true;
  if (leased_ == 0 && (spent || queued_ == queued_given_up_)) return Finished{};
  const std::optional<base::Time> next = NextTime();
  if (spent || !next) return WaitForChange{};
  return WaitUntil{std::max(*next, Opens(now))};
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
  const std::uint32_t origin_id = host.TakeTurn(now);
  if (origin_id == host.origins.size()) return LeaseHop(owner, host_id, now);
  Origin& origin = host.origins[origin_id];
  const QueuePlace place{host_id, origin_id};
  const OriginQueue::Entry entry = origin.waiting.Front();
  std::optional<Candidate> page = ReadEntry(host, origin, entry.number, entry.record);
  if (!page) {
    Damaged(host.OriginText(origin), entry.number);
  } else if (OutOfScope(origin, entry.number, *page)) {  // nothing is asked for its sake
    ++set_aside_;
    page.reset();
  }
  if (!page) {  // it stays in the store
    Pop(host, place);
    Replace(host_id, now);
    return std::nullopt;
  }
  Lease::Kind kind = Lease::Kind::kRobots;
  if (!origin.NeedsRobots(now)) kind = KindNow(host, *page);
  ++host.leased;
  ++leased_;
  if (ToBeAsked(kind)) TakeRequest(host, now);
  if (kind == Lease::Kind::kRobots) {
    origin.robots = Origin::Robots::kLeased;
    Replace(host_id, now);
    Candidate robots{.url = Url::FromCanonical(host.OriginText(origin) + "/robots.txt"),
                     .attempt = origin.robots_failures};
    return Lease(owner, kind, std::move(robots), host_id, origin_id, host.address, 0, now);
  }
  origin.PageLeased(now);
  Pop(host, place);
  ++pages_;
  ++pages_out_;
  Replace(host_id, now);
  return Lease(owner, kind, std::move(*page), host_id, origin_id, host.address, entry.number, now);
}

Lease Frontier::State::LeaseHop(Frontier* owner, std::uint32_t host_id, base::Time now) {
  Host& host = hosts_[host_id];
  const auto waiting = hops_.find(host_id);
  const RobotsHop hop = std::move(waiting->second.front());
  waiting->second.pop_front();
  if (--host.hops == 0) hops_.erase(waiting);
  ++host.leased;
  ++leased_;
  TakeRequest(host, now);
  Replace(host_id, now);
  Lease lease(owner, Lease::Kind::kRobots, CandidateOf(hop), host_id, hop.origin, host.address, 0,
              now);
  lease.asker_ = hop.asker;
  return lease;
}

Lease Frontier::State::LeaseLostHop(Frontier* owner, base::Time now) {
  const RobotsHop hop = std::move(lost_hops_.front());
  lost_hops_.pop_front();
  ++hosts_[hop.asker].leased;
  ++leased_;
  Replace(hop.asker, now);
  return Lease(owner, Lease::Kind::kRobotsLost, CandidateOf(hop), hop.asker, hop.origin,
               HostGroups::kNone, 0, now);
}

Candidate Frontier::State::CandidateOf(const RobotsHop& hop) const {
  const Host& asker = hosts_[hop.asker];
  const Origin& origin = asker.origins[hop.origin];
  return {.url = hop.url,
          .asked = Url::FromCanonical(asker.OriginText(origin) + "/robots.txt"),
          .redirects = hop.redirects,
          .attempt = origin.robots_failures};
}

void Frontier::State::AddHop(const Lease& lease, const Url& url, base::Time now) {
  RobotsHop hop{lease.asker_, lease.origin_, lease.candidate_.redirects + 1, url};
  const std::uint32_t host_id = HostOfHop(hop.asker, url);
  Host& host = hosts_[host_id];
  if (host.Dead(options_)) return lost_hops_.push_back(std::move(hop));
  hops_[host_id].push_back(std::move(hop));
  ++host.hops;
  Replace(host_id, now);
}

std::uint32_t Frontier::State::HostOfHop(std::uint32_t asker, const Url& url) {
  if (const auto known = host_ids_.find(url.host()); known != host_ids_.end()) {
    return known->second;
  }
  if (hosts_.size() >= options_.hosts_max || LimitOfDomain(url.host(), false)) return asker;
  const auto id = static_cast<std::uint32_t>(hosts_.size());
  AddHost(url.host());
  Touch(id);
  return id;
}

// The first page waits a delay after its robots.txt, wherever that stands.
void Frontier::State::EndHop(std::uint32_t asker, const Ending& ending, base::Time now) {
  Host& host = hosts_[asker];
  const base::Duration delay = host.Delay(options_, base::Duration(0));
  if (ending.requested) host.rest_until = std::max(host.rest_until, now + delay);
  FreeGivenUp(host);
  Touch(asker);
  Replace(asker, now);
}

void Frontier::State::LoseHops(std::uint32_t host_id) {
  const auto waiting = hops_.find(host_id);
  if (waiting == hops_.end()) return;
  std::ranges::move(waiting->second, std::back_inserter(lost_hops_));
  hops_.erase(waiting);
  hosts_[host_id].hops = 0;
}

// What this process accepted was judged by the same scope; and what was found to be in it may be
// looked at again after the robots.txt that it needs.
bool Frontier::State::OutOfScope(Origin& origin, std::uint64_t entry, const Candidate& page) {
  if (entry >= first_own_entry_ || entry == origin.entry_in_scope) return false;
  if (InScope(page) != ScopeVerdict::kIn) return true;
  origin.entry_in_scope = entry;
  return false;
}

// Or a crawl would wait for a host of which it asks nothing, as long as that host rests.
bool Frontier::State::PassOverRestored(base::Time now) {
  for (std::size_t judged = 0; judged < kBatch; ++judged) {
    if (!restored_retries_.empty()) {
      PassOverOrWait(restored_retries_.top());
      restored_retries_.pop();
    } else if (!restored_origins_.empty()) {
      if (!PassOverFront(restored_origins_.back(), now)) restored_origins_.pop_back();
    } else {
      restored_origins_.shrink_to_fit();
      return true;
    }
  }
  return false;
}

bool Frontier::State::PassOverFront(const QueuePlace& place, base::Time now) {
  Host& host = hosts_[place.host];
  Origin& origin = host.origins[place.origin];
  if (origin.waiting.empty()) return false;
  const OriginQueue::Entry entry = origin.waiting.Front();
  const std::optional<Candidate> page = ReadEntry(host, origin, entry.number, entry.record);
  if (!page || !OutOfScope(origin, entry.number, *page)) return false;
  ++set_aside_;
  Pop(host, place);
  Replace(place.host, now);
  return true;
}

void Frontier::State::PassOverOrWait(const Retry& retry) {
  Host& host = hosts_[retry.host];
  Origin& origin = host.origins[retry.origin];
  const std::optional<Candidate> page = ReadEntry(host, origin, retry.entry, retry.record);
  if (!page || !OutOfScope(origin, retry.entry, *page)) return retries_.push(retry);
  ++set_aside_;
  queue_bytes_ -= sizeof(Retry) + retry.record.size();
  CountOut(host, origin);
}

// What was learned since a URL was accepted holds for it, too.
Lease::Kind Frontier::State::KindNow(const Host& host, const Candidate& page) {
  if (host.traps == nullptr) return Lease::Kind::kPage;
  if (host.traps->Closed(page.url, options_.traps)) return Lease::Kind::kTrapped;
  const std::optional<std::uint64_t> form = FormOf(host, page);
  const bool asked_for = !form || Claim(*form, seen_.Hash(page.url)) || RequestAnyway(host, page);
  return asked_for ? Lease::Kind::kPage : Lease::Kind::kTrapped;
}

bool Frontier::State::RequestAnyway(const Host& host, const Candidate& candidate) {
  if (IsWithinForm(host, candidate)) return true;
  const TrapsChange change(host, trap_bytes_);
  return host.traps->RequestAnyway(candidate.url);
}

void Frontier::State::TakeRequest(const Host& host, base::Time now) {
  rate_.Take(now);
  outage_.Asked(now);
  domains_.Lease(host.domain, now + DomainsShare(options_.delay));
  addresses_.Lease(host.address, now + AddressesShare(options_.delay));
}

// A page that robots.txt denies, say: as if there had been no lease of it.
void Frontier::State::GiveBackRequest(const Host& host, const Lease& lease) {
  rate_.GiveBack();
  domains_.GiveBack(host.domain, lease.began_, DomainsShare(options_.delay));
  addresses_.GiveBack(lease.address_, lease.began_, AddressesShare(options_.delay));
}

// Where the host that was named found no room, what it answers says nothing of the one that bore
// the request in its place.
Ending Frontier::State::OfItsHost(const Lease& lease, const Ending& ending) const {
  if (lease.url().host() == *hosts_[lease.host_].name) return ending;
  return {.requested = ending.requested, .response_time = ending.response_time};
}

bool Frontier::State::IsOfOutage(const Lease& lease, const Ending& ending, base::Time now) {
  if (!ending.requested) return false;
  if (ending.host != HostState::kSilent) {
    outage_.Answered(lease.began_);
    return false;
  }
  const Host& host = hosts_[lease.host_];
  const bool asked = lease.url().host() == *host.name;
  if (asked && host.failures == 0 && host.address != HostGroups::kNone) {
    outage_.Silent(host.address, now);
  }
  return outage_.On(now);
}

void Frontier::State::EndLease(const Lease& lease, const Ending& ending, bool of_outage,
                               base::Time now) {
  Host& host = hosts_[lease.host_];
  --host.leased;
  --leased_;
  if (ToBeAsked(lease.kind_)) RestHost(host, lease, ending, of_outage, now);
  if (!lease.IsOfRobots()) --pages_out_;
  if (host.Dead(options_)) LoseHops(lease.host_);
  FreeGivenUp(host);
  Touch(lease.host_);
  Replace(lease.host_, now);
}

void Frontier::State::Learn(const Lease& lease, const PageContent& content) {
  Host& host = hosts_[lease.host_];
  const bool worth_it =
      content.kind == PageContent::Kind::kDuplicate || !lease.url().query().empty();
  if (host.traps == nullptr && !worth_it) return;
  const TrapsChange change(host, trap_bytes_);
  if (host.Traps().Ended(lease.url(), content, options_.traps)) ++patterns_closed_;
}

void Frontier::State::Learn(Host& host, Origin& origin, const OriginPolicy& policy, bool of_outage,
                            base::Time now) {
  if (std::holds_alternative<RobotsGivenUp>(policy)) return GiveUpRobots(host, origin);
  if (const auto* unreachable = std::get_if<RobotsUnreachable>(&policy)) {
    origin.robots = Origin::Robots::kUnreachable;
    if (!of_outage) ++origin.robots_failures;
    origin.robots_until = now + std::min(unreachable->retry_in, options_.robots_valid_max);
    return;
  }
  base::Duration valid_for{0};
  if (const auto* known = std::get_if<RobotsKnown>(&policy)) {
    origin.crawl_delay = known->crawl_delay.value_or(base::Duration(0));
    origin.robots_last = known->lasts;
    valid_for = known->valid_for;
  } else {
    valid_for = std::get<RobotsKept>(policy).retry_in;
  }
  origin.robots = Origin::Robots::kKnown;
  origin.robots_failures = 0;
  valid_for = std::min(valid_for, options_.robots_valid_max);
  origin.robots_until = now + valid_for;
  origin.first_page_until = now + std::max<base::Duration>(10 * valid_for, kFirstPageWithin);
}

void Frontier::State::RestHost(Host& host, const Lease& lease, const Ending& ending,
                               bool of_outage, base::Time now) {
  if (ending.requested) {
    if (!of_outage) SetFailures(host, ending.host == HostState::kWell ? 0 : host.failures + 1);
    const base::Duration delay = host.Delay(options_, ending.response_time);
    host.rest_until = std::max(host.rest_until, now + delay);
    domains_.End(host.domain, now + DomainsShare(delay));
    addresses_.End(lease.address_, now + AddressesShare(delay));
  } else {
    GiveBackRequest(host, lease);
  }
  const base::Duration asked = std::min(ending.park, options_.park_max);
  const base::Duration back_off =
      of_outage ? base::Duration(0) : Jittered(host.BackOff(options_, ending.host));
  const base::Duration park = asked > base::Duration(0) ? asked : back_off;
  if (park > base::Duration(0)) host.rest_until = std::max(host.rest_until, now + park);
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
    const bool is_page = ending.content.kind != PageContent::Kind::kUnknown;
    if (!is_page && !ending.retry) SetFree(lease);
    Learn(lease, ending.content);
    const bool of_outage = IsOfOutage(lease, ending, now);
    if (ending.retry || !ending.requested) --pages_;
    if (ending.retry) {
      AddRetry(lease, of_outage, now);
    } else if (store_ != nullptr) {
      changes_.Delete(store::Table::kQueue,
                      QueuePlace{lease.host_, lease.origin_}.Key(lease.entry_));
    }
    EndLease(lease, ending, of_outage, now);
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
    const Ending of_host = OfItsHost(lease, ending);
    const bool of_outage = IsOfOutage(lease, ending, now);
    const auto* elsewhere = std::get_if<RobotsElsewhere>(&policy);
    if (elsewhere == nullptr) {
      Host& asker = hosts_[lease.asker_];
      Learn(asker, asker.origins[lease.origin_], policy, of_outage, now);
      if (lease.asker_ != lease.host_) EndHop(lease.asker_, ending, now);
    }
    EndLease(lease, of_host, of_outage, now);
    if (elsewhere != nullptr) AddHop(lease, elsewhere->url, now);
    wake = TakeWake();
  }
  Call(wake);
}

void Frontier::State::GiveBack(const Lease& lease) {
  Wake wake;
  {
    base::MutexLock lock(mutex_);
    Host& host = hosts_[lease.asker_];
    Origin& origin = host.origins[lease.origin_];
    const base::Time now = clock_.Now();
    if (lease.IsOfRobots()) {
      origin.robots = Origin::Robots::kUnknown;
      Replace(lease.asker_, now);
    } else {
      scratch_.clear();
      AppendRecord(lease.candidate_, scratch_);
      PushFront(host, {lease.host_, lease.origin_}, lease.entry_, scratch_);
      --pages_;
    }
    EndLease(lease, Ending{.requested = false}, false, now);
    wake = TakeWake();
  }
  Call(wake);
}

}  // namespace frontier
