#include "contentseen/hamming_table.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"

namespace contentseen {
namespace {

constexpr std::uint64_t kLinesMax = std::uint64_t{1} << 27;
// Overflow lines at most, one to four homes; tables in use have one to seven.
constexpr std::uint64_t kOverflowLinesMax = kLinesMax / 4;
// Fingerprints a line at which the table grows: more is slower (overflow), less is larger.
constexpr double kLoad = 10.9;
// Groups rewritten at a time: readers of their lines wait for that, some microseconds.
constexpr std::uint32_t kGroupsAtATime = 8;
// What a tag says of the codeword, without bit 31 and the syndrome.
constexpr std::uint32_t kTagOfCodeword = 0x7fe0;
constexpr std::uint32_t kNoLine = ~std::uint32_t{0};

std::unique_ptr<HammingBallTable> MakeBallTable(
    const std::array<std::vector<HammingBallEntry>, 32>& ball) {
  auto table = std::make_unique<HammingBallTable>();
  for (unsigned s = 0; s < 32; ++s) {
    for (unsigned i = 0; i < 16; ++i) {
      const HammingBallEntry& entry = ball[s][i < ball[s].size() ? i : 0];
      table->codeword_flips[s][i] = entry.codeword_flips;
      // The home line is searched by codeword, not by these.
      table->syndrome_a[s][i] = static_cast<std::uint32_t>(std::countr_zero(entry.syndromes));
      table->syndrome_b[s][i] = 31 - static_cast<std::uint32_t>(std::countl_zero(entry.syndromes));
    }
    table->count[s] = static_cast<std::uint32_t>(ball[s].size());
  }
  return table;
}

}  // namespace

/// What of one codeword a query looks for.
struct HammingTable::Cells {
  /// Mixed codeword, bit 31 as in the query.
  std::uint32_t mixed;
  std::uint32_t syndromes;
  std::uint32_t syndromes_flipped;
  std::uint32_t tag;
  std::uint32_t filter;

  Cells(std::uint32_t codeword, std::uint32_t near, std::uint32_t near_flipped)
      : mixed(HammingGeometry::Mix(codeword)),
        syndromes(near),
        syndromes_flipped(near_flipped),
        tag(HammingGeometry::Tag(mixed, 0)),
        filter(HammingMeta::FilterOf(tag, near | near_flipped)) {}

  bool Has(std::uint32_t syndrome, std::uint32_t bit31) const {
    std::uint32_t set = bit31 == mixed >> 26 ? syndromes : syndromes_flipped;
    return (set >> syndrome & 1) != 0;
  }
  std::uint32_t Half(std::uint32_t syndrome, std::uint32_t bit31) const {
    std::uint32_t word = (mixed & HammingGeometry::kInformation) | bit31 << 26;
    return HammingCode::Decode(HammingGeometry::Unmix(word), syndrome);
  }
};

// ---------------------------------------------------------------------------------------------
// Making

base::Result<std::unique_ptr<HammingTable>> HammingTable::Create(const Options& options,
                                                                 const HammingKernels& kernels) {
  CHECK(options.half_shift == 0 || options.half_shift == 32);
  CHECK(options.radius <= 2);
  auto lines = ReservedMemory::Reserve(kLinesMax * sizeof(HammingLine), options.huge_pages);
  if (!lines) return base::Fail(lines.error().message);
  auto overflow =
      ReservedMemory::Reserve(kOverflowLinesMax * sizeof(HammingLine), options.huge_pages);
  if (!overflow) return base::Fail(overflow.error().message);
  constexpr std::size_t kSlabNumbers = kLinesMax / kRegionHomes * kSlabsPerRegion;
  auto slab_of = ReservedMemory::Reserve(kSlabNumbers * sizeof(std::atomic<std::uint32_t>), false);
  if (!slab_of) return base::Fail(slab_of.error().message);
  return std::unique_ptr<HammingTable>(new HammingTable(
      options, kernels, std::move(*lines), std::move(*overflow), std::move(*slab_of)));
}

HammingTable::HammingTable(const Options& options, const HammingKernels& kernels,
                           ReservedMemory lines, ReservedMemory overflow, ReservedMemory slab_of)
    : options_(options),
      kernels_(kernels),
      lines_memory_(std::move(lines)),
      overflow_memory_(std::move(overflow)),
      slab_of_memory_(std::move(slab_of)),
      lines_(reinterpret_cast<HammingLine*>(lines_memory_.data())),
      overflow_(reinterpret_cast<HammingLine*>(overflow_memory_.data())),
      slab_of_(reinterpret_cast<std::atomic<std::uint32_t>*>(slab_of_memory_.data())),
      heavy_(32 - options.half_shift, options.k, kernels) {
  for (unsigned s = 0; s < 32; ++s) ball_[s] = HammingCode::Ball(s, options_.radius);
  if (options_.radius <= 1) ball_table_ = MakeBallTable(ball_);
  auto wanted = static_cast<std::uint64_t>(static_cast<double>(options_.expected_n) / kLoad) + 1;
  HammingGeometry geometry = HammingGeometry::For(wanted);
  EnsureRegions(geometry.lines());
  state_.store(geometry.Pack(), std::memory_order_release);
  SetThreshold();
}

HammingTable::~HammingTable() {
  for (auto& page : region_pages_) delete page.load(std::memory_order_acquire);
}

void HammingTable::EnsureRegions(std::uint64_t lines) {
  std::uint64_t pages = (lines + kPageHomes - 1) / kPageHomes;
  for (std::uint64_t i = pages; i-- > 0;) {
    if (region_pages_[i].load(std::memory_order_relaxed) != nullptr) return;
    region_pages_[i].store(new RegionPage, std::memory_order_release);
  }
}

void HammingTable::SetThreshold() {
  HammingGeometry geometry = HammingGeometry::Unpack(state_.load(std::memory_order_relaxed));
  auto from = geometry.full()
                  ? ~std::uint64_t{0}
                  : static_cast<std::uint64_t>(static_cast<double>(geometry.lines()) * kLoad);
  grow_from_.store(from, std::memory_order_relaxed);
}

std::uint64_t HammingTable::overflow_lines() const {
  return std::uint64_t{slabs_.load(std::memory_order_relaxed)} * kSlabLines;
}

std::uint64_t HammingTable::bytes() const {
  std::uint64_t homes = lines();
  std::uint64_t overflow = overflow_lines();
  std::uint64_t pages = (homes + kPageHomes - 1) / kPageHomes;
  std::uint64_t regions = pages * (sizeof(RegionPage) + std::size_t{kRegionsPerPage} *
                                                            kSlabsPerRegion * sizeof(*slab_of_));
  return (homes + overflow) * sizeof(HammingLine) + overflow + regions + sizeof(*this) +
         heavy_.bytes();
}

// ---------------------------------------------------------------------------------------------
// Reading

template <class Call>
bool HammingTable::VisitSlots(std::uint64_t query, std::uint32_t line_number, const Cells& cells,
                              Call&& visit) const {
  const HammingLine& line = lines_[line_number];
  std::uint64_t last = line.Word(7);
  HammingMeta meta = HammingMeta::From(static_cast<std::uint32_t>(last >> 32));
  std::uint32_t slots = kernels_.match(line, cells.tag, kTagOfCodeword);
  slots &= (1U << std::min(meta.count, HammingLine::kSlots)) - 1;
  for (; slots != 0; slots &= slots - 1) {
    auto slot = static_cast<unsigned>(std::countr_zero(slots));
    std::uint64_t tags = slot < 8 ? line.Word(5 + slot / 4) : last;
    std::uint32_t tag = static_cast<std::uint32_t>(tags >> (slot % 4 * 16)) & 0xffff;
    if (!cells.Has(tag & 31, tag >> 15)) continue;
    auto other = static_cast<std::uint32_t>(line.Word(slot / 2) >> (slot % 2 * 32));
    std::uint64_t x = Join(cells.Half(tag & 31, tag >> 15), other);
    if (static_cast<unsigned>(std::popcount(x ^ query)) <= options_.k && !visit(x)) return false;
  }
  return true;
}

template <class Call>
bool HammingTable::VisitLine(std::uint64_t query, std::uint32_t line_number, const Cells& cells,
                             Call&& visit) const {
  if (!VisitSlots(query, line_number, cells, visit)) return false;
  std::uint64_t last = lines_[line_number].Word(7);
  HammingMeta meta = HammingMeta::From(static_cast<std::uint32_t>(last >> 32));
  if ((meta.filter & cells.filter) == 0) return true;
  if (meta.count > HammingLine::kSlots && !VisitOverflow(query, line_number, meta, cells, visit)) {
    return false;
  }
  return !meta.heavy || VisitHeavy(query, cells, visit);
}

template <class Call>
bool HammingTable::VisitOverflow(std::uint64_t query, std::uint32_t line_number, HammingMeta meta,
                                 const Cells& cells, Call&& visit) const {
  std::uint64_t words[2 * kOverflowWords];
  unsigned count = 0;
  for (;;) {
    const HammingLine& overflow = OverflowLine(line_number, meta.overflow);
    bool pair = meta.count > HammingLine::kSlots + kOverflowWords;
    count = pair ? 2 * kOverflowWords : kOverflowWords;
    for (unsigned i = 0; i < count; ++i) words[i] = (&overflow + i / 8)->Word(i % 8);
    // Had the home's fingerprints moved to another line meanwhile, its count would have grown.
    auto now = static_cast<std::uint32_t>(lines_[line_number].Word(7) >> 32);
    if (now == meta.Bits()) break;
    meta = HammingMeta::From(now);
    if (meta.count <= HammingLine::kSlots) return true;  // being rewritten: the caller will see
  }
  for (unsigned i = 0; i < count; ++i) {
    std::uint64_t x = words[i];
    if (static_cast<unsigned>(std::popcount(x ^ query)) > options_.k || x == 0) continue;
    // A line is shared: fingerprints of other homes are for those to report.
    Item item = ItemOf(x);
    if (((item.mixed ^ cells.mixed) & HammingGeometry::kInformation) != 0) continue;
    if (cells.Has(item.tag & 31, item.tag >> 15) && !visit(x)) return false;
  }
  return true;
}

template <class Call>
bool HammingTable::VisitHeavy(std::uint64_t query, const Cells& cells, Call&& visit) const {
  std::uint32_t bit31 = cells.mixed >> 26;
  for (std::uint32_t flip = 0; flip < 2; ++flip) {
    std::uint32_t set = flip == 0 ? cells.syndromes : cells.syndromes_flipped;
    for (; set != 0; set &= set - 1) {
      auto syndrome = static_cast<std::uint32_t>(std::countr_zero(set));
      const HammingHeavyCell* cell = heavy_.Find(cells.Half(syndrome, bit31 ^ flip));
      if (cell != nullptr && !cell->VisitWithin(query, visit)) return false;
    }
  }
  return true;
}

void HammingTable::Prepare(std::uint64_t query, HammingProbe& probe) const {
  probe.half = HalfOf(query);
  probe.other = OtherOf(query);
  HammingCell cell = HammingCode::Encode(probe.half);
  probe.codeword = cell.codeword;
  probe.syndrome = cell.syndrome;
  probe.count = ball_table_->count[cell.syndrome];
  probe.rewrites = rewrites_.load(std::memory_order_acquire);
  probe.state = state_.load(std::memory_order_acquire);
  probe.geometry = HammingGeometry::Unpack(probe.state);
  kernels_.prepare(*ball_table_, probe);
}

std::optional<std::uint64_t> HammingTable::FindInSlots(const HammingProbe& probe,
                                                       unsigned i) const {
  std::optional<std::uint64_t> found;
  const HammingBallEntry& entry = ball_[probe.syndrome][i];
  Cells cells(probe.codeword ^ entry.codeword_flips, entry.syndromes, entry.syndromes_flipped);
  VisitSlots(Join(probe.half, probe.other), probe.line[i], cells, [&](std::uint64_t x) {
    found = x;
    return false;
  });
  return found;
}

// Leaves what line i's meta points to for later, asking for it now.
void HammingTable::Postpone(const HammingProbe& probe, unsigned i, HammingPending& pending) const {
  pending.lines |= 1U << i;
  pending.meta[i] = static_cast<std::uint32_t>(lines_[probe.line[i]].Word(7) >> 32);
  HammingMeta meta = HammingMeta::From(pending.meta[i]);
  __builtin_prefetch(&OverflowLine(probe.line[i], meta.overflow));
}

std::optional<std::uint64_t> HammingTable::FindAtHome(const HammingProbe& probe,
                                                      HammingPending& pending) const {
  pending.lines = 0;
  if (auto found = FindInSlots(probe, 0)) return found;
  const HammingBallEntry& home = ball_[probe.syndrome][0];
  std::uint32_t tag = HammingGeometry::Tag(HammingGeometry::Mix(probe.codeword), 0);
  std::uint32_t filter = HammingMeta::FilterOf(tag, home.syndromes | home.syndromes_flipped) << 16;
  auto meta = static_cast<std::uint32_t>(lines_[probe.line[0]].Word(7) >> 32);
  if ((meta & filter) != 0) Postpone(probe, 0, pending);
  return std::nullopt;
}

std::optional<std::uint64_t> HammingTable::FindInLine(const HammingProbe& probe,
                                                      unsigned i) const {
  std::optional<std::uint64_t> found;
  const HammingBallEntry& entry = ball_[probe.syndrome][i];
  Cells cells(probe.codeword ^ entry.codeword_flips, entry.syndromes, entry.syndromes_flipped);
  VisitLine(Join(probe.half, probe.other), probe.line[i], cells, [&](std::uint64_t x) {
    found = x;
    return false;
  });
  return found;
}

std::optional<std::uint64_t> HammingTable::FindAround(const HammingProbe& probe,
                                                      const HammingTable* next_table,
                                                      const HammingProbe* next,
                                                      HammingPending& pending) const {
  const HammingLine* next_lines = next_table == nullptr ? nullptr : next_table->lines_;
  HammingScanResult some = kernels_.scan(lines_, probe, next_lines, next);
  for (; some.tags != 0; some.tags &= some.tags - 1) {
    auto i = static_cast<unsigned>(std::countr_zero(some.tags));
    if (auto found = FindInSlots(probe, i)) return found;
  }
  for (; some.elsewhere != 0; some.elsewhere &= some.elsewhere - 1) {
    Postpone(probe, static_cast<unsigned>(std::countr_zero(some.elsewhere)), pending);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> HammingTable::FindElsewhere(const HammingProbe& probe,
                                                         const HammingPending& pending) const {
  std::uint64_t query = Join(probe.half, probe.other);
  std::uint32_t visit = 0;
  for (std::uint32_t left = pending.lines; left != 0; left &= left - 1) {
    auto i = static_cast<unsigned>(std::countr_zero(left));
    HammingMeta meta = HammingMeta::From(pending.meta[i]);
    bool one_line = !meta.heavy && meta.count <= HammingLine::kSlots + kOverflowWords;
    bool near =
        !one_line || kernels_.near(OverflowLine(probe.line[i], meta.overflow), query, options_.k);
    // Had its fingerprints moved to another line, the home's meta would have changed.
    auto now = static_cast<std::uint32_t>(lines_[probe.line[i]].Word(7) >> 32);
    visit |= static_cast<std::uint32_t>(near || now != pending.meta[i]) << i;
  }
  for (; visit != 0; visit &= visit - 1) {
    auto i = static_cast<unsigned>(std::countr_zero(visit));
    if (auto found = FindInLine(probe, i)) return found;
  }
  std::optional<std::uint64_t> found;
  if (probe.geometry.bits == HammingGeometry::kBitsMax && options_.radius == 1) {
    // Only now does bit 31 take part in the address: its flip is elsewhere.
    Cells cells(probe.codeword ^ 1U << 26, 1U << probe.syndrome, 0);
    VisitLine(query, probe.geometry.LineOf(cells.mixed), cells, [&](std::uint64_t x) {
      found = x;
      return false;
    });
  }
  return found;
}

bool HammingTable::Touched(std::uint32_t group, const HammingGeometry& before,
                           const HammingGeometry& after) const {
  if (before.bits != after.bits || before.share != after.share) return true;
  return group >= before.split && group < after.split + after.busy;
}

bool HammingTable::Valid(const HammingProbe& probe) const {
  std::uint64_t after = state_.load(std::memory_order_acquire);
  if ((probe.rewrites & 1) != 0 || rewrites_.load(std::memory_order_acquire) != probe.rewrites) {
    return false;
  }
  if (after == probe.state && probe.geometry.busy == 0) return true;
  HammingGeometry geometry = HammingGeometry::Unpack(after);
  for (std::uint32_t i = 0; i < probe.count; ++i) {
    std::uint32_t group = probe.line[i] & ((1U << probe.geometry.bits) - 1);
    if (Touched(group, probe.geometry, geometry)) return false;
  }
  return true;
}

bool HammingTable::Visit(std::uint64_t query, void* context, Visitor visit, bool* valid) const {
  std::uint64_t rewrites = rewrites_.load(std::memory_order_acquire);
  std::uint64_t state = state_.load(std::memory_order_acquire);
  HammingGeometry geometry = HammingGeometry::Unpack(state);
  HammingCell centre = HammingCode::Encode(HalfOf(query));
  const std::vector<HammingBallEntry>& ball = ball_[centre.syndrome];
  auto call = [&](std::uint64_t x) { return visit(context, x); };
  bool all = true;
  bool touched = false;
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < ball.size() + kAhead && all; ++i) {
    if (i < ball.size()) {
      std::uint32_t mixed = HammingGeometry::Mix(centre.codeword ^ ball[i].codeword_flips);
      __builtin_prefetch(&lines_[geometry.LineOf(mixed)]);
    }
    if (i < kAhead) continue;
    const HammingBallEntry& entry = ball[i - kAhead];
    Cells cells(centre.codeword ^ entry.codeword_flips, entry.syndromes, entry.syndromes_flipped);
    std::uint32_t line = geometry.LineOf(cells.mixed);
    all = VisitLine(query, line, cells, call);
    if (all && geometry.bits == HammingGeometry::kBitsMax && entry.syndromes_flipped != 0) {
      Cells flipped(centre.codeword ^ entry.codeword_flips ^ 1U << 26, entry.syndromes_flipped, 0);
      std::uint32_t elsewhere = geometry.LineOf(flipped.mixed);
      if (elsewhere != line) all = VisitLine(query, elsewhere, flipped, call);
    }
    HammingGeometry now = HammingGeometry::Unpack(state_.load(std::memory_order_acquire));
    touched |= Touched(geometry.Group(cells.mixed), geometry, now);
  }
  *valid =
      !touched && (rewrites & 1) == 0 && rewrites_.load(std::memory_order_acquire) == rewrites;
  return all;
}

void HammingTable::VisitAll(void* context, Visitor visit) const {
  std::vector<std::uint64_t> words;
  auto drain = [&] {
    for (std::uint64_t x : words) {
      if (!visit(context, x)) return false;
    }
    words.clear();
    return true;
  };
  base::MutexLock still(growth_mutex_);
  HammingGeometry geometry = HammingGeometry::Unpack(state_.load(std::memory_order_acquire));
  for (std::uint64_t first = 0; first < geometry.lines(); first += kRegionHomes) {
    {
      Region& region = RegionOf(static_cast<std::uint32_t>(first));
      base::MutexLock lock(region.mutex);
      std::uint64_t end = std::min(first + kRegionHomes, geometry.lines());
      for (std::uint64_t i = first; i < end; ++i) {
        auto home = static_cast<std::uint32_t>(i);
        HammingLine line = lines_[home].Snapshot();
        HammingMeta meta = HammingMeta::From(line.meta());
        std::uint32_t first_fraction =
            geometry.FirstOf(home, geometry.Share(geometry.Group(home)));
        for (unsigned slot = 0; slot < std::min(meta.count, HammingLine::kSlots); ++slot) {
          std::uint32_t mixed = geometry.WordOf(home, line.Tag(slot), first_fraction);
          words.push_back(FingerprintOf({mixed, line.Tag(slot), line.Other(slot)}));
        }
        Collect(home, meta, words);
      }
    }
    if (!drain()) return;
  }
  heavy_.ForEachCell([&](const HammingHeavyCell& cell) {
    cell.ForEach([&](std::uint64_t x) { words.push_back(x); });
  });
  drain();
}

// ---------------------------------------------------------------------------------------------
// Overflow lines; the region's lock is held

bool HammingTable::AddSlab(Region& region, std::uint32_t home) {
  std::size_t slabs = region.free.size() / kSlabLines;
  if (slabs == kSlabsPerRegion) return false;
  std::uint32_t slab = slabs_.fetch_add(1, std::memory_order_relaxed);
  if (slab >= kOverflowLinesMax / kSlabLines) {
    slabs_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  slab_of_[std::size_t{home / kRegionHomes} * kSlabsPerRegion + slabs].store(
      slab, std::memory_order_relaxed);
  region.free.resize(region.free.size() + std::size_t{kSlabLines}, kOverflowWords);
  return true;
}

std::optional<std::uint32_t> HammingTable::FindFree(Region& region, std::uint32_t home,
                                                    std::uint32_t words, std::uint32_t not_line) {
  bool passed_it = false;
  for (std::uint32_t i = region.first_with[words];; ++i) {
    if (i == region.free.size() && !AddSlab(region, home)) return std::nullopt;
    if (region.free[i] < words) continue;
    if (i == not_line) {
      passed_it = true;
      continue;
    }
    if (!passed_it) region.first_with[words] = i;
    return i;
  }
}

std::optional<std::uint32_t> HammingTable::FindFreePair(Region& region, std::uint32_t home) {
  for (std::uint32_t i = region.first_with[kOverflowWords] & ~1U;; i += 2) {
    if (i == region.free.size() && !AddSlab(region, home)) return std::nullopt;
    if (region.free[i] == kOverflowWords && region.free[i + 1] == kOverflowWords) return i;
  }
}

void HammingTable::PutWord(Region& region, std::uint32_t home, std::uint32_t number,
                           std::uint64_t word) {
  HammingLine& line = OverflowLine(home, number);
  for (unsigned i = 0; i < kOverflowWords; ++i) {
    if (line.Word(i) != 0) continue;
    line.SetWord(i, word);
    --region.free[number];
    return;
  }
  CHECK(false);
}

void HammingTable::Collect(std::uint32_t home, HammingMeta meta,
                           std::vector<std::uint64_t>& words) const {
  if (meta.count <= HammingLine::kSlots) return;
  bool pair = meta.count > HammingLine::kSlots + kOverflowWords;
  const HammingLine& line = OverflowLine(home, meta.overflow);
  // The state may say more groups have grown than when `home` was found, but not its own.
  HammingGeometry geometry = HammingGeometry::Unpack(state_.load(std::memory_order_relaxed));
  for (unsigned i = 0; i < (pair ? 2 * kOverflowWords : kOverflowWords); ++i) {
    std::uint64_t x = (&line + i / 8)->Word(i % 8);
    if (x == 0) continue;
    if (pair || geometry.LineOf(ItemOf(x).mixed) == home) words.push_back(x);
  }
}

void HammingTable::FreeWords(Region& region, std::uint32_t home, HammingMeta meta) {
  if (meta.count <= HammingLine::kSlots) return;
  bool pair = meta.count > HammingLine::kSlots + kOverflowWords;
  HammingLine& line = OverflowLine(home, meta.overflow);
  HammingGeometry geometry = HammingGeometry::Unpack(state_.load(std::memory_order_relaxed));
  for (unsigned n = 0; n < (pair ? 2U : 1U); ++n) {
    std::uint8_t& free = region.free[meta.overflow + n];
    if (pair) free = 0;
    for (unsigned i = 0; i < kOverflowWords; ++i) {
      std::uint64_t x = (&line + n)->Word(i);
      if (x != 0 && !pair && geometry.LineOf(ItemOf(x).mixed) != home) continue;
      if (x != 0) (&line + n)->SetWord(i, 0);
      if (x != 0 || pair) ++free;
    }
    for (std::uint32_t w = 1; w <= free; ++w) {
      region.first_with[w] = std::min(region.first_with[w], meta.overflow + n);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Writing

void HammingTable::PrefetchForInsert(std::uint64_t fingerprint) const {
  HammingGeometry geometry = HammingGeometry::Unpack(state_.load(std::memory_order_relaxed));
  __builtin_prefetch(&lines_[geometry.LineOf(ItemOf(fingerprint).mixed)], 1, 3);
}

bool HammingTable::Insert(std::uint64_t fingerprint) {
  CHECK(fingerprint != 0);
  Item item = ItemOf(fingerprint);
  for (;;) {
    HammingGeometry geometry = HammingGeometry::Unpack(state_.load(std::memory_order_acquire));
    std::uint32_t home = geometry.LineOf(item.mixed);
    Region& region = RegionOf(home);
    base::MutexLock lock(region.mutex);
    geometry = HammingGeometry::Unpack(state_.load(std::memory_order_acquire));
    // With the lock held the group cannot grow; before, it may have.
    if (geometry.LineOf(item.mixed) != home) continue;
    if (!InsertLocked(region, home, geometry, fingerprint, item)) return false;
    break;
  }
  if (items_.load(std::memory_order_relaxed) >= grow_from_.load(std::memory_order_relaxed)) Grow();
  return true;
}

bool HammingTable::IsIn(std::uint32_t home, const HammingLine& line, HammingMeta meta,
                        std::uint64_t fingerprint, const Item& item) const {
  std::uint32_t slots = kernels_.match(line, item.tag, 0xffff);
  slots &= (1U << std::min(meta.count, HammingLine::kSlots)) - 1;
  for (; slots != 0; slots &= slots - 1) {
    if (line.Other(static_cast<unsigned>(std::countr_zero(slots))) == item.other) return true;
  }
  if (meta.count <= HammingLine::kSlots || (meta.filter & HammingMeta::FilterBit(item.tag)) == 0) {
    return false;
  }
  bool pair = meta.count > HammingLine::kSlots + kOverflowWords;
  const HammingLine& overflow = OverflowLine(home, meta.overflow);
  for (unsigned i = 0; i < (pair ? 2 * kOverflowWords : kOverflowWords); ++i) {
    if ((&overflow + i / 8)->Word(i % 8) == fingerprint) return true;
  }
  return false;
}

bool HammingTable::InsertLocked(Region& region, std::uint32_t home,
                                const HammingGeometry& geometry, std::uint64_t fingerprint,
                                const Item& item) {
  HammingLine& line = lines_[home];
  HammingLine copy = line.Snapshot();
  HammingMeta meta = HammingMeta::From(copy.meta());
  if (IsIn(home, copy, meta, fingerprint, item)) return false;
  if (meta.heavy && (meta.filter & HammingMeta::FilterBit(item.tag)) != 0) {
    if (HammingHeavyCell* cell = heavy_.Find(HalfOf(fingerprint)); cell != nullptr) {
      if (cell->Contains(fingerprint)) return false;
      heavy_.AddBytes(cell->Append(fingerprint));
      return true;
    }
  }
  items_.fetch_add(1, std::memory_order_relaxed);
  if (meta.count < HammingLine::kSlots) {
    unsigned slot = meta.count++;
    copy.Put(slot, item.tag, item.other);
    copy.SetMeta(meta.Bits());
    line.SetWord(slot / 2, copy.words[slot / 2]);
    if (slot < 8) line.SetWord(5 + slot / 4, copy.words[5 + slot / 4]);
    line.SetWord(7, copy.words[7]);
  } else if (!AddToOverflow(region, home, meta, fingerprint, item)) {
    TurnHeavy(region, home, geometry, item);
  }
  return true;
}

bool HammingTable::AddToOverflow(Region& region, std::uint32_t home, HammingMeta meta,
                                 std::uint64_t fingerprint, const Item& item) {
  if (meta.count >= kHomeMax) return false;
  HammingMeta next = meta;
  ++next.count;
  next.filter |= HammingMeta::FilterBit(item.tag);
  std::uint32_t words = next.count - HammingLine::kSlots;
  auto publish = [&] {
    HammingLine& line = lines_[home];
    std::uint64_t low = line.Word(7) & 0xffffffff;
    line.SetWord(7, low | std::uint64_t{next.Bits()} << 32);
  };
  if (words > kOverflowWords + 1) {  // has its pair already
    std::uint32_t at = words - 1;
    (&OverflowLine(home, meta.overflow) + at / 8)->SetWord(at % 8, fingerprint);
    publish();
    return true;
  }
  bool has_line = words > 1;
  if (has_line && words <= kOverflowWords && region.free[meta.overflow] > 0) {
    PutWord(region, home, meta.overflow, fingerprint);
    publish();
    return true;
  }
  // To a line, or pair, that has room: there first, then published, then freed here.
  std::uint32_t here = has_line ? meta.overflow : kNoLine;
  std::optional<std::uint32_t> there =
      words <= kOverflowWords ? FindFree(region, home, words, here) : FindFreePair(region, home);
  if (!there) return false;
  std::vector<std::uint64_t> moving;
  Collect(home, meta, moving);
  moving.push_back(fingerprint);
  next.overflow = *there;
  if (words <= kOverflowWords) {
    for (std::uint64_t x : moving) PutWord(region, home, *there, x);
  } else {
    HammingLine* pair = &OverflowLine(home, *there);
    for (unsigned i = 0; i < moving.size(); ++i) pair[i / 8].SetWord(i % 8, moving[i]);
    region.free[*there] = region.free[*there + 1] = 0;
  }
  publish();
  if (has_line) FreeWords(region, home, meta);
  return true;
}

void HammingTable::TakeItems(Region& region, std::uint32_t home, std::uint32_t share,
                             const HammingGeometry& geometry, std::vector<Item>& items) {
  HammingLine line = lines_[home].Snapshot();
  HammingMeta meta = HammingMeta::From(line.meta());
  std::uint32_t first = geometry.FirstOf(home, share);
  for (unsigned slot = 0; slot < std::min(meta.count, HammingLine::kSlots); ++slot) {
    std::uint32_t tag = line.Tag(slot);
    items.push_back({geometry.WordOf(home, tag, first), tag, line.Other(slot)});
  }
  if (meta.count <= HammingLine::kSlots) return;
  std::vector<std::uint64_t> words;
  Collect(home, meta, words);
  for (std::uint64_t x : words) items.push_back(ItemOf(x));
  FreeWords(region, home, meta);
}

void HammingTable::TurnHeavy(Region& region, std::uint32_t home, const HammingGeometry& geometry,
                             const Item& item) {
  base::MutexLock lock(heavy_mutex_);
  // Odd before the first change, even after the last; readers in between try again.
  rewrites_.fetch_add(1, std::memory_order_acq_rel);
  HammingMeta before = HammingMeta::From(lines_[home].Snapshot().meta());
  std::vector<Item> items;
  TakeItems(region, home, geometry.Share(geometry.Group(home)), geometry, items);
  items.push_back(item);
  HammingMeta meta;
  meta.heavy = before.heavy;
  if (before.heavy) meta.filter = before.filter;
  MoveToHeavy(items, meta);
  StoreHome(region, home, items, meta);
  rewrites_.fetch_add(1, std::memory_order_acq_rel);
}

void HammingTable::MoveToHeavy(std::vector<Item>& items, HammingMeta& meta) {
  auto cell_of = [](const Item& item) { return std::pair(item.mixed, item.tag); };
  std::sort(items.begin(), items.end(),
            [&](const Item& a, const Item& b) { return cell_of(a) < cell_of(b); });
  // The cells with the most fingerprints go first.
  std::vector<std::pair<std::size_t, std::size_t>> runs;  // length, begin
  for (std::size_t begin = 0; begin < items.size();) {
    std::size_t end = begin + 1;
    while (end < items.size() && cell_of(items[end]) == cell_of(items[begin])) ++end;
    runs.emplace_back(end - begin, begin);
    begin = end;
  }
  std::sort(runs.begin(), runs.end(), std::greater<>());
  std::vector<Item> staying;
  std::size_t left = items.size();
  for (const auto& [length, begin] : runs) {
    const Item& first = items[begin];
    if (left <= HammingLine::kSlots) {
      staying.insert(staying.end(), items.begin() + static_cast<std::ptrdiff_t>(begin),
                     items.begin() + static_cast<std::ptrdiff_t>(begin + length));
      continue;
    }
    HammingHeavyCell& cell = heavy_.FindOrCreate(HalfOf(FingerprintOf(first)));
    for (std::size_t i = begin; i < begin + length; ++i) {
      heavy_.AddBytes(cell.Append(FingerprintOf(items[i])));
    }
    meta.heavy = true;
    meta.filter |= HammingMeta::FilterBit(first.tag);
    left -= length;
    items_.fetch_sub(length, std::memory_order_relaxed);
  }
  items = std::move(staying);
}

void HammingTable::StoreHome(Region& region, std::uint32_t home, std::vector<Item>& items,
                             HammingMeta meta) {
  std::size_t extra = items.size() > HammingLine::kSlots ? items.size() - HammingLine::kSlots : 0;
  if (extra > 0) {
    std::optional<std::uint32_t> there;
    if (extra <= kOverflowWords) {
      there = FindFree(region, home, static_cast<std::uint32_t>(extra), kNoLine);
    } else if (items.size() <= kHomeMax) {
      there = FindFreePair(region, home);
    }
    if (!there) {
      MoveToHeavy(items, meta);
      extra = 0;
    } else {
      meta.overflow = *there;
      HammingLine* overflow = &OverflowLine(home, *there);
      for (unsigned i = 0; i < extra; ++i) {
        const Item& item = items[HammingLine::kSlots + i];
        meta.filter |= HammingMeta::FilterBit(item.tag);
        std::uint64_t x = FingerprintOf(item);
        if (extra <= kOverflowWords) {
          PutWord(region, home, *there, x);
        } else {
          overflow[i / 8].SetWord(i % 8, x);
        }
      }
      if (extra > kOverflowWords) region.free[*there] = region.free[*there + 1] = 0;
    }
  }
  HammingLine line{};
  meta.count = static_cast<std::uint32_t>(items.size());
  for (unsigned slot = 0; slot < items.size() - extra; ++slot) {
    line.Put(slot, items[slot].tag, items[slot].other);
  }
  line.SetMeta(meta.Bits());
  for (unsigned i = 0; i < 8; ++i) lines_[home].SetWord(i, line.words[i]);
}

// ---------------------------------------------------------------------------------------------
// Growth

void HammingTable::Grow() {
  if (growing_.exchange(true, std::memory_order_acquire)) return;
  {
    base::MutexLock lock(growth_mutex_);
    // At most a few steps by one caller: the next insert goes on.
    for (int step = 0; step < 4; ++step) {
      if (items_.load(std::memory_order_relaxed) < grow_from_.load(std::memory_order_relaxed)) {
        break;
      }
      if (GrowSome() == 0) break;
    }
  }
  growing_.store(false, std::memory_order_release);
}

// Locks a number of regions known only now: beyond the static analysis.
std::uint32_t HammingTable::GrowSome() NO_THREAD_SAFETY_ANALYSIS {
  HammingGeometry geometry = HammingGeometry::Unpack(state_.load(std::memory_order_relaxed));
  std::uint32_t groups = std::min({kGroupsAtATime, (1U << geometry.bits) - geometry.split,
                                   kRegionHomes - geometry.split % kRegionHomes});
  if (geometry.full()) return 0;
  if (geometry.bits == HammingGeometry::kBitsMax &&
      geometry.share == 2 * HammingGeometry::kShareMin - 1) {
    groups = std::min(groups, (1U << geometry.bits) - geometry.split - 1);
  }
  EnsureRegions(geometry.lines() + groups);
  for (std::uint32_t t = 0; t <= geometry.share; ++t) {
    RegionOf(t << geometry.bits | geometry.split).mutex.Lock();
  }
  HammingGeometry busy = geometry;
  busy.busy = groups;
  state_.exchange(busy.Pack(), std::memory_order_acq_rel);
  for (std::uint32_t i = 0; i < groups; ++i) GrowGroup(geometry, geometry.split + i);
  state_.exchange(geometry.Grown(groups).Pack(), std::memory_order_acq_rel);
  for (std::uint32_t t = geometry.share + 1; t-- > 0;) {
    RegionOf(t << geometry.bits | geometry.split).mutex.Unlock();
  }
  SetThreshold();
  // The next step's lines, wanted in some eighty inserts, come meanwhile.
  PrefetchGroups(geometry.Grown(groups), kGroupsAtATime);
  return groups;
}

void HammingTable::PrefetchGroups(const HammingGeometry& geometry, std::uint32_t groups) const {
  for (std::uint32_t t = 0; t < geometry.share; ++t) {
    for (std::uint32_t i = 0; i < groups; ++i) {
      __builtin_prefetch(&lines_[(t << geometry.bits | geometry.split) + i], 1, 2);
    }
  }
}

void HammingTable::GrowGroup(const HammingGeometry& geometry, std::uint32_t group) {
  std::uint32_t share = geometry.share;
  for (std::uint32_t t = 0; t <= share; ++t) scratch_[t].clear();
  std::vector<Item> items;
  items.reserve(16 * std::size_t{share});
  for (std::uint32_t t = 0; t < share; ++t) {
    std::uint32_t home = t << geometry.bits | group;
    HammingMeta meta = HammingMeta::From(static_cast<std::uint32_t>(lines_[home].Word(7) >> 32));
    __builtin_prefetch(&OverflowLine(home, meta.overflow), 1, 3);
  }
  for (std::uint32_t t = 0; t < share; ++t) {
    std::uint32_t home = t << geometry.bits | group;
    TakeItems(RegionOf(home), home, share, geometry, items);
  }
  for (const Item& item : items) {
    scratch_[geometry.LineOf(item.mixed, share + 1) >> geometry.bits].push_back(item);
  }
  std::array<HammingMeta, std::size_t{2} * HammingGeometry::kShareMin> meta{};
  for (std::uint32_t half : heavy_.InGroup(group, geometry.bits)) {
    HammingCell cell = HammingCode::Encode(half);
    std::uint32_t mixed = HammingGeometry::Mix(cell.codeword);
    HammingMeta& its = meta[geometry.LineOf(mixed, share + 1) >> geometry.bits];
    its.heavy = true;
    its.filter |= HammingMeta::FilterBit(HammingGeometry::Tag(mixed, cell.syndrome));
  }
  for (std::uint32_t t = 0; t <= share; ++t) {
    std::uint32_t home = t << geometry.bits | group;
    StoreHome(RegionOf(home), home, scratch_[t], meta[t]);
  }
}

}  // namespace contentseen
