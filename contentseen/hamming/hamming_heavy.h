#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "contentseen/hamming/hamming_bag.h"
#include "contentseen/hamming/hamming_windows.h"
#include "contentseen/image.h"

namespace contentseen {

/// All fingerprints with one value of one half: what a bucket gives up when too many fall into it.
/// A short list is scanned; from 4,096 on there are two windows, the quarters of the other
/// half, so that a million fingerprints that agree in one half cost a lookup some hundred
/// comparisons.
///
/// Thread safety: one thread appends (the region's lock sees to it), any number read and never
/// wait.
class HammingHeavyCell {
 public:
  /// `other_shift`: where the other half begins, 0 or 32. The arena outlives it.
  HammingHeavyCell(std::uint32_t half, unsigned other_shift, unsigned k,
                   const HammingKernels& kernels, HammingArena& arena)
      : half_(half), other_shift_(other_shift), k_(k), kernels_(kernels), arena_(arena) {}
  ~HammingHeavyCell();
  HammingHeavyCell(const HammingHeavyCell&) = delete;
  HammingHeavyCell& operator=(const HammingHeavyCell&) = delete;

  std::uint32_t half() const { return half_; }

  /// Bytes taken beside the arena's. REQUIRES: not there.
  std::size_t Append(std::uint64_t fingerprint);
  bool Contains(std::uint64_t fingerprint) const;

  /// visit(fingerprint) -> bool for each within k of `query`; false as soon as a visit is.
  template <class Visit>
  bool VisitWithin(std::uint64_t query, Visit&& visit) const {
    const HammingWindows* quarters = quarters_.load(std::memory_order_acquire);
    if (quarters != nullptr) return quarters->VisitWithin(query, visit);
    return bag_.VisitWithin(kernels_, query, k_, visit);
  }
  template <class Visit>
  void ForEach(Visit&& visit) const {
    bag_.ForEach(visit);
  }

 private:
  static constexpr std::uint64_t kScanMax = 4096;

  const std::uint32_t half_;
  const unsigned other_shift_;
  const unsigned k_;
  const HammingKernels& kernels_;
  HammingArena& arena_;
  HammingBag bag_;
  std::uint64_t size_ = 0;
  // Released when it holds all of bag_; from then on it is kept complete and searched instead.
  std::atomic<HammingWindows*> quarters_{nullptr};
};

/// The heavy cells of one table.
///
/// Thread safety: Find and VisitWithin at any time, without waiting; FindOrCreate and
/// ForEachInGroup by any thread (they lock). Ownership: owns the cells until it ends.
class HammingHeavyMap {
 public:
  HammingHeavyMap(unsigned other_shift, unsigned k, const HammingKernels& kernels);
  ~HammingHeavyMap();

  HammingHeavyCell* Find(std::uint32_t half) const;
  HammingHeavyCell& FindOrCreate(std::uint32_t half);

  /// The halves of all heavy cells whose mixed codeword ends in the `bits` low bits of `group`.
  std::vector<std::uint32_t> InGroup(std::uint32_t group, std::uint32_t bits) const;

  /// As HammingTable's.
  void Save(ImageWriter& image) const;
  bool Load(ImageReader& image);

  void AddBytes(std::size_t bytes) { bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  std::uint64_t bytes() const { return arena_.bytes() + bytes_.load(std::memory_order_relaxed); }
  bool empty() const { return count_.load(std::memory_order_acquire) == 0; }

  template <class Visit>
  void ForEachCell(Visit&& visit) const {
    base::MutexLock lock(mutex_);
    for (const auto& cell : cells_) visit(*cell);
  }

 private:
  // Open addressing; a full one is replaced by one of twice the size and kept for its readers.
  struct Slots {
    explicit Slots(std::size_t size) : slot(size) {}
    std::vector<std::atomic<HammingHeavyCell*>> slot;
  };
  static void Place(Slots& slots, HammingHeavyCell* cell);

  const unsigned other_shift_;
  const unsigned k_;
  const HammingKernels& kernels_;
  // What is in the cells.
  HammingArena arena_;
  // Released when complete.
  std::atomic<Slots*> slots_;
  // Released after the cell is in its slot.
  std::atomic<std::uint64_t> count_{0};
  // A sum for showing, of what the arena has not.
  std::atomic<std::uint64_t> bytes_{0};

  mutable base::Mutex mutex_;
  std::vector<std::unique_ptr<HammingHeavyCell>> cells_ GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Slots>> all_slots_ GUARDED_BY(mutex_);
  // Halves by their mixed codeword's low bits reversed: a group is a range.
  std::multimap<std::uint32_t, std::uint32_t> by_group_ GUARDED_BY(mutex_);
};

}  // namespace contentseen
