#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "contentseen/hamming/hamming_table.h"

namespace contentseen {

HammingTable::Insertion HammingTable::Begin(std::uint64_t fingerprint) const {
  Insertion insertion = {fingerprint, ItemOf(fingerprint), 0};
  HammingGeometry geometry = HammingGeometry::Unpack(state_.load(std::memory_order_acquire));
  insertion.home = geometry.LineOf(insertion.item.mixed);
  return insertion;
}

void HammingTable::PrefetchHome(const Insertion& insertion) const {
  __builtin_prefetch(&lines_[insertion.home], 1, 2);
  __builtin_prefetch(&overflow_.RegionOf(insertion.home), 1, 2);
}

void HammingTable::Approach(const Insertion& insertion) const {
  std::uint64_t last = lines_[insertion.home].Word(7);
  HammingMeta meta = HammingMeta::From(static_cast<std::uint32_t>(last >> 32));
  // Layouts of fewer slots begin their overflow with fewer: then nothing is asked for.
  if (meta.count < HammingLine::kSlotsMax - 2) return;
  std::uint32_t words = meta.InOverflow();
  if (words > 0) __builtin_prefetch(&overflow_.Line(insertion.home, meta.overflow), 1, 2);
  if (words < kOverflowWords) {
    overflow_.PrefetchFree(overflow_.RegionOf(insertion.home), words + 1);
  }
}

bool HammingTable::Insert(std::uint64_t fingerprint) {
  CHECK(fingerprint != 0);
  Insertion insertion = Begin(fingerprint);
  return Finish(insertion);
}

bool HammingTable::Finish(Insertion& insertion) {
  HammingGeometry geometry = HammingGeometry::Unpack(state_.load(std::memory_order_acquire));
  for (;;) {
    if (geometry.busy != 0 && Touched(geometry.Group(insertion.home), geometry, geometry)) {
      base::MutexLock until_grown(growth_mutex_);
    }
    HammingRegion& region = overflow_.RegionOf(insertion.home);
    HammingLockHeld lock(region.lock);
    geometry = HammingGeometry::Unpack(state_.load(std::memory_order_acquire));
    // With the lock held the group cannot grow; before, it may have.
    std::uint32_t home = geometry.LineOf(insertion.item.mixed);
    if (home != insertion.home) {
      insertion.home = home;
      continue;
    }
    if (!InsertLocked(region, insertion, geometry)) return false;
    break;
  }
  if (items_.load(std::memory_order_relaxed) >= grow_from_.load(std::memory_order_relaxed)) Grow();
  return true;
}

// REQUIRES: its filter says that it may be.
bool HammingTable::InOverflow(const HammingMeta& meta, const Insertion& insertion) const {
  if (meta.InOverflow() == 0) return false;
  bool pair = meta.InOverflow() > kOverflowWords;
  const HammingLine* overflow = &overflow_.Line(insertion.home, meta.overflow);
  const HammingLine* lines[] = {overflow, overflow + (pair ? 1 : 0)};
  return kernels_.near(lines, pair ? 2 : 1, insertion.fingerprint, 0);
}

bool HammingTable::InsertLocked(HammingRegion& region, const Insertion& insertion,
                                const HammingGeometry& geometry) {
  HammingLine& line = lines_[insertion.home];
  const Item& item = insertion.item;
  const HammingLayout& layout = geometry.Around(insertion.home).Layout();
  HammingWholeMeta meta = line.Meta(layout);
  std::uint32_t equal = kernels_.within(line, item.other, 0) & InUse(meta, layout);
  for (; equal != 0; equal &= equal - 1) {
    auto number = static_cast<unsigned>(std::countr_zero(equal));
    if (line.Get(number, layout) == SlotOf(item, layout)) return false;
  }
  const bool elsewhere = meta.MayHaveElsewhere(layout.Mark(item.tag));
  if (elsewhere && InOverflow(meta, insertion)) return false;
  if (elsewhere && meta.heavy) {
    if (HammingHeavyCell* cell = heavy_.Find(HalfOf(insertion.fingerprint)); cell != nullptr) {
      if (cell->Contains(insertion.fingerprint)) return false;
      heavy_.AddBytes(cell->Append(insertion.fingerprint));
      return true;
    }
  }
  if (meta.HasSlot(layout)) {
    unsigned slot = meta.count++;
    line.Fill(slot, SlotOf(item, layout), layout, meta.Bits());
  } else if (!AddToOverflow(region, meta, insertion, layout)) {
    TurnHeavy(region, insertion.home, geometry, item);
  }
  // Told in dozens: the sum is wanted by all threads.
  if (++region.untold == HammingRegion::kTold) {
    region.untold = 0;
    items_.fetch_add(HammingRegion::kTold, std::memory_order_relaxed);
  }
  return true;
}

bool HammingTable::AddToOverflow(HammingRegion& region, const HammingWholeMeta& meta,
                                 const Insertion& insertion, const HammingLayout& layout) {
  if (meta.count >= kHomeMax) return false;
  HammingWholeMeta next = meta;
  std::uint32_t words = meta.InOverflow() + 1;
  next.count = HammingLine::kSlotsMax + words;
  next.filter |= layout.Mark(insertion.item.tag);
  if (words > kOverflowWords + 1) {  // has its pair already
    std::uint32_t at = words - 1;
    HammingLine* pair = &overflow_.Line(region, meta.overflow);
    pair[at / 8].SetWord(at % 8, insertion.fingerprint);
  } else if (words > 1 && words <= kOverflowWords && region.free[meta.overflow] > 0) {
    overflow_.Put(region, meta.overflow, insertion.fingerprint);
  } else {
    return MoveOverflow(region, meta, next, insertion);
  }
  lines_[insertion.home].SetMeta(next);
  return true;
}

// To a line, or pair, that has room: there first, then published, then freed here.
bool HammingTable::MoveOverflow(HammingRegion& region, const HammingMeta& meta,
                                HammingWholeMeta next, const Insertion& insertion) {
  std::uint32_t words = next.InOverflow();
  std::uint32_t here = words > 1 ? meta.overflow : HammingOverflow::kNoLine;
  std::optional<std::uint32_t> there = words <= kOverflowWords
                                           ? overflow_.FindFree(region, words, here)
                                           : overflow_.FindFreePair(region);
  if (!there) return false;
  std::array<std::uint64_t, std::size_t{2} * kOverflowWords> all;
  std::uint32_t its = WordsOf(insertion.home, meta, all.data());
  next.overflow = *there;
  if (words <= kOverflowWords) {
    for (std::uint32_t left = its; left != 0; left &= left - 1) {
      overflow_.Put(region, *there, all[static_cast<unsigned>(std::countr_zero(left))]);
    }
    overflow_.Put(region, *there, insertion.fingerprint);
  } else {
    HammingLine* pair = &overflow_.Line(region, *there);
    for (unsigned i = 0; i < kOverflowWords; ++i) pair[0].SetWord(i, all[i]);
    pair[1].SetWord(0, insertion.fingerprint);
    overflow_.TakePair(region, *there);
  }
  lines_[insertion.home].SetMeta(next);
  for (; its != 0; its &= its - 1) {
    overflow_.Free(region, here, static_cast<unsigned>(std::countr_zero(its)));
  }
  return true;
}

// Reads the overflow line, or pair, of `home`; bit i: word i is one of its own.
std::uint32_t HammingTable::WordsOf(std::uint32_t home, const HammingMeta& meta,
                                    std::uint64_t* words) const {
  std::uint32_t own = meta.InOverflow();
  if (own == 0) return 0;
  const HammingLine* line = &overflow_.Line(home, meta.overflow);
  if (own > kOverflowWords) {
    for (unsigned i = 0; i < own; ++i) words[i] = line[i / 8].Word(i % 8);
    return (1U << own) - 1;
  }
  // The state may say more groups have grown than when `home` was found, but not its own.
  HammingGeometry geometry = HammingGeometry::Unpack(state_.load(std::memory_order_relaxed));
  std::uint32_t its = 0;
  for (unsigned i = 0; i < kOverflowWords; ++i) {
    words[i] = line->Word(i);
    bool is_its = words[i] != 0 && geometry.LineOf(ItemOf(words[i]).mixed) == home;
    its |= static_cast<std::uint32_t>(is_its) << i;
  }
  return its;
}

void HammingTable::FreeOverflow(HammingRegion& region, std::uint32_t home,
                                const HammingMeta& meta) {
  if (meta.InOverflow() > kOverflowWords) {
    overflow_.FreePair(region, meta.overflow);
    return;
  }
  std::array<std::uint64_t, kOverflowWords> all;
  for (std::uint32_t its = WordsOf(home, meta, all.data()); its != 0; its &= its - 1) {
    overflow_.Free(region, meta.overflow, static_cast<unsigned>(std::countr_zero(its)));
  }
}

void HammingTable::TurnHeavy(HammingRegion& region, std::uint32_t home,
                             const HammingGeometry& geometry, const Item& item) {
  base::MutexLock lock(heavy_mutex_);
  // Odd before the first change, even after the last; readers in between try again.
  rewrites_.fetch_add(1, std::memory_order_acq_rel);
  HammingLine line = lines_[home].Snapshot();
  const HammingLayout& layout = geometry.Around(home).Layout();
  const HammingWholeMeta before = line.Meta(layout);
  std::vector<Item> items;
  ForEachInSlots(line, home, geometry, InUse(before, layout),
                 [&](const Item& in_slot) { items.push_back(in_slot); });
  std::vector<std::uint64_t> words;
  Collect(home, before, words);
  for (std::uint64_t x : words) items.push_back(ItemOf(x));
  FreeOverflow(region, home, before);
  items.push_back(item);
  HammingWholeMeta meta;
  meta.heavy = before.heavy;
  if (before.heavy) meta.filter = before.filter;
  MoveToHeavy(items, HomeMax(layout) - kLighter, layout, meta);
  StoreHome(region, home, layout, items.data(), static_cast<std::uint32_t>(items.size()), meta);
  rewrites_.fetch_add(1, std::memory_order_acq_rel);
}

// Until at most `most` are left.
void HammingTable::MoveToHeavy(std::vector<Item>& items, std::size_t most,
                               const HammingLayout& layout, HammingWholeMeta& meta) {
  auto cell_of = [](const Item& item) { return std::pair(item.mixed, item.tag); };
  std::sort(items.begin(), items.end(),
            [&](const Item& a, const Item& b) { return cell_of(a) < cell_of(b); });
  // The cells with the most fingerprints go first, until there is room again.
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
    if (left <= most) {
      staying.insert(staying.end(), items.begin() + static_cast<std::ptrdiff_t>(begin),
                     items.begin() + static_cast<std::ptrdiff_t>(begin + length));
      continue;
    }
    HammingHeavyCell& cell = heavy_.FindOrCreate(HalfOf(FingerprintOf(first)));
    for (std::size_t i = begin; i < begin + length; ++i) {
      heavy_.AddBytes(cell.Append(FingerprintOf(items[i])));
    }
    meta.heavy = true;
    meta.filter |= layout.Mark(first.tag);
    left -= length;
    // They are no load of the lines any more.
    items_.fetch_sub(static_cast<std::int64_t>(length), std::memory_order_relaxed);
  }
  items = std::move(staying);
}

// Writes a home anew; REQUIRES: nothing of it is in overflow.
void HammingTable::StoreHome(HammingRegion& region, std::uint32_t home,
                             const HammingLayout& layout, const Item* items, std::uint32_t count,
                             HammingWholeMeta meta) {
  std::uint32_t slots = std::min(count, layout.slots);
  std::uint32_t extra = count - slots;
  if (extra > 0) {
    std::optional<std::uint32_t> there;
    if (extra <= kOverflowWords) {
      there = overflow_.FindFree(region, extra);
    } else if (count <= HomeMax(layout)) {
      there = overflow_.FindFreePair(region);
    }
    if (!there) {
      std::vector<Item> staying(items, items + count);
      // What would fit in overflow finds no line there: then nothing may be left over.
      const bool fits = count <= HomeMax(layout);
      MoveToHeavy(staying, fits ? layout.slots : HomeMax(layout) - kLighter, layout, meta);
      StoreHome(region, home, layout, staying.data(), static_cast<std::uint32_t>(staying.size()),
                meta);
      return;
    }
    meta.overflow = *there;
    HammingLine* pair = &overflow_.Line(region, *there);
    for (unsigned i = 0; i < extra; ++i) {
      const Item& item = items[slots + i];
      meta.filter |= layout.Mark(item.tag);
      std::uint64_t x = FingerprintOf(item);
      if (extra <= kOverflowWords) {
        overflow_.Put(region, *there, x);
      } else {
        pair[i / 8].SetWord(i % 8, x);
      }
    }
    if (extra > kOverflowWords) overflow_.TakePair(region, *there);
  }
  meta.count = extra == 0 ? slots : HammingLine::kSlotsMax + extra;
  HammingLine line{};
  for (unsigned slot = 0; slot < slots; ++slot) {
    line.Fill(slot, SlotOf(items[slot], layout), layout, 0);
  }
  line.SetMeta(meta);
  for (unsigned i = 0; i < 8; ++i) lines_[home].SetWord(i, line.words[i]);
}

}  // namespace contentseen
