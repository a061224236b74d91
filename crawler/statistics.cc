#include "crawler/statistics.h"

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
  hosts_.Add(host, GroupOf(disposition) == DispositionGroup::kSkipped);
}

void Statistics::Restore(const StatisticsSnapshot& before) {
  for (std::size_t i = 0; i < kDispositions; ++i) Add(dispositions_[i], before.dispositions[i]);
  for (std::size_t i = 0; i < distances_.size(); ++i) Add(distances_[i], before.distances[i]);
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
  for (std::size_t i = 0; i < kDispositions; ++i) snapshot.dispositions[i] = get(dispositions_[i]);
  for (std::size_t i = 0; i < distances_.size(); ++i) snapshot.distances[i] = get(distances_[i]);
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
