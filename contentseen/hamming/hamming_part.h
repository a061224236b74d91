#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "contentseen/hamming/hamming_cells.h"
#include "contentseen/hamming/hamming_windows.h"

namespace contentseen {

/// Fingerprints by the value of one part of them (hamming_cells.h). Values that very many of them
/// have are looked for by three windows of the other bits as well, so that a million that agree in
/// the part do not cost every lookup near them a million comparisons.
///
/// Thread safety: all methods, at once; readers never wait. Ownership: owns its lists.
class HammingPart {
 public:
  /// From so many fingerprints on a list has windows.
  static constexpr std::uint64_t kLong = 32'768;

  /// REQUIRES: 1 <= width <= 26.
  HammingPart(unsigned shift, unsigned width, int threshold, unsigned k,
              const HammingKernels& kernels);
  ~HammingPart();
  HammingPart(const HammingPart&) = delete;
  HammingPart& operator=(const HammingPart&) = delete;

  /// Without looking whether it is there.
  void Append(std::uint64_t fingerprint);
  /// How many fingerprints have the same value of the part.
  std::uint64_t ListSize(std::uint64_t fingerprint) const {
    return cells_.List(cells_.Value(fingerprint)).size();
  }
  bool Contains(std::uint64_t fingerprint) const;

  /// visit(fingerprint) -> bool for each whose part is within the threshold and that is within k
  /// as a whole; false as soon as a visit is.
  template <class Visit>
  bool VisitWithin(std::uint64_t query, Visit&& visit) const {
    const Long* all = long_.load(std::memory_order_acquire);
    if (all == nullptr) return cells_.VisitWithin(query, k_, visit);
    return cells_.VisitLists(query, [&](std::uint32_t value, const HammingBag& list) {
      const HammingWindows* windows = list.large() ? all->Find(value) : nullptr;
      return windows != nullptr ? windows->VisitWithin(query, visit)
                                : list.VisitWithin(kernels_, query, k_, visit);
    });
  }
  /// visit(fingerprint) for each.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    cells_.ForEach(visit);
  }

  std::uint64_t bytes() const {
    return sizeof(*this) - sizeof(cells_) + cells_.bytes() + arena_.bytes() +
           windows_bytes_.load(std::memory_order_relaxed);
  }

 private:
  // The long lists, by value, ascending; never changed.
  struct Long {
    struct List {
      std::uint32_t value;
      HammingWindows* windows;
    };
    std::vector<List> lists;
    HammingWindows* Find(std::uint32_t value) const;
  };

  HammingWindows* WindowsOf(std::uint32_t value) const;
  void Split(std::uint32_t value);

  // Constant after construction.
  const unsigned outside_;
  const unsigned width_;
  const unsigned k_;
  const HammingKernels& kernels_;

  // What is in all lists, those of windows too.
  HammingArena arena_;
  HammingCells cells_;
  // The list of value v, and its windows, are appended to under append_locks_[v % size].
  std::array<base::Mutex, 256> append_locks_;
  // Released when complete; those it took the place of are kept for their readers.
  std::atomic<const Long*> long_{nullptr};
  base::Mutex split_mutex_;
  std::vector<std::unique_ptr<const Long>> all_long_ GUARDED_BY(split_mutex_);
  std::vector<std::unique_ptr<HammingWindows>> windows_ GUARDED_BY(split_mutex_);
  // A sum for showing, of what the arena has not.
  std::atomic<std::uint64_t> windows_bytes_{0};
};

}  // namespace contentseen
