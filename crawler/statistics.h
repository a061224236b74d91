#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "contentseen/options.h"
#include "crawler/disposition.h"

namespace crawler {

/// What a crawl has done so far, at one moment.
struct StatisticsSnapshot {
  /// Leases of pages ended, by how. Their sum is the number of pages taken from the frontier
  /// less those still held.
  DispositionCounts dispositions{};
  std::uint64_t robots_fetched = 0;
  std::uint64_t wire_bytes = 0;
  std::uint64_t body_bytes = 0;
  std::uint64_t links_found = 0;
  std::uint64_t links_queued = 0;
  /// Links on duplicates, not followed.
  std::uint64_t links_not_followed = 0;
  /// Near verdicts by Hamming distance.
  std::array<std::uint64_t, contentseen::kDistanceMax + 1> distances{};

  std::uint64_t Of(Disposition disposition) const {
    return dispositions[static_cast<std::size_t>(disposition)];
  }
  std::uint64_t InGroup(DispositionGroup group) const;
  /// Sum over all dispositions.
  std::uint64_t Ended() const;
  /// Pages that came to an end that stays: all but those put back.
  std::uint64_t Pages() const { return Ended() - InGroup(DispositionGroup::kPutBack); }
};

/// Counters of a running crawl.
///
/// Thread safety: all methods; each counter is exact, a snapshot may be torn between counters.
class Statistics {
 public:
  void Ended(Disposition disposition) {
    Add(dispositions_[static_cast<std::size_t>(disposition)]);
  }
  void RobotsFetched() { Add(robots_fetched_); }
  void Received(std::uint64_t wire_bytes, std::uint64_t body_bytes) {
    Add(wire_bytes_, wire_bytes);
    Add(body_bytes_, body_bytes);
  }
  void LinksFollowed(std::uint64_t found, std::uint64_t queued) {
    Add(links_found_, found);
    Add(links_queued_, queued);
  }
  void LinksNotFollowed(std::uint64_t count) { Add(links_not_followed_, count); }
  /// REQUIRES: 0 <= distance <= contentseen::kDistanceMax.
  void NearAt(int distance) { Add(distances_[static_cast<std::size_t>(distance)]); }

  StatisticsSnapshot Snapshot() const;

 private:
  // Relaxed throughout: counters order nothing, they are only read for showing.
  using Counter = std::atomic<std::uint64_t>;
  static void Add(Counter& counter, std::uint64_t by = 1) {
    counter.fetch_add(by, std::memory_order_relaxed);
  }

  std::array<Counter, kDispositions> dispositions_{};
  Counter robots_fetched_{0};
  Counter wire_bytes_{0};
  Counter body_bytes_{0};
  Counter links_found_{0};
  Counter links_queued_{0};
  Counter links_not_followed_{0};
  std::array<Counter, contentseen::kDistanceMax + 1> distances_{};
};

}  // namespace crawler
