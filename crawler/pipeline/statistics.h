#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "contentseen/fingerprint.h"
#include "crawler/page/disposition.h"
#include "crawler/page/limit_hits.h"
#include "crawler/pipeline/busiest_hosts.h"

namespace crawler {

/// Upper ends of a latency histogram's buckets; a last one holds what took longer.
inline constexpr std::array<std::chrono::microseconds, 17> kLatencyBounds = {{
    std::chrono::microseconds(20),
    std::chrono::microseconds(50),
    std::chrono::microseconds(100),
    std::chrono::microseconds(250),
    std::chrono::microseconds(500),
    std::chrono::milliseconds(1),
    std::chrono::microseconds(2'500),
    std::chrono::milliseconds(5),
    std::chrono::milliseconds(10),
    std::chrono::milliseconds(25),
    std::chrono::milliseconds(50),
    std::chrono::milliseconds(100),
    std::chrono::milliseconds(250),
    std::chrono::milliseconds(500),
    std::chrono::milliseconds(1'000),
    std::chrono::milliseconds(5'000),
    std::chrono::milliseconds(20'000),
}};

/// Durations counted by size, at one moment.
struct LatencyCounts {
  /// Not summed up: a duration stands in one of them.
  std::array<std::uint64_t, kLatencyBounds.size() + 1> buckets{};
  std::uint64_t total_us = 0;

  std::uint64_t Count() const;
};

/// Counts durations by size.
///
/// Thread safety: all methods. Cost: two atomic additions.
class LatencyHistogram {
 public:
  void Add(std::chrono::microseconds duration);
  LatencyCounts Counts() const;

 private:
  // Relaxed: counters order nothing, they are only read for showing.
  std::array<std::atomic<std::uint64_t>, kLatencyBounds.size() + 1> buckets_{};
  std::atomic<std::uint64_t> total_us_{0};
};

/// How long the parts of a page's way took; nothing for those it did not go.
struct PageTimes {
  std::optional<std::chrono::microseconds> fetch = std::nullopt;
  std::optional<std::chrono::microseconds> parse = std::nullopt;
  std::optional<std::chrono::microseconds> check = std::nullopt;
};

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
  LimitHits limits;
  /// Near verdicts by Hamming distance.
  std::array<std::uint64_t, contentseen::kFingerprintBits + 1> distances{};
  LatencyCounts fetch;
  LatencyCounts parse;
  LatencyCounts check;

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
  void Ended(Disposition disposition, std::string_view host = {}, const PageTimes& times = {});
  void RobotsFetched() { Add(robots_fetched_); }
  void Received(std::uint64_t wire_bytes, std::uint64_t body_bytes) {
    Add(wire_bytes_, wire_bytes);
    Add(body_bytes_, body_bytes);
  }
  /// Of a page that is stored.
  void LinksStored(std::uint64_t found, std::uint64_t queued) {
    Add(links_found_, found);
    Add(links_queued_, queued);
  }
  /// What the frontier left out of what was scheduled.
  void LeftOut(const frontier::ScheduleCounts& counts);
  void Hit(Limit limit, std::uint64_t times = 1) {
    if (times > 0) Add(limits_[static_cast<std::size_t>(limit)], times);
  }
  void LinksNotFollowed(std::uint64_t count) { Add(links_not_followed_, count); }
  /// REQUIRES: 0 <= distance <= contentseen::kFingerprintBits.
  void NearAt(int distance) { Add(distances_[static_cast<std::size_t>(distance)]); }

  StatisticsSnapshot Snapshot() const;
  /// Counts on from there; latencies and hosts are of this process alone. REQUIRES: nothing was
  /// counted yet.
  void Restore(const StatisticsSnapshot& before);
  std::vector<BusiestHosts::Host> Busiest(std::size_t count) const { return hosts_.Top(count); }

 private:
  // Relaxed throughout: counters order nothing, they are only read for showing.
  using Counter = std::atomic<std::uint64_t>;
  static void Add(Counter& counter, std::uint64_t by = 1) {
    counter.fetch_add(by, std::memory_order_relaxed);
  }

  template <std::size_t n>
  static void AddAll(const std::array<std::uint64_t, n>& counts,
                     std::array<Counter, n>& counters) {
    for (std::size_t i = 0; i < n; ++i) {
      if (counts[i] > 0) Add(counters[i], counts[i]);
    }
  }

  std::array<Counter, kDispositions> dispositions_{};
  Counter robots_fetched_{0};
  Counter wire_bytes_{0};
  Counter body_bytes_{0};
  Counter links_found_{0};
  Counter links_queued_{0};
  Counter links_not_followed_{0};
  std::array<Counter, frontier::kScopeVerdicts> out_of_scope_{};
  std::array<Counter, frontier::kScheduleLimits> over_limit_{};
  std::array<Counter, kLimits> limits_{};
  std::array<Counter, contentseen::kFingerprintBits + 1> distances_{};
  LatencyHistogram fetch_;
  LatencyHistogram parse_;
  LatencyHistogram check_;
  BusiestHosts hosts_{1'000};
};

}  // namespace crawler
