#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "contentseen/hamming/hamming_bag.h"

namespace contentseen {

/// Fingerprints by the value of one part of them, bits [shift, shift + width): a list for each of
/// the 2^width values. For parts so narrow that every value has several fingerprints.
///
/// Thread safety: to one list one thread appends at a time (the caller sees to it), any number
/// read and never wait. Ownership: owns its lists; what is in them is the arena's. Cost: 8 bytes a
/// value, and those of its list (hamming_bag.h); a lookup reads the lists of every value within
/// `threshold` of the query's.
class HammingCells {
 public:
  /// REQUIRES: 1 <= width <= 26; the arena outlives it.
  HammingCells(unsigned shift, unsigned width, int threshold, const HammingKernels& kernels,
               HammingArena& arena);

  /// Without looking whether it is there; returns its list.
  const HammingBag& Append(std::uint64_t fingerprint);
  /// The value of the part.
  std::uint32_t Value(std::uint64_t fingerprint) const {
    return static_cast<std::uint32_t>(fingerprint >> shift_) & mask_;
  }
  /// The fingerprints that have it.
  const HammingBag& List(std::uint32_t value) const { return cells_[value]; }
  bool Contains(std::uint64_t fingerprint) const {
    return List(Value(fingerprint)).Contains(kernels_, fingerprint);
  }

  /// Whether the part of x is within the threshold of the query's.
  bool Reaches(std::uint64_t query, std::uint64_t x) const {
    return std::popcount(Value(query ^ x)) <= threshold_;
  }
  /// visit(value, list) -> bool for the list of every value within the threshold of the query's;
  /// false as soon as a visit is.
  template <class Visit>
  bool VisitLists(std::uint64_t query, Visit&& visit) const {
    const std::uint32_t value = Value(query);
    // Fetched a few ahead: the lists lie anywhere in memory.
    constexpr std::size_t kAhead = 8;
    const std::size_t count = flips_.size();
    for (std::size_t i = 0; i < count + kAhead; ++i) {
      if (i + kAhead < count) __builtin_prefetch(&cells_[value ^ flips_[i + kAhead]]);
      if (i < count) cells_[value ^ flips_[i]].Prefetch();
      if (i < kAhead / 2 || i - kAhead / 2 >= count) continue;
      const std::uint32_t near = value ^ flips_[i - kAhead / 2];
      if (!visit(near, cells_[near])) return false;
    }
    return true;
  }
  /// visit(fingerprint) -> bool for each in them that is within `k` as a whole.
  template <class Visit>
  bool VisitWithin(std::uint64_t query, unsigned k, Visit&& visit) const {
    return VisitLists(query, [&](std::uint32_t, const HammingBag& list) {
      return list.VisitWithin(kernels_, query, k, visit);
    });
  }

  /// visit(fingerprint) for each.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    for (const HammingBag& cell : cells_) cell.ForEach(visit);
  }

  /// Beside what the arena has; always the same.
  std::uint64_t bytes() const {
    return sizeof(*this) + cells_.size() * sizeof(HammingBag) +
           flips_.capacity() * sizeof(std::uint32_t);
  }

 private:
  // Constant after construction.
  const unsigned shift_;
  const int threshold_;
  const std::uint32_t mask_;
  const HammingKernels& kernels_;
  // Every error pattern of the part with at most threshold bits, the fewest first.
  std::vector<std::uint32_t> flips_;

  HammingArena& arena_;
  std::vector<HammingBag> cells_;
};

}  // namespace contentseen
