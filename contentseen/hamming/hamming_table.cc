#include "contentseen/hamming/hamming_table.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/check.h"

namespace contentseen {
namespace {

// The probe's line `flipped` among its pending ones.
constexpr unsigned kFlippedLine = 16;

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
  /// What one of them sets there.
  std::uint32_t first_field;

  /// In a probe's flipped line the one with an equal half but for bit 31.
  static Cells Flipped(const HammingProbe& probe) {
    return Cells(probe.codeword ^ 1U << 26, 1U << probe.syndrome, 0);
  }
  Cells(std::uint32_t codeword, std::uint32_t near, std::uint32_t near_flipped)
      : mixed(HammingGeometry::Mix(codeword)),
        syndromes(near),
        syndromes_flipped(near_flipped),
        tag(HammingGeometry::Tag(mixed, 0)),
        first_field(HammingMeta::FirstFieldOf(tag, near | near_flipped)) {}

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
  auto overflow = HammingOverflow::Create(kLinesMax, options.huge_pages);
  if (!overflow) return base::Fail(overflow.error().message);
  return std::unique_ptr<HammingTable>(
      new HammingTable(options, kernels, std::move(*lines), std::move(*overflow)));
}

HammingTable::HammingTable(const Options& options, const HammingKernels& kernels,
                           ReservedMemory lines, HammingOverflow overflow)
    : options_(options),
      kernels_(kernels),
      lines_memory_(std::move(lines)),
      lines_(reinterpret_cast<HammingLine*>(lines_memory_.data())),
      overflow_(std::move(overflow)),
      heavy_(32 - options.half_shift, options.k, kernels) {
  for (unsigned s = 0; s < 32; ++s) ball_[s] = HammingCode::Ball(s, options_.radius);
  if (options_.radius <= 1) ball_table_ = MakeBallTable(ball_);
  HammingGeometry geometry = HammingGeometry::ForFingerprints(options_.expected_n);
  overflow_.EnsureRegions(geometry.lines());
  state_.store(geometry.Pack(), std::memory_order_release);
  SetThreshold();
}

HammingTable::~HammingTable() = default;

void HammingTable::SetThreshold() {
  HammingGeometry geometry = HammingGeometry::Unpack(state_.load(std::memory_order_relaxed));
  grow_from_.store(geometry.full() ? std::numeric_limits<std::int64_t>::max()
                                   : static_cast<std::int64_t>(geometry.Capacity()),
                   std::memory_order_relaxed);
}

std::uint64_t HammingTable::bytes() const {
  std::uint64_t homes = lines();
  return lines_memory_.Taken(homes * sizeof(HammingLine)) + overflow_.bytes(homes) +
         sizeof(*this) + sizeof(Workshop) + heavy_.bytes();
}

// ---------------------------------------------------------------------------------------------
// Reading

template <class Call>
bool HammingTable::VisitSlots(std::uint64_t query, std::uint32_t line_number,
                              const HammingGeometry& geometry, const Cells& cells,
                              Call&& visit) const {
  const HammingLine& line = lines_[line_number];
  auto meta = HammingMeta::From(static_cast<std::uint32_t>(line.Word(7) >> 32));
  std::uint32_t slots = kernels_.within(line, OtherOf(query), options_.k);
  slots &= InUse(meta, geometry.Around(line_number).Layout());
  if (slots == 0) return true;
  bool going = true;
  ForEachInSlots(line.Snapshot(), line_number, geometry, slots, [&](const Item& item) {
    if (!going || ((item.mixed ^ cells.mixed) & HammingGeometry::kInformation) != 0) return;
    if (!cells.Has(item.tag & 31, item.tag >> 7)) return;
    std::uint64_t x = FingerprintOf(item);
    going = static_cast<unsigned>(std::popcount(x ^ query)) > options_.k || visit(x);
  });
  return going;
}

template <class Call>
bool HammingTable::VisitLine(std::uint64_t query, std::uint32_t line_number,
                             const HammingGeometry& geometry, const Cells& cells,
                             Call&& visit) const {
  if (!VisitSlots(query, line_number, geometry, cells, visit)) return false;
  auto bits = static_cast<std::uint32_t>(lines_[line_number].Word(7) >> 32);
  if ((bits >> HammingMeta::kFilterFirst & cells.first_field) == 0) return true;
  const HammingMeta meta = HammingMeta::From(bits);
  if (meta.InOverflow() > 0 && !VisitOverflow(query, line_number, bits, cells, visit)) {
    return false;
  }
  return !meta.heavy || VisitHeavy(query, cells, visit);
}

template <class Call>
bool HammingTable::VisitOverflow(std::uint64_t query, std::uint32_t line_number,
                                 std::uint32_t meta_bits, const Cells& cells, Call&& visit) const {
  std::uint64_t words[2 * kOverflowWords];
  unsigned count = 0;
  for (;;) {
    const HammingMeta meta = HammingMeta::From(meta_bits);
    if (meta.InOverflow() == 0) return true;  // being rewritten: the caller will see
    const HammingLine& overflow = overflow_.Line(line_number, meta.overflow);
    bool pair = meta.InOverflow() > kOverflowWords;
    count = pair ? 2 * kOverflowWords : kOverflowWords;
    for (unsigned i = 0; i < count; ++i) words[i] = (&overflow + i / 8)->Word(i % 8);
    // Had the home's fingerprints moved to another line meanwhile, its count would have grown.
    auto now = static_cast<std::uint32_t>(lines_[line_number].Word(7) >> 32);
    if (now == meta_bits) break;
    meta_bits = now;
  }
  for (unsigned i = 0; i < count; ++i) {
    std::uint64_t x = words[i];
    if (static_cast<unsigned>(std::popcount(x ^ query)) > options_.k || x == 0) continue;
    // A line is shared: fingerprints of other homes are for those to report.
    Item item = ItemOf(x);
    if (((item.mixed ^ cells.mixed) & HammingGeometry::kInformation) != 0) continue;
    if (cells.Has(item.tag & 31, item.tag >> 7) && !visit(x)) return false;
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

void HammingTable::Prepare(std::span<const std::uint64_t> queries,
                           HammingProbe* const* probes) const {
  const std::uint64_t rewrites = rewrites_.load(std::memory_order_acquire);
  const std::uint64_t state = state_.load(std::memory_order_acquire);
  const HammingGeometry geometry = HammingGeometry::Unpack(state);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    HammingProbe& probe = *probes[i];
    probe.half = HalfOf(queries[i]);
    probe.other = OtherOf(queries[i]);
    const HammingCell cell = HammingCode::Encode(probe.half);
    probe.codeword = cell.codeword;
    probe.syndrome = cell.syndrome;
    probe.count = ball_table_->count[cell.syndrome];
    probe.flipped = HammingProbe::kNone;
    probe.rewrites = rewrites;
    probe.state = state;
  }
  const HammingFields fields = {geometry.Around(geometry.split).Layout().fields,
                                geometry.Around(0).Layout().fields};
  kernels_.prepare(*ball_table_, geometry, fields, probes, queries.size());
  for (HammingProbe* probe : std::span(probes, queries.size())) {
    // At home the cell with bit 31 flipped is in the ball, with a third field of its own; and of a
    // codeword any syndrome is.
    const std::uint32_t known = probe->syndrome == 0 ? 0 : ~HammingLayout::kThirdField;
    probe->mark_a[0] &= known;
    probe->mark_b[0] &= known;
  }
  if (geometry.bits < HammingGeometry::kBitsMax || options_.radius == 0) return;
  // Only there does bit 31 take part in the address: with it flipped the home is elsewhere.
  for (HammingProbe* probe : std::span(probes, queries.size())) {
    std::uint32_t flipped = geometry.LineOf(HammingGeometry::Mix(probe->codeword ^ 1U << 26));
    if (flipped != probe->line[0]) probe->flipped = flipped;
  }
}

std::optional<std::uint64_t> HammingTable::FindInSlots(const HammingProbe& probe,
                                                       unsigned i) const {
  std::optional<std::uint64_t> found;
  const HammingBallEntry& entry = ball_[probe.syndrome][i];
  Cells cells(probe.codeword ^ entry.codeword_flips, entry.syndromes, entry.syndromes_flipped);
  VisitSlots(Join(probe.half, probe.other), probe.line[i], probe.geometry(), cells,
             [&](std::uint64_t x) {
               found = x;
               return false;
             });
  return found;
}

void HammingTable::FetchPending(HammingPending& pending) const {
  bool heavy = false;
  bool pairs = false;
  for (unsigned i = 0; i < pending.count; ++i) {
    HammingMeta meta = HammingMeta::From(pending.meta[i]);
    const HammingLine* line = &overflow_.Line(pending.home[i], meta.overflow);
    __builtin_prefetch(line, 0, 2);
    pending.overflow[i] = line;
    heavy |= meta.heavy;
    pairs |= meta.InOverflow() > kOverflowWords;
  }
  pending.heavy = heavy;
  pending.overflow_count = pending.count;
  if (!pairs) return;
  for (unsigned i = 0; i < pending.count; ++i) {
    if (HammingMeta::From(pending.meta[i]).InOverflow() <= kOverflowWords) continue;
    const HammingLine* second = pending.overflow[i] + 1;
    __builtin_prefetch(second, 0, 2);
    pending.overflow[pending.overflow_count++] = second;
  }
}

std::optional<std::uint64_t> HammingTable::FindAtHome(const HammingProbe& probe) const {
  return FindInSlots(probe, 0);
}

std::optional<std::uint64_t> HammingTable::FindFlipped(const HammingProbe& probe) const {
  std::optional<std::uint64_t> found;
  VisitLine(Join(probe.half, probe.other), probe.flipped, probe.geometry(), Cells::Flipped(probe),
            [&](std::uint64_t x) {
              found = x;
              return false;
            });
  return found;
}

std::optional<std::uint64_t> HammingTable::FindInLine(const HammingProbe& probe,
                                                      unsigned i) const {
  if (i == kFlippedLine) return FindFlipped(probe);
  std::optional<std::uint64_t> found;
  const HammingBallEntry& entry = ball_[probe.syndrome][i];
  Cells cells(probe.codeword ^ entry.codeword_flips, entry.syndromes, entry.syndromes_flipped);
  VisitLine(Join(probe.half, probe.other), probe.line[i], probe.geometry(), cells,
            [&](std::uint64_t x) {
              found = x;
              return false;
            });
  return found;
}

std::optional<std::uint64_t> HammingTable::FindNear(const HammingProbe& probe, std::uint32_t near,
                                                    HammingPending& pending) const {
  for (; near != 0; near &= near - 1) {
    if (auto found = FindInSlots(probe, static_cast<unsigned>(std::countr_zero(near)))) {
      return found;
    }
  }
  if (probe.flipped != HammingProbe::kNone) {
    const HammingLine& flipped = lines_[probe.flipped];
    if (kernels_.within(flipped, probe.other, options_.k - 1) != 0) {
      if (auto found = FindFlipped(probe)) return found;
    }
    auto meta = static_cast<std::uint32_t>(flipped.Word(7) >> 32);
    if ((meta >> HammingMeta::kFilterFirst & Cells::Flipped(probe).first_field) != 0) {
      pending.lines |= 1U << kFlippedLine;
      pending.home[pending.count] = probe.flipped;
      pending.meta[pending.count++] = meta;
    }
  }
  return std::nullopt;
}

bool HammingTable::AnythingIn(const HammingPending& pending, std::uint64_t query) const {
  bool any = kernels_.near(pending.overflow, pending.overflow_count, query, options_.k);
  // Had its fingerprints moved to another line, the home's meta would have changed.
  std::uint32_t changed = 0;
  auto compare = [&](unsigned i) {
    auto now = static_cast<std::uint32_t>(lines_[pending.home[i]].Word(7) >> 32);
    changed |= now ^ pending.meta[i];
  };
  for (unsigned i = 0; i < pending.count; ++i) compare(i);
  return any || changed != 0 || pending.heavy;
}

std::optional<std::uint64_t> HammingTable::FindElsewhere(const HammingProbe& probe,
                                                         const HammingPending& pending) const {
  if (!AnythingIn(pending, Join(probe.half, probe.other))) return std::nullopt;
  for (std::uint32_t left = pending.lines; left != 0; left &= left - 1) {
    if (auto found = FindInLine(probe, static_cast<unsigned>(std::countr_zero(left)))) {
      return found;
    }
  }
  return std::nullopt;
}

bool HammingTable::Touched(std::uint32_t group, const HammingGeometry& before,
                           const HammingGeometry& after) const {
  if (before.bits != after.bits || before.share != after.share) return true;
  return group >= before.split && group < after.split + after.busy;
}

// Whether growth has left all lines of the probe alone.
bool HammingTable::Untouched(const HammingProbe& probe) const {
  const HammingGeometry before = probe.geometry();
  const HammingGeometry after = HammingGeometry::Unpack(state_.load(std::memory_order_acquire));
  auto touched = [&](std::uint32_t line) {
    return Touched(line & ((1U << before.bits) - 1), before, after);
  };
  for (std::uint32_t i = 0; i < probe.count; ++i) {
    if (touched(probe.line[i])) return false;
  }
  return probe.flipped == HammingProbe::kNone || !touched(probe.flipped);
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
    const std::uint32_t codeword = centre.codeword ^ entry.codeword_flips;
    const std::uint32_t mixed = HammingGeometry::Mix(codeword);
    const std::uint32_t line = geometry.LineOf(mixed);
    std::uint32_t elsewhere = line;
    if (geometry.bits == HammingGeometry::kBitsMax && entry.syndromes_flipped != 0) {
      elsewhere = geometry.LineOf(HammingGeometry::Mix(codeword ^ 1U << 26));
    }
    // Cells with bit 31 flipped are asked for where they are, and nowhere else: a heavy one would
    // be met from both lines.
    const bool apart = elsewhere != line;
    Cells cells(codeword, entry.syndromes, apart ? 0 : entry.syndromes_flipped);
    all = VisitLine(query, line, geometry, cells, call);
    if (all && apart) {
      Cells flipped(codeword ^ 1U << 26, entry.syndromes_flipped, 0);
      all = VisitLine(query, elsewhere, geometry, flipped, call);
    }
    HammingGeometry now = HammingGeometry::Unpack(state_.load(std::memory_order_acquire));
    touched |= Touched(geometry.Group(mixed), geometry, now);
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
  // Upwards, the heavy cells last: what growth moves goes to lines of higher numbers, and what
  // turns heavy to the cells, so nothing slips behind. No lock is held while the visitor runs.
  for (std::uint64_t first = 0; first < lines(); first += HammingRegion::kHomes) {
    {
      HammingRegion& region = overflow_.RegionOf(static_cast<std::uint32_t>(first));
      HammingLockHeld lock(region.lock);
      // Other groups may grow meanwhile, but none with a line here.
      HammingGeometry geometry = HammingGeometry::Unpack(state_.load(std::memory_order_acquire));
      for (std::uint32_t i = 0; i < HammingRegion::kHomes; ++i) {
        const std::uint32_t home = static_cast<std::uint32_t>(first) + i;
        HammingLine line = lines_[home].Snapshot();
        HammingMeta meta = HammingMeta::From(line.meta());
        ForEachInSlots(line, home, geometry, InUse(meta, geometry.Around(home).Layout()),
                       [&](const Item& item) { words.push_back(FingerprintOf(item)); });
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

// The region's lock is held.
void HammingTable::Collect(std::uint32_t home, const HammingMeta& meta,
                           std::vector<std::uint64_t>& words) const {
  std::array<std::uint64_t, std::size_t{2} * kOverflowWords> all;
  std::uint32_t its = WordsOf(home, meta, all.data());
  for (; its != 0; its &= its - 1) {
    words.push_back(all[static_cast<unsigned>(std::countr_zero(its))]);
  }
}

}  // namespace contentseen
