#include "frontier/frontier_state.h"

#include <array>
#include <bit>
#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "frontier/candidate_record.h"
#include "frontier/registered_domain.h"

namespace frontier {
namespace {

// What URL-seen knows of a form, besides that one of it was accepted.
std::uint64_t Claimed(std::uint64_t form) { return std::rotl(form, 1); }
std::uint64_t ClaimOf(std::uint64_t form, std::uint64_t hash) { return std::rotl(form, 2) ^ hash; }
std::uint64_t FreeAgain(std::uint64_t form) { return std::rotl(form, 3); }
std::uint64_t ClaimedAgain(std::uint64_t form) { return std::rotl(form, 4); }

}  // namespace

void Frontier::State::AddSeed(const Url& seed) {
  scope_.AddSeed(seed);
  base::MutexLock lock(mutex_);
  if (store_ != nullptr) changes_.Put(store::Table::kSeeds, seed.text(), {});
  if (first_own_entry_ > 1) seeds_.Insert(seed);
}

void Frontier::State::ScheduleBatch(std::span<const Candidate> batch, ScheduleCounts& counts) {
  std::array<std::uint64_t, kBatch> hashes{};
  std::array<const Candidate*, kBatch> inside{};
  std::size_t size = 0;
  for (const Candidate& candidate : batch) {
    if (candidate.seed) AddSeed(candidate.url);
    const ScopeVerdict verdict = InScope(candidate);
    if (verdict != ScopeVerdict::kIn) {
      ++counts.out_of_scope[static_cast<std::size_t>(verdict)];
      continue;
    }
    hashes[size] = HashOf(candidate);
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

ScopeVerdict Frontier::State::InScope(const Candidate& candidate) const {
  const bool page = candidate.role == CandidateRole::kPage;
  return scope_.Judge(candidate.url, page ? candidate.depth : 0);
}

// A link that an earlier process found may be a seed of this one, however deep it was found.
std::optional<Candidate> Frontier::State::ReadEntry(const Host& host, const Origin& origin,
                                                    std::uint64_t entry,
                                                    std::string_view record) const {
  std::optional<Candidate> candidate = ReadRecord(host.OriginText(origin), record);
  const bool earlier = candidate && entry < first_own_entry_ && !candidate->seed;
  if (earlier && seeds_.ContainsHash(seeds_.Hash(candidate->url))) {
    candidate->seed = true;
    candidate->depth = 0;
  }
  return candidate;
}

std::optional<ScheduleLimit> Frontier::State::LimitOf(const Candidate& candidate, const Host* host,
                                                      bool origin_known) {
  // One a host that is known, and what the limits let in is judged by it.
  if (candidate.role == CandidateRole::kProbe && origin_known) return std::nullopt;
  if (candidate.redirects > options_.redirects_max) return ScheduleLimit::kRedirects;
  if (queued_ - queued_given_up_ >= options_.queued_max) return ScheduleLimit::kQueued;
  if (auto limit = LimitOfDomain(candidate.url.host(), host != nullptr)) return limit;
  if (host == nullptr) {
    if (hosts_.size() >= options_.hosts_max) return ScheduleLimit::kHosts;
    return std::nullopt;
  }
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

std::uint64_t Frontier::State::HashOf(const Candidate& candidate) const {
  const bool sitemap = candidate.role == CandidateRole::kSitemap;
  return seen_.Hash(candidate.url, sitemap ? UrlSeen::As::kSitemap : UrlSeen::As::kPage);
}

void Frontier::State::KeepAccepted(const QueuePlace& place, std::uint64_t entry,
                                   std::uint64_t hash, bool ahead) {
  if (store_ == nullptr) return;
  changes_.Put(store::Table::kQueue, place.Key(entry),
               QueueValue(ahead ? kBackOffOver : 0, scratch_));
  base::AppendBigEndian(hash, new_hashes_);
}

std::optional<std::uint64_t> Frontier::State::FormOf(const Host& host,
                                                     const Candidate& candidate) const {
  if (candidate.role != CandidateRole::kPage || host.traps == nullptr) return std::nullopt;
  if (!host.traps->HasIdle(options_.traps)) return std::nullopt;
  const Url form = host.traps->WithoutIdle(candidate.url, options_.traps);
  if (form == candidate.url) return std::nullopt;
  return seen_.Hash(form, UrlSeen::As::kForm);
}

void Frontier::State::Remember(std::uint64_t hash) {
  if (seen_.InsertHash(hash) && store_ != nullptr) base::AppendBigEndian(hash, new_hashes_);
}

// Not the one that was accepted first: where a parameter became idle meanwhile, others of the form
// wait before it, and would be doubted before there is anything to hold them against.
bool Frontier::State::Claim(std::uint64_t form, std::uint64_t hash) {
  if (seen_.ContainsHash(ClaimOf(form, hash))) return true;
  if (seen_.ContainsHash(Claimed(form))) {
    if (!IsFreeAgain(form)) return false;
    Remember(ClaimedAgain(form));
  }
  for (const std::uint64_t each : {form, Claimed(form), ClaimOf(form, hash)}) Remember(each);
  return true;
}

void Frontier::State::SetFree(const Lease& lease) {
  const std::optional<std::uint64_t> form = FormOf(hosts_[lease.host_], lease.candidate());
  if (!form || !seen_.ContainsHash(ClaimOf(*form, seen_.Hash(lease.url())))) return;
  Remember(FreeAgain(*form));
}

bool Frontier::State::IsFreeAgain(std::uint64_t form) const {
  return seen_.ContainsHash(FreeAgain(form)) && !seen_.ContainsHash(ClaimedAgain(form));
}

// A page that sends everyone on to itself with a parameter is to be had there only.
bool Frontier::State::IsWithinForm(const Host& host, const Candidate& candidate) const {
  return candidate.asked && host.traps->WithoutIdle(*candidate.asked, options_.traps) ==
                                host.traps->WithoutIdle(candidate.url, options_.traps);
}

bool Frontier::State::AcceptAnyway(const Host& host, const Candidate& candidate) {
  if (IsWithinForm(host, candidate)) return true;
  const TrapsChange change(host, trap_bytes_);
  return host.traps->AcceptAnyway(candidate.url) || host.traps->MayWait();
}

void Frontier::State::Admit(const Candidate& candidate, std::uint64_t hash, base::Time now,
                            ScheduleCounts& counts) {
  const Url& url = candidate.url;
  const bool https = url.scheme() == "https";
  auto entry = host_ids_.find(url.host());
  std::uint32_t host_id =
      entry == host_ids_.end() ? static_cast<std::uint32_t>(hosts_.size()) : entry->second;
  Host* host = entry == host_ids_.end() ? nullptr : &hosts_[host_id];
  std::optional<std::uint64_t> form;
  if (host != nullptr) form = FormOf(*host, candidate);
  if (form && seen_.ContainsHash(*form) && !seen_.ContainsHash(hash) && !IsFreeAgain(*form) &&
      !AcceptAnyway(*host, candidate)) {
    ++counts.seen;
    ++counts.left_to_another;
    return;
  }
  std::optional<std::uint32_t> origin_id;
  if (host != nullptr) origin_id = host->FindOrigin(https, url.port());

  if (std::optional<ScheduleLimit> limit = LimitOf(candidate, host, origin_id.has_value())) {
    if (seen_.ContainsHash(hash)) {  // so nothing is left out
      ++counts.seen;
    } else {
      ++counts.over_limit[static_cast<std::size_t>(*limit)];
    }
    return;
  }
  if (!seen_.InsertHash(hash)) {
    ++counts.seen;
    return;
  }
  if (form) Remember(*form);
  // What is asked for as a sitemap need not be asked for as a page.
  if (candidate.role == CandidateRole::kSitemap) Remember(seen_.Hash(url));
  if (host == nullptr) host = &AddHost(url.host());
  if (!origin_id) {
    origin_id = static_cast<std::uint32_t>(host->origins.size());
    host->origins.push_back(Origin{.https = https, .port = url.port()});
  }
  scratch_.clear();
  AppendRecord(candidate, scratch_);
  const QueuePlace place{host_id, *origin_id};
  const std::uint64_t number = next_entry_++;
  // What is learned from a probe holds for what waits already.
  const bool ahead = candidate.role == CandidateRole::kProbe;
  KeepAccepted(place, number, hash, ahead);
  if (ahead) {
    PushProbe(*host, place, number, scratch_);
  } else {
    PushBack(*host, place, number, scratch_);
  }
  ++host->accepted;
  if (!url.query().empty()) {
    const TrapsChange change(*host, trap_bytes_);
    host->Traps().Accepted(url);
  }
  ++domains_.accepted(host->domain);
  ++counts.queued;
  Touch(host_id);
  Replace(host_id, now);
}

}  // namespace frontier
