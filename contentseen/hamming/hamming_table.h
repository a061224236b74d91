#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "contentseen/hamming/hamming_code.h"
#include "contentseen/hamming/hamming_geometry.h"
#include "contentseen/hamming/hamming_heavy.h"
#include "contentseen/hamming/hamming_line.h"
#include "contentseen/hamming/hamming_overflow.h"
#include "contentseen/hamming/hamming_scan.h"
#include "contentseen/reserved_memory.h"

namespace contentseen {

/// Fingerprints by one half of them: finds all whose half is within `radius` (0, 1 or 2) of the
/// query's and which are within k as a whole.
///
///   * Home lines hold ten to twelve fingerprints (hamming_line.h); hamming_geometry.h says which.
///   * What does not fit lies, whole (64 bits), in one overflow line, which homes of the same
///     region share (hamming_overflow.h): first fit, and a home whose line has no room moves to
///     one that has. From nine on a home has two overflow lines to itself. The home's
///     filter says which tags went there, so few lookups of a line read another.
///   * Above sixteen, whole cells (all with an equal half) leave for a heavy cell of their own.
///
/// Invariants: a fingerprint is in exactly one of {slots of its home, overflow of its home, heavy
/// cell}; if in one of the latter two, its Mark is set at the home. Every word of an
/// overflow line but zero is a fingerprint of the table. (Zero itself is kept by the owner.)
///
/// Thread safety: all methods, at once. A writer locks the region (1,024 homes) of its line.
/// Growth locks the regions of 1,024 groups (four to eight) and announces the groups in state_
/// while their lines are rewritten; readers take no lock: they compare state_ (and rewrites_, for
/// cells that turn heavy) before and after and try again if a line of theirs was concerned. A
/// fingerprint that moves from one overflow line to another changes the home's count, which
/// readers compare too. Ownership: owns its memory.
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
  /// Asks for the lines that Insert will touch first.
  void Prefetch(std::uint64_t fingerprint) const { PrefetchHome(Begin(fingerprint)); }

  /// Insert for each but zeros; returns how many were new. Of a million and more it makes room for
  /// all at first, and orders them by line, some tens of millions at a time (10 bytes each), so
  /// that lines are filled while they are in the near caches; threads may share a still larger
  /// number among them.
  std::uint64_t InsertBatch(std::span<const std::uint64_t> fingerprints);

  /// A lookup with radius <= 1, in steps, so that callers can overlap the waiting for memory:
  /// Prepare, PrefetchHome, NearHome, FindAtHome where that says so, ScanAround, FindNear,
  /// FetchPending, FindElsewhere.
  /// What one finds counts only if Valid(probe) says so afterwards, and nothing found only after
  /// all.
  void Prepare(std::span<const std::uint64_t> queries, HammingProbe* const* probes) const;
  void PrefetchHome(const HammingProbe& probe) const {
    __builtin_prefetch(&lines_[probe.line[0]], 0, 2);
  }
  void PrefetchAround(const HammingProbe& probe) const {
    for (std::uint32_t i = 1; i < probe.count; ++i) {
      __builtin_prefetch(&lines_[probe.line[i]], 0, 2);
    }
    if (probe.flipped != HammingProbe::kNone) __builtin_prefetch(&lines_[probe.flipped], 0, 2);
  }
  /// Whether there may be something in the slots of the home line.
  bool NearHome(const HammingProbe& probe) const {
    return kernels_.within(lines_[probe.line[0]], probe.other, options_.k) != 0;
  }
  /// In the slots of the home line.
  std::optional<std::uint64_t> FindAtHome(const HammingProbe& probe) const;
  /// Looks through those of the lines around, without waiting for what it sees: FindNear goes on
  /// with what it returns. Meanwhile fetches the lines around `next` in `next_table`, unless null.
  std::uint32_t ScanAround(const HammingProbe& probe, const HammingTable* next_table,
                           const HammingProbe* next, HammingPending& pending) const {
    if (next != nullptr && next->flipped != HammingProbe::kNone) {
      __builtin_prefetch(&next_table->lines_[next->flipped], 0, 2);
    }
    // The cells around are one bit away in this half.
    return kernels_.scan(lines_, probe, options_.k - 1,
                         next_table == nullptr ? nullptr : next_table->lines_, next, pending);
  }
  /// What is found there. What may lie in the overflow of all of them is left to `pending`.
  std::optional<std::uint64_t> FindNear(const HammingProbe& probe, std::uint32_t near,
                                        HammingPending& pending) const;
  /// Asks for where what is pending lies.
  void PrefetchPending(const HammingPending& pending) const {
    for (unsigned i = 0; i < pending.count; ++i) {
      overflow_.PrefetchSlab(pending.home[i], HammingMeta::From(pending.meta[i]).overflow);
    }
  }
  /// Asks for what is pending.
  void FetchPending(HammingPending& pending) const;
  std::optional<std::uint64_t> FindElsewhere(const HammingProbe& probe,
                                             const HammingPending& pending) const;
  bool Valid(const HammingProbe& probe) const {
    const bool rewritten =
        ((probe.rewrites & 1) | (rewrites_.load(std::memory_order_acquire) ^ probe.rewrites)) != 0;
    const bool grown = state_.load(std::memory_order_acquire) != probe.state ||
                       HammingGeometry::Unpack(probe.state).busy != 0;
    return !rewritten && (!grown || Untouched(probe));
  }

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

  /// visit(context, fingerprint) for each, without a lock: it may insert. What moves meanwhile may
  /// be visited twice, what is inserted meanwhile missed.
  void VisitAll(void* context, Visitor visit) const;

  /// Writes the table as it lies in memory; takes it back into one with the same options. False
  /// where that cannot be. REQUIRES: nobody else inserts; nobody else knows the empty one.
  void Save(ImageWriter& image) const;
  bool Load(ImageReader& image);

  std::uint64_t bytes() const;
  std::uint64_t lines() const {
    return HammingGeometry::Unpack(state_.load(std::memory_order_acquire)).lines();
  }

 private:
  static constexpr std::uint64_t kLinesMax = std::uint64_t{1} << 27;
  static constexpr std::uint32_t kOverflowWords = HammingRegion::kWords;
  // A home has at most this many before cells turn heavy.
  static constexpr std::uint32_t kHomeMax = HammingLine::kSlotsMax + 2 * kOverflowWords;
  static_assert(kHomeMax < 32);
  // With so many fewer no more do. Few more than fit are chance: there most cells are light.
  static constexpr std::uint32_t kLighter = 4;
  static_assert(HammingRegion::kHomes == HammingGeometry::kUnit);
  static constexpr std::uint32_t kShareMax = 2 * HammingGeometry::kShareMin;

  /// A fingerprint of a home, as it is while lines are written.
  struct Item {
    std::uint32_t mixed;
    std::uint32_t tag;
    std::uint32_t other;
  };
  /// A fingerprint on its way in.
  struct Insertion {
    std::uint64_t fingerprint;
    Item item;
    std::uint32_t home;
  };

  /// What growth works with: the overflow of a region by home, and a group's lines to be.
  struct Workshop {
    struct Overflow {
      std::vector<Item> unsorted;
      std::vector<Item> items;
      std::array<std::uint32_t, HammingRegion::kHomes + 1> start;
    };
    std::array<Overflow, kShareMax> overflow;
    std::array<std::array<Item, kShareMax * kHomeMax>, kShareMax> items;
    std::array<std::uint32_t, kShareMax> count;
    // Whether a line of the group had heavy cells.
    bool heavy;
  };

  HammingTable(const Options& options, const HammingKernels& kernels, ReservedMemory lines,
               HammingOverflow overflow);

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
  static HammingLine::Slot SlotOf(const Item& item, const HammingLayout& layout) {
    return {item.other, item.tag,
            item.mixed >> layout.upper_first & ((1U << layout.upper_bits) - 1)};
  }
  /// The fingerprints in the slots of `line`, number `home`: call(item) -> void.
  template <class Call>
  static void ForEachInSlots(const HammingLine& line, std::uint32_t home,
                             const HammingGeometry& geometry, std::uint32_t slots, Call&& call) {
    HammingGeometry its = geometry.Around(home);
    std::uint32_t first = its.FirstOf(home);
    for (; slots != 0; slots &= slots - 1) {
      HammingLine::Slot slot =
          line.Get(static_cast<unsigned>(std::countr_zero(slots)), its.Layout());
      call(Item{its.WordOf(home, slot.tag, slot.upper, first), slot.tag, slot.other});
    }
  }
  /// So many fit in a line and its overflow.
  static std::uint32_t HomeMax(const HammingLayout& layout) {
    return layout.slots + 2 * kOverflowWords;
  }
  /// A bit for each slot in use.
  static std::uint32_t InUse(const HammingMeta& meta, const HammingLayout& layout) {
    return (1U << meta.InSlots(layout)) - 1;
  }
  std::uint64_t FingerprintOf(const Item& item) const {
    return Join(HammingCode::Decode(HammingGeometry::Unmix(item.mixed), item.tag & 31),
                item.other);
  }

  // Reading.
  struct Cells;
  std::optional<std::uint64_t> FindInLine(const HammingProbe& probe, unsigned i) const;
  std::optional<std::uint64_t> FindInSlots(const HammingProbe& probe, unsigned i) const;
  bool AnythingIn(const HammingPending& pending, std::uint64_t query) const;
  std::optional<std::uint64_t> FindFlipped(const HammingProbe& probe) const;
  template <class Call>
  bool VisitSlots(std::uint64_t query, std::uint32_t line, const HammingGeometry& geometry,
                  const Cells& cells, Call&& visit) const;
  template <class Call>
  bool VisitLine(std::uint64_t query, std::uint32_t line, const HammingGeometry& geometry,
                 const Cells& cells, Call&& visit) const;
  template <class Call>
  bool VisitOverflow(std::uint64_t query, std::uint32_t line, std::uint32_t meta_bits,
                     const Cells& cells, Call&& visit) const;
  template <class Call>
  bool VisitHeavy(std::uint64_t query, const Cells& cells, Call&& visit) const;
  bool Touched(std::uint32_t group, const HammingGeometry& before,
               const HammingGeometry& after) const;
  bool Untouched(const HammingProbe& probe) const;

  void Collect(std::uint32_t home, const HammingMeta& meta,
               std::vector<std::uint64_t>& words) const;

  // Inserting in steps, so that the waiting for memory overlaps: Begin finds the home line,
  // Approach asks for what else Finish will touch.
  Insertion Begin(std::uint64_t fingerprint) const;
  void PrefetchHome(const Insertion& insertion) const;
  void Approach(const Insertion& insertion) const;
  bool Finish(Insertion& insertion);
  std::uint64_t InsertPipelined(std::span<const std::uint64_t> fingerprints);
  void MakeRoom(std::uint64_t more);

  // Writing; the region's lock is held.
  bool InsertLocked(HammingRegion& region, const Insertion& insertion,
                    const HammingGeometry& geometry);
  bool InOverflow(const HammingMeta& meta, const Insertion& insertion) const;
  bool AddToOverflow(HammingRegion& region, const HammingWholeMeta& meta,
                     const Insertion& insertion, const HammingLayout& layout);
  bool MoveOverflow(HammingRegion& region, const HammingMeta& meta, HammingWholeMeta next,
                    const Insertion& insertion);
  std::uint32_t WordsOf(std::uint32_t home, const HammingMeta& meta, std::uint64_t* words) const;
  void FreeOverflow(HammingRegion& region, std::uint32_t home, const HammingMeta& meta);
  void TurnHeavy(HammingRegion& region, std::uint32_t home, const HammingGeometry& geometry,
                 const Item& item);
  void StoreHome(HammingRegion& region, std::uint32_t home, const HammingLayout& layout,
                 const Item* items, std::uint32_t count, HammingWholeMeta meta);
  void MoveToHeavy(std::vector<Item>& items, std::size_t most, const HammingLayout& layout,
                   HammingWholeMeta& meta);

  // Growth.
  void Grow();
  void GrowUnit() REQUIRES(growth_mutex_);
  void TakeOverflow(HammingRegion& region, std::uint32_t first_home,
                    const HammingGeometry& geometry, Workshop::Overflow& taken);
  void TakeGroup(const HammingGeometry& geometry, std::uint32_t group) REQUIRES(growth_mutex_);
  void GrowGroup(const HammingGeometry& geometry, std::uint32_t group,
                 HammingRegion* const* regions) REQUIRES(growth_mutex_);
  void SetThreshold();

  // Constant after construction.
  const Options options_;
  const HammingKernels& kernels_;
  const ReservedMemory lines_memory_;
  HammingLine* const lines_;
  std::array<std::vector<HammingBallEntry>, 32> ball_;
  std::unique_ptr<HammingBallTable> ball_table_;

  HammingOverflow overflow_;
  HammingHeavyMap heavy_;

  // A HammingGeometry; exchanged (acquire and release) around the rewriting of lines.
  std::atomic<std::uint64_t> state_;
  // Odd while a home is rewritten because cells of it turn heavy.
  std::atomic<std::uint64_t> rewrites_{0};
  // How many fingerprints are in lines and overflow, and from how many on the table grows. Only
  // the pace of growth depends on them, hence relaxed. Below zero while fewer were told than have
  // left for heavy cells.
  alignas(64) std::atomic<std::int64_t> items_{0};
  std::atomic<std::int64_t> grow_from_{0};
  // How many the batches under way are still going to insert.
  std::atomic<std::int64_t> expected_{0};
  // True while a thread grows the table; the others go on.
  std::atomic<bool> growing_{false};

  // Order of locks: growth_mutex_, regions (ascending), heavy_mutex_.
  mutable base::Mutex growth_mutex_;
  mutable base::Mutex heavy_mutex_;
  std::unique_ptr<Workshop> workshop_ GUARDED_BY(growth_mutex_);
};

}  // namespace contentseen
