#include "crawler/pipeline/statistics.h"

#include <algorithm>
#include <numeric>

namespace crawler {

std::uint64_t LatencyCounts::Count() const {
  return std::accumulate(buckets.begin(), buckets.end(), std::uint64_t{0});
}

void LatencyHistogram::Add(std::chrono::microseconds duration) {
  duration = std::max(duration, std::chrono::microseconds(0));
  const auto bound = std::lower_bound(kLatencyBounds.begin(), kLatencyBounds.end(), duration);
  buckets_[static_cast<std::size_t>(bound - kLatencyBounds.begin())].fetch_add(
      1, std::memory_order_relaxed);
  total_us_.fetch_add(static_cast<std::uint64_t>(duration.count()), std::memory_order_relaxed);
}

LatencyCounts LatencyHistogram::Counts() const {
  LatencyCounts counts;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    counts.buckets[i] = buckets_[i].load(std::memory_order_relaxed);
  }
  counts.total_us = total_us_.load(std::memory_order_relaxed);
  return counts;
}

std::uint64_t StatisticsSnapshot::Ended() const {
  return std::accumulate(dispositions.begin(), dispositions.end(), std::uint64_t{0});
}

std::uint64_t StatisticsSnapshot::InGroup(DispositionGroup group) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kDispositions; ++i) {
    if (GroupOf(static_cast<Disposition>(i)) == group) sum += dispositions[i];
  }
  return sum;
}

void Statistics::Ended(Disposition disposition, std::string_view host, const PageTimes& times) {
  Add(dispositions_[static_cast<std::size_t>(disposition)]);
  if (times.fetch) fetch_.Add(*times.fetch);
  if (times.parse) parse_.Add(*times.parse);
  if (times.check) check_.Add(*times.check);
  if (host.empty() || GroupOf(disposition) == DispositionGroup::kPutBack) return;
  hosts_.Add(host, GroupOf(disposition) == DispositionGroup::kSkipped,
             disposition == Disposition::kNear);
}

void Statistics::LeftOut(const frontier::ScheduleCounts& counts) {
  AddAll(counts.out_of_scope, out_of_scope_);
  AddAll(counts.over_limit, over_limit_);
}

void Statistics::Restore(const StatisticsSnapshot& before) {
  AddAll(before.dispositions, dispositions_);
  AddAll(before.distances, distances_);
  AddAll(before.limits.out_of_scope, out_of_scope_);
  AddAll(before.limits.over_limit, over_limit_);
  AddAll(before.limits.own, limits_);
  Add(robots_fetched_, before.robots_fetched);
  Add(wire_bytes_, before.wire_bytes);
  Add(body_bytes_, before.body_bytes);
  Add(links_found_, before.links_found);
  Add(links_queued_, before.links_queued);
  Add(links_not_followed_, before.links_not_followed);
}

StatisticsSnapshot Statistics::Snapshot() const {
  auto get = [](const Counter& counter) { return counter.load(std::memory_order_relaxed); };
  StatisticsSnapshot snapshot;
  auto get_all = [&get](const auto& counters, auto& counts) {
    std::transform(counters.begin(), counters.end(), counts.begin(), get);
  };
  get_all(dispositions_, snapshot.dispositions);
  get_all(distances_, snapshot.distances);
  get_all(out_of_scope_, snapshot.limits.out_of_scope);
  get_all(over_limit_, snapshot.limits.over_limit);
  get_all(limits_, snapshot.limits.own);
  snapshot.fetch = fetch_.Counts();
  snapshot.parse = parse_.Counts();
  snapshot.check = check_.Counts();
  snapshot.robots_fetched = get(robots_fetched_);
  snapshot.wire_bytes = get(wire_bytes_);
  snapshot.body_bytes = get(body_bytes_);
  snapshot.links_found = get(links_found_);
  snapshot.links_queued = get(links_queued_);
  snapshot.links_not_followed = get(links_not_followed_);
  return snapshot;
}

}  // namespace crawler
