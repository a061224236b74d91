#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/mutex.h"
#include "contentseen/hamming_bag.h"

namespace contentseen {

/// Fingerprints by the value of one part of them, bits [shift, shift + width): a list for each of
/// the 2^width values. For parts so narrow that every value has several fingerprints.
///
/// Thread safety: all methods, at once; readers never wait. Ownership: owns its lists.
/// Cost: 8 bytes a value and 11 a fingerprint; a lookup reads the lists of every value within
/// `threshold` of the query's.
class HammingCells {
 public:
  /// REQUIRES: 1 <= width <= 26.
  HammingCells(unsigned shift, unsigned width, int threshold, const HammingKernels& kernels);

  /// Without looking whether it is there.
  void Append(std::uint64_t fingerprint);
  /// How many fingerprints have the same value of the part.
  std::uint64_t ListSize(std::uint64_t fingerprint) const {
    return cells_[Value(fingerprint)].size();
  }
  bool Contains(std::uint64_t fingerprint) const {
    return cells_[Value(fingerprint)].Contains(kernels_, fingerprint);
  }

  /// visit(fingerprint) -> bool for each whose part is within the threshold and that is within `k`
  /// as a whole; false as soon as a visit is.
  template <class Visit>
  bool VisitWithin(std::uint64_t query, unsigned k, Visit&& visit) const {
    std::uint32_t value = Value(query);
    // Fetched a few ahead: the lists lie anywhere in memory.
    constexpr std::size_t kAhead = 8;
    std::size_t count = flips_.size();
    for (std::size_t i = 0; i < count + kAhead; ++i) {
      if (i + kAhead < count) __builtin_prefetch(&cells_[value ^ flips_[i + kAhead]]);
      if (i < count) cells_[value ^ flips_[i]].Prefetch();
      if (i >= kAhead / 2 && i - kAhead / 2 < count &&
          !cells_[value ^ flips_[i - kAhead / 2]].VisitWithin(kernels_, query, k, visit)) {
        return false;
      }
    }
    return true;
  }

  /// visit(fingerprint) for each.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    for (const HammingBag& cell : cells_) {
      cell.VisitWithin(kernels_, 0, 64, [&](std::uint64_t x) {
        visit(x);
        return true;
      });
    }
  }

  std::uint64_t bytes() const {
    return cells_.size() * sizeof(HammingBag) + bytes_.load(std::memory_order_relaxed);
  }
  unsigned shift() const { return shift_; }
  unsigned width() const { return width_; }
  int threshold() const { return threshold_; }

 private:
  static constexpr std::size_t kLocks = 256;

  std::uint32_t Value(std::uint64_t fingerprint) const {
    return static_cast<std::uint32_t>(fingerprint >> shift_) & mask_;
  }

  // Constant after construction.
  const unsigned shift_;
  const unsigned width_;
  const int threshold_;
  const std::uint32_t mask_;
  const HammingKernels& kernels_;
  // Every error pattern of the part with at most threshold bits, the fewest first.
  std::vector<std::uint32_t> flips_;

  // Cell v is appended to under locks_[v % kLocks].
  std::vector<HammingBag> cells_;
  std::array<base::Mutex, kLocks> locks_;
  // A sum for showing; nothing is ordered by it.
  std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace contentseen
