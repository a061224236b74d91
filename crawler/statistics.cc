#include "crawler/statistics.h"

#include <numeric>

namespace crawler {

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

StatisticsSnapshot Statistics::Snapshot() const {
  auto get = [](const Counter& counter) { return counter.load(std::memory_order_relaxed); };
  StatisticsSnapshot snapshot;
  for (std::size_t i = 0; i < kDispositions; ++i) snapshot.dispositions[i] = get(dispositions_[i]);
  for (std::size_t i = 0; i < distances_.size(); ++i) snapshot.distances[i] = get(distances_[i]);
  snapshot.robots_fetched = get(robots_fetched_);
  snapshot.wire_bytes = get(wire_bytes_);
  snapshot.body_bytes = get(body_bytes_);
  snapshot.links_found = get(links_found_);
  snapshot.links_queued = get(links_queued_);
  snapshot.links_not_followed = get(links_not_followed_);
  return snapshot;
}

}  // namespace crawler
