#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "contentseen/hamming_code.h"
#include "contentseen/hamming_geometry.h"
#include "contentseen/hamming_heavy.h"
#include "contentseen/hamming_line.h"
#include "contentseen/hamming_memory.h"
#include "contentseen/hamming_scan.h"

namespace contentseen {

/// Fingerprints by one half of them: finds all whose half is within `radius` (0, 1 or 2) of the
/// query's and which are within k as a whole.
///
///   * Home lines hold ten fingerprints of 48 bits each; hamming_geometry.h says which line.
///   * What does not fit lies, whole (64 bits), in one overflow line, which homes of the same
///   region
///     share: first fit, and a home whose line has no room moves to one that has. From the 19th on
///     a home has two overflow lines to itself. The filter in the home's meta says which tags went
///     there, so about one lookup of a line in seven or eight reads another.
///   * From the 27th on, whole cells (all with an equal half) leave for a heavy cell of their own.
///
/// Invariants: a fingerprint is in exactly one of {slots of its home, overflow of its home, heavy
/// cell}; if in one of the latter two, its filter bit is set at the home. Every word of an
/// overflow line but zero is a fingerprint of the table. (Zero itself is kept by the owner.)
///
/// Thread safety: all methods, at once. A writer locks the region (2,048 homes) of its line.
/// Growth locks the regions of the group and announces the group in state_ while its lines are
/// rewritten; readers take no lock: they compare state_ (and rewrites_, for cells that turn heavy)
/// before and after and try again if a line of theirs was concerned. A fingerprint that moves from
/// one overflow line to another changes the home's count, which readers compare too. Ownership:
/// owns its memory.
class HammingTable {
 public:
  struct Options {
    /// Bits [half_shift, half_shift + 32) are the half.
    unsigned half_shift = 32;
    unsigned radius = 1;
    unsigned k = 3;
    std::uint64_t expected_n = 0;
    bool huge_pages = true;
  };
  static base::Result<std::unique_ptr<HammingTable>> Create(const Options& options,
                                                            const HammingKernels& kernels);
  ~HammingTable();
  HammingTable(const HammingTable&) = delete;
  HammingTable& operator=(const HammingTable&) = delete;

  /// False when it was there already. REQUIRES: fingerprint != 0.
  bool Insert(std::uint64_t fingerprint);
  /// Asks the processor to fetch the line that Insert(fingerprint) will write.
  void PrefetchForInsert(std::uint64_t fingerprint) const;

  /// A lookup with radius <= 1, in steps, so that callers can overlap the waiting for memory:
  /// Prepare, PrefetchHome, FindAtHome, FindAround, FindElsewhere. What one finds counts only if
  /// Valid(probe) says so afterwards, and nothing found only after all.
  void Prepare(std::uint64_t query, HammingProbe& probe) const;
  void PrefetchHome(const HammingProbe& probe) const {
    __builtin_prefetch(&lines_[probe.line[0]], 0, 3);
  }
  void PrefetchAround(const HammingProbe& probe) const {
    for (std::uint32_t i = 1; i < probe.count; ++i) {
      __builtin_prefetch(&lines_[probe.line[i]], 0, 3);
    }
  }
  /// In the slots of the home line. What may lie in its overflow is left to `pending`, that line
  /// being fetched.
  std::optional<std::uint64_t> FindAtHome(const HammingProbe& probe,
                                          HammingPending& pending) const;
  /// The same of the lines around; adds to `pending`. Meanwhile fetches the lines around `next` in
  /// `next_table`, unless null.
  std::optional<std::uint64_t> FindAround(const HammingProbe& probe,
                                          const HammingTable* next_table, const HammingProbe* next,
                                          HammingPending& pending) const;
  std::optional<std::uint64_t> FindElsewhere(const HammingProbe& probe,
                                             const HammingPending& pending) const;
  bool Valid(const HammingProbe& probe) const;

  /// visit(context, fingerprint) -> bool for each fingerprint in reach, once; false as soon as a
  /// visit is. Any radius. `*valid` as Valid().
  using Visitor = bool (*)(void* context, std::uint64_t fingerprint);
  bool Visit(std::uint64_t query, void* context, Visitor visit, bool* valid) const;

  /// Keeps all lines as they are while it lives, but for fingerprints that are added.
  class SCOPED_CAPABILITY Standstill {
   public:
    explicit Standstill(const HammingTable& table) ACQUIRE(table.growth_mutex_) : table_(table) {
      table_.growth_mutex_.Lock();
      table_.heavy_mutex_.Lock();
    }
    ~Standstill() RELEASE() {
      table_.heavy_mutex_.Unlock();
      table_.growth_mutex_.Unlock();
    }
    Standstill(const Standstill&) = delete;
    Standstill& operator=(const Standstill&) = delete;

   private:
    const HammingTable& table_;
  };

  /// visit(context, fingerprint) for each; what is inserted meanwhile may be missed.
  void VisitAll(void* context, Visitor visit) const;

  std::uint64_t bytes() const;
  std::uint64_t lines() const {
    return HammingGeometry::Unpack(state_.load(std::memory_order_relaxed)).lines();
  }
  std::uint64_t overflow_lines() const;

 private:
  static constexpr std::uint32_t kRegionHomes = 2048;
  static constexpr std::uint32_t kSlabLines = 16;
  static constexpr std::uint32_t kSlabsPerRegion = 64;
  static constexpr std::uint32_t kOverflowWords = 8;
  static constexpr std::uint32_t kRegionsPerPage = 64;
  static constexpr std::uint64_t kPageHomes = std::uint64_t{kRegionHomes} * kRegionsPerPage;
  static constexpr std::uint32_t kRegionPages = (1U << 27) / kRegionHomes / kRegionsPerPage;
  // A home has at most this many before cells turn heavy.
  static constexpr std::uint32_t kHomeMax = HammingLine::kSlots + 2 * kOverflowWords;

  /// 2,048 homes and the overflow lines they share.
  struct Region {
    base::Mutex mutex;
    /// How many words of each overflow line are free; guarded by mutex.
    std::vector<std::uint8_t> free;
    /// No line before this one has so many free words.
    std::array<std::uint32_t, kOverflowWords + 1> first_with{};
  };
  struct RegionPage {
    std::array<Region, kRegionsPerPage> region;
  };
  /// A fingerprint of a home while lines are rewritten.
  struct Item {
    std::uint32_t mixed;
    std::uint32_t tag;
    std::uint32_t other;
  };

  HammingTable(const Options& options, const HammingKernels& kernels, ReservedMemory lines,
               ReservedMemory overflow, ReservedMemory slab_of);

  std::uint32_t HalfOf(std::uint64_t x) const {
    return static_cast<std::uint32_t>(x >> options_.half_shift);
  }
  std::uint32_t OtherOf(std::uint64_t x) const {
    return static_cast<std::uint32_t>(x >> (32 - options_.half_shift));
  }
  std::uint64_t Join(std::uint32_t half, std::uint32_t other) const {
    return std::uint64_t{half} << options_.half_shift | std::uint64_t{other}
                                                            << (32 - options_.half_shift);
  }
  Item ItemOf(std::uint64_t x) const {
    HammingCell cell = HammingCode::Encode(HalfOf(x));
    std::uint32_t mixed = HammingGeometry::Mix(cell.codeword);
    return {mixed, HammingGeometry::Tag(mixed, cell.syndrome), OtherOf(x)};
  }
  std::uint64_t FingerprintOf(const Item& item) const {
    return Join(HammingCode::Decode(HammingGeometry::Unmix(item.mixed), item.tag & 31),
                item.other);
  }

  // Reading.
  struct Cells;
  std::optional<std::uint64_t> FindInLine(const HammingProbe& probe, unsigned i) const;
  std::optional<std::uint64_t> FindInSlots(const HammingProbe& probe, unsigned i) const;
  void Postpone(const HammingProbe& probe, unsigned i, HammingPending& pending) const;
  template <class Call>
  bool VisitSlots(std::uint64_t query, std::uint32_t line, const Cells& cells, Call&& visit) const;
  template <class Call>
  bool VisitLine(std::uint64_t query, std::uint32_t line, const Cells& cells, Call&& visit) const;
  template <class Call>
  bool VisitOverflow(std::uint64_t query, std::uint32_t line, HammingMeta meta, const Cells& cells,
                     Call&& visit) const;
  template <class Call>
  bool VisitHeavy(std::uint64_t query, const Cells& cells, Call&& visit) const;
  bool Touched(std::uint32_t group, const HammingGeometry& before,
               const HammingGeometry& after) const;

  // Regions and overflow lines.
  Region& RegionOf(std::uint32_t line) const {
    std::uint32_t region = line / kRegionHomes;
    return region_pages_[region / kRegionsPerPage]
        .load(std::memory_order_acquire)
        ->region[region % kRegionsPerPage];
  }
  void EnsureRegions(std::uint64_t lines);
  /// Overflow line `number` of the region of line `home`.
  HammingLine& OverflowLine(std::uint32_t home, std::uint32_t number) const {
    std::uint32_t slab =
        slab_of_[std::size_t{home / kRegionHomes} * kSlabsPerRegion + number / kSlabLines].load(
            std::memory_order_relaxed);
    return overflow_[std::size_t{slab} * kSlabLines + number % kSlabLines];
  }
  std::optional<std::uint32_t> FindFree(Region& region, std::uint32_t home, std::uint32_t words,
                                        std::uint32_t not_line);
  std::optional<std::uint32_t> FindFreePair(Region& region, std::uint32_t home);
  bool AddSlab(Region& region, std::uint32_t home);
  void PutWord(Region& region, std::uint32_t home, std::uint32_t number, std::uint64_t word);
  void FreeWords(Region& region, std::uint32_t home, HammingMeta meta);
  void Collect(std::uint32_t home, HammingMeta meta, std::vector<std::uint64_t>& words) const;

  // Writing; the region's lock is held.
  bool InsertLocked(Region& region, std::uint32_t home, const HammingGeometry& geometry,
                    std::uint64_t fingerprint, const Item& item);
  bool IsIn(std::uint32_t home, const HammingLine& line, HammingMeta meta,
            std::uint64_t fingerprint, const Item& item) const;
  bool AddToOverflow(Region& region, std::uint32_t home, HammingMeta meta,
                     std::uint64_t fingerprint, const Item& item);
  void TurnHeavy(Region& region, std::uint32_t home, const HammingGeometry& geometry,
                 const Item& item);
  void TakeItems(Region& region, std::uint32_t home, std::uint32_t share,
                 const HammingGeometry& geometry, std::vector<Item>& items);
  void StoreHome(Region& region, std::uint32_t home, std::vector<Item>& items, HammingMeta meta);
  void MoveToHeavy(std::vector<Item>& items, HammingMeta& meta);

  // Growth.
  void Grow();
  std::uint32_t GrowSome() REQUIRES(growth_mutex_);
  void PrefetchGroups(const HammingGeometry& geometry, std::uint32_t groups) const;
  void GrowGroup(const HammingGeometry& geometry, std::uint32_t group) REQUIRES(growth_mutex_);
  void SetThreshold();

  // Constant after construction.
  const Options options_;
  const HammingKernels& kernels_;
  const ReservedMemory lines_memory_;
  const ReservedMemory overflow_memory_;
  const ReservedMemory slab_of_memory_;
  HammingLine* const lines_;
  HammingLine* const overflow_;
  std::array<std::vector<HammingBallEntry>, 32> ball_;
  std::unique_ptr<HammingBallTable> ball_table_;

  // Where the overflow lines of each region are, 64 a slab. Written under the region's lock;
  // released by the meta that points into the slab.
  std::atomic<std::uint32_t>* const slab_of_;

  HammingHeavyMap heavy_;

  // A HammingGeometry; exchanged (acquire and release) around the rewriting of lines.
  std::atomic<std::uint64_t> state_;
  // Odd while a home is rewritten because cells of it turn heavy.
  std::atomic<std::uint64_t> rewrites_{0};
  // How many fingerprints are in lines and overflow, and from how many on the table grows. Only
  // the pace of growth depends on them, hence relaxed.
  alignas(64) std::atomic<std::uint64_t> items_{0};
  std::atomic<std::uint64_t> grow_from_{0};
  std::atomic<std::uint32_t> slabs_{0};
  // True while a thread grows the table; the others go on.
  std::atomic<bool> growing_{false};

  // Order of locks: growth_mutex_, regions (ascending), heavy_mutex_.
  mutable base::Mutex growth_mutex_;
  mutable base::Mutex heavy_mutex_;
  std::array<std::vector<Item>, std::size_t{2} * HammingGeometry::kShareMin> scratch_
      GUARDED_BY(growth_mutex_);
  std::array<std::atomic<RegionPage*>, kRegionPages> region_pages_{};
};

}  // namespace contentseen
