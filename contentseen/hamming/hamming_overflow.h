#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "contentseen/hamming/hamming_line.h"
#include "contentseen/image.h"
#include "contentseen/reserved_memory.h"

namespace contentseen {

/// The lock of a region: held for the writing of a few lines, so that who finds it taken looks
/// again and again, letting others run in between. Giving it back is a plain store: an exchange
/// would wait until all lines written have come from memory. (Growth, which holds it long, is
/// waited for at growth's own mutex.)
class CAPABILITY("mutex") HammingLock {
 public:
  void Lock() ACQUIRE() {
    while (taken_.exchange(true, std::memory_order_acquire)) {
      while (taken_.load(std::memory_order_relaxed)) std::this_thread::yield();
    }
  }
  void Unlock() RELEASE() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

class SCOPED_CAPABILITY HammingLockHeld {
 public:
  explicit HammingLockHeld(HammingLock& lock) ACQUIRE(lock) : lock_(lock) { lock_.Lock(); }
  ~HammingLockHeld() RELEASE() { lock_.Unlock(); }
  HammingLockHeld(const HammingLockHeld&) = delete;
  HammingLockHeld& operator=(const HammingLockHeld&) = delete;

 private:
  HammingLock& lock_;
};

/// 1,024 homes and the overflow lines that they share; numbered by the homes.
struct HammingRegion {
  static constexpr std::uint32_t kHomes = 1024;
  static constexpr std::uint32_t kWords = 8;

  static constexpr std::uint32_t kTold = 32;

  HammingLock lock;
  std::uint32_t number = 0;
  /// Fingerprints inserted that the table's sum does not have yet; below kTold.
  std::uint32_t untold = 0;
  /// How many words of each overflow line are free.
  std::vector<std::uint8_t> free;
  /// No line before this one has so many free words. Atomic for Approach, which guesses by them.
  std::array<std::atomic<std::uint16_t>, kWords + 1> first_with{};
};

/// Where what does not fit in the home lines lies, as whole fingerprints of 64 bits, eight a line.
/// Regions take lines in slabs of 16 and give all of them back when they are rewritten.
///
/// Thread safety: Line() at any time; what changes a region needs its lock. Ownership: owns the
/// lines and the regions. Cost: a word has 1.1 to 1.2 words of memory.
class HammingOverflow {
 public:
  static constexpr std::uint32_t kNoLine = ~std::uint32_t{0};

  /// For at most `homes_max` homes, a multiple of 2^20. Fails when address space is refused.
  static base::Result<HammingOverflow> Create(std::uint64_t homes_max, bool huge_pages);
  ~HammingOverflow();
  HammingOverflow(HammingOverflow&& other) noexcept;
  HammingOverflow& operator=(HammingOverflow&&) = delete;

  /// Makes the regions of the first `homes` homes; REQUIRES: one thread at a time.
  void EnsureRegions(std::uint64_t homes);
  HammingRegion& RegionOf(std::uint32_t home) const {
    std::uint32_t region = home / HammingRegion::kHomes;
    return pages_[region / kRegionsPerPage]
        .load(std::memory_order_acquire)
        ->region[region % kRegionsPerPage];
  }

  /// Overflow line `number` of the region of line `home`.
  HammingLine& Line(std::uint32_t home, std::uint32_t number) const {
    return LineOf(home / HammingRegion::kHomes, number);
  }
  /// Asks for what Line() will read.
  void PrefetchSlab(std::uint32_t home, std::uint32_t number) const {
    __builtin_prefetch(&SlabOf(home / HammingRegion::kHomes, number / kSlabLines), 0, 3);
  }
  HammingLine& Line(const HammingRegion& region, std::uint32_t number) const {
    return LineOf(region.number, number);
  }

  /// Asks for the line that FindFree will probably say.
  void PrefetchFree(const HammingRegion& region, std::uint32_t words) const {
    std::uint32_t first = region.first_with[words].load(std::memory_order_relaxed);
    if (first < kSlabLines * kSlabsPerRegion) __builtin_prefetch(&Line(region, first), 1, 3);
  }

  /// The first line but `not_line` with `words` free ones. Nothing when there can be no more
  /// lines.
  std::optional<std::uint32_t> FindFree(HammingRegion& region, std::uint32_t words,
                                        std::uint32_t not_line = kNoLine);
  /// Two empty lines, one after the other, in the same slab.
  std::optional<std::uint32_t> FindFreePair(HammingRegion& region);
  /// REQUIRES: line `number` has a free word.
  void Put(HammingRegion& region, std::uint32_t number, std::uint64_t word);
  /// Frees one word of a line.
  void Free(HammingRegion& region, std::uint32_t number, unsigned word);
  /// Marks a pair as wholly taken or wholly free.
  void TakePair(HammingRegion& region, std::uint32_t number);
  void FreePair(HammingRegion& region, std::uint32_t number);
  /// Gives all lines of the region back, emptied.
  void Clear(HammingRegion& region);

  /// As HammingTable's, for `homes` homes, a multiple of 1,024. REQUIRES for Load: their regions.
  void Save(ImageWriter& image, std::uint64_t homes) const;
  bool Load(ImageReader& image, std::uint64_t homes);

  /// Lines that were ever taken.
  std::uint64_t lines() const {
    return std::uint64_t{slabs_.load(std::memory_order_relaxed)} * kSlabLines;
  }
  /// Bytes for `homes` homes, by whole pages.
  std::uint64_t bytes(std::uint64_t homes) const;

 private:
  static constexpr std::uint32_t kSlabLines = 16;
  static constexpr std::uint32_t kSlabsPerRegion = 64;
  static constexpr std::uint32_t kRegionsPerPage = 64;
  static constexpr std::uint32_t kRegionsPerBlock = 1024;
  static constexpr std::size_t kSlabStride =
      kRegionsPerBlock + 17 * 64 / sizeof(std::atomic<std::uint32_t>);

  struct Page {
    std::array<HammingRegion, kRegionsPerPage> region;
  };

  HammingOverflow(std::uint64_t homes_max, ReservedMemory lines, ReservedMemory slab_of);

  HammingLine& LineOf(std::uint32_t region, std::uint32_t number) const {
    std::uint32_t slab = SlabOf(region, number / kSlabLines).load(std::memory_order_relaxed);
    return lines_[std::size_t{slab} * kSlabLines + number % kSlabLines];
  }
  // Of a block of regions the first slabs lie together, and the second: a lookup goes through
  // here, and so what it needs stays in the near caches. (Apart by no power of two: of such the
  // caches hold few.) Block after block, so that a small table touches few pages.
  std::atomic<std::uint32_t>& SlabOf(std::uint32_t region, std::size_t slab) const {
    const std::size_t block = region / kRegionsPerBlock;
    return slab_of_[(block * kSlabsPerRegion + slab) * kSlabStride + region % kRegionsPerBlock];
  }
  bool AddSlab(HammingRegion& region);
  std::optional<std::uint32_t> Search(HammingRegion& region, std::uint32_t words,
                                      std::uint32_t not_line);

  // Constant after construction.
  const std::uint64_t homes_max_;
  const std::uint32_t slabs_max_;
  ReservedMemory lines_memory_;
  ReservedMemory slab_of_memory_;
  HammingLine* const lines_;
  // Where the overflow lines of each region are. Written under the region's lock; released by the
  // meta that points into the slab.
  std::atomic<std::uint32_t>* const slab_of_;
  // Released when the page is complete; freed at the end.
  std::vector<std::atomic<Page*>> pages_;

  // A sum, and a ticket.
  std::atomic<std::uint32_t> slabs_{0};
  mutable base::Mutex free_mutex_;
  std::vector<std::uint32_t> free_slabs_ GUARDED_BY(free_mutex_);
};

}  // namespace contentseen
