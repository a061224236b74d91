#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "contentseen/hamming/hamming_table.h"

namespace contentseen {
namespace {

// From so many on a batch is ordered by line.
constexpr std::size_t kOrderedMin = std::size_t{1} << 20;
// Ordered at a time.
constexpr std::size_t kOrderedMax = std::size_t{1} << 25;
// 4,096 lines are filled at a time: with their overflow they fit in the second-level cache.
constexpr unsigned kPartShift = 12;
// More parts would be slower to write to than larger ones to fill.
constexpr std::uint64_t kPartsMax = 4096;

}  // namespace

std::uint64_t HammingTable::InsertBatch(std::span<const std::uint64_t> fingerprints) {
  if (fingerprints.size() < kOrderedMin) return InsertPipelined(fingerprints);
  MakeRoom(fingerprints.size());
  const HammingGeometry geometry = HammingGeometry::Unpack(state_.load(std::memory_order_acquire));
  unsigned shift = kPartShift;
  while (geometry.lines() >> shift >= kPartsMax) ++shift;
  const std::size_t parts = (geometry.lines() >> shift) + 1;
  std::vector<std::uint16_t> part_of(std::min(fingerprints.size(), kOrderedMax));
  std::vector<std::uint64_t> ordered(part_of.size());
  std::uint64_t inserted = 0;
  while (!fingerprints.empty()) {
    const auto some = fingerprints.first(std::min(fingerprints.size(), kOrderedMax));
    fingerprints = fingerprints.subspan(some.size());
    // A counting sort. Should the table grow meanwhile, the order is only less useful.
    std::vector<std::size_t> end(parts + 1);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const std::uint32_t home = geometry.LineOf(ItemOf(some[i]).mixed);
      part_of[i] = static_cast<std::uint16_t>(home >> shift);
      ++end[part_of[i] + 1];
    }
    for (std::size_t part = 0; part < parts; ++part) end[part + 1] += end[part];
    for (std::size_t i = 0; i < some.size(); ++i) ordered[end[part_of[i]]++] = some[i];
    // Threads with batches of their own begin in different places.
    const std::size_t first = some[0] % parts;
    for (std::size_t n = 0; n < parts; ++n) {
      const std::size_t part = (first + n) % parts;
      const std::size_t begin = part == 0 ? 0 : end[part - 1];
      inserted += InsertPipelined(std::span(ordered).subspan(begin, end[part] - begin));
      expected_.fetch_sub(static_cast<std::int64_t>(end[part] - begin), std::memory_order_relaxed);
    }
  }
  return inserted;
}

// Grows until `more` fit beside what is there and what other batches have announced: inserted in
// the order of lines they would otherwise overfill the first before the table has grown.
void HammingTable::MakeRoom(std::uint64_t more) {
  expected_.fetch_add(static_cast<std::int64_t>(more), std::memory_order_relaxed);
  base::MutexLock lock(growth_mutex_);
  while (items_.load(std::memory_order_relaxed) + expected_.load(std::memory_order_relaxed) >
         grow_from_.load(std::memory_order_relaxed)) {
    GrowUnit();
  }
}

// Three stages, each for a group of fingerprints at a time, since a prefetch whose address waits
// to be translated holds up what follows, but not other prefetches.
std::uint64_t HammingTable::InsertPipelined(std::span<const std::uint64_t> fingerprints) {
  constexpr std::size_t kGroup = 8;
  constexpr std::size_t kGroups = 4;
  constexpr std::size_t kApproach = 2;
  const std::size_t n = fingerprints.size();
  std::array<std::array<Insertion, kGroup>, kGroups> ring;
  auto each = [&](std::size_t group, auto call) {
    const std::size_t first = group * kGroup;
    for (std::size_t i = first; i < std::min(first + kGroup, n); ++i) {
      call(fingerprints[i], ring[group % kGroups][i - first]);
    }
  };
  std::uint64_t inserted = 0;
  const std::size_t groups = (n + kGroup - 1) / kGroup;
  for (std::size_t group = 0; group < groups + kGroups - 1; ++group) {
    each(group, [&](std::uint64_t x, Insertion& insertion) { insertion = Begin(x); });
    each(group, [&](std::uint64_t, Insertion& insertion) { PrefetchHome(insertion); });
    if (group >= kApproach) {
      each(group - kApproach, [&](std::uint64_t, Insertion& insertion) { Approach(insertion); });
    }
    if (group < kGroups - 1) continue;
    each(group - (kGroups - 1), [&](std::uint64_t x, Insertion& insertion) {
      inserted += x != 0 && Finish(insertion) ? 1 : 0;
    });
  }
  return inserted;
}

}  // namespace contentseen
