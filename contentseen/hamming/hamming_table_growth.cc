#include <algorithm>

#include "contentseen/hamming/hamming_table.h"

namespace contentseen {

void HammingTable::Grow() {
  if (growing_.exchange(true, std::memory_order_acquire)) return;
  {
    base::MutexLock lock(growth_mutex_);
    // One unit by one caller: the next insert goes on.
    if (items_.load(std::memory_order_relaxed) >= grow_from_.load(std::memory_order_relaxed)) {
      GrowUnit();
    }
  }
  growing_.store(false, std::memory_order_release);
}

// Locks a number of regions known only now: beyond the static analysis.
void HammingTable::GrowUnit() NO_THREAD_SAFETY_ANALYSIS {
  HammingGeometry geometry = HammingGeometry::Unpack(state_.load(std::memory_order_relaxed));
  if (geometry.full()) return;
  if (workshop_ == nullptr) workshop_ = std::make_unique<Workshop>();
  overflow_.EnsureRegions(geometry.lines() + HammingGeometry::kUnit);
  std::array<HammingRegion*, kShareMax> regions;
  for (std::uint32_t t = 0; t <= geometry.share; ++t) {
    regions[t] = &overflow_.RegionOf(t << geometry.bits | geometry.split);
    regions[t]->lock.Lock();
  }
  HammingGeometry busy = geometry;
  busy.busy = HammingGeometry::kUnit;
  state_.exchange(busy.Pack(), std::memory_order_acq_rel);
  for (std::uint32_t t = 0; t < geometry.share; ++t) {
    TakeOverflow(*regions[t], t << geometry.bits | geometry.split, geometry,
                 workshop_->overflow[t]);
  }
  for (std::uint32_t i = 0; i < HammingGeometry::kUnit; ++i) {
    GrowGroup(geometry, geometry.split + i, regions.data());
  }
  state_.exchange(geometry.Grown().Pack(), std::memory_order_acq_rel);
  for (std::uint32_t t = geometry.share + 1; t-- > 0;) regions[t]->lock.Unlock();
  SetThreshold();
}

// Takes all overflow out of the region, in the order of its homes (a counting sort).
void HammingTable::TakeOverflow(HammingRegion& region, std::uint32_t first_home,
                                const HammingGeometry& geometry, Workshop::Overflow& taken) {
  taken.unsorted.clear();
  taken.start.fill(0);
  for (std::uint32_t n = 0; n < region.free.size(); ++n) {
    const HammingLine& line = overflow_.Line(region, n);
    for (unsigned i = 0; i < kOverflowWords; ++i) {
      std::uint64_t x = line.Word(i);
      if (x == 0) continue;
      Item item = ItemOf(x);
      taken.unsorted.push_back(item);
      ++taken.start[geometry.Group(item.mixed) % HammingRegion::kHomes + 1];
    }
  }
  for (std::uint32_t h = 0; h < HammingRegion::kHomes; ++h) taken.start[h + 1] += taken.start[h];
  taken.items.resize(taken.unsorted.size());
  std::array<std::uint32_t, HammingRegion::kHomes> at;
  std::copy_n(taken.start.begin(), at.size(), at.begin());
  for (const Item& item : taken.unsorted) {
    taken.items[at[geometry.Group(item.mixed) - first_home % (1U << geometry.bits)]++] = item;
  }
  overflow_.Clear(region);
}

// The fingerprints of a group, by the line that will have them.
void HammingTable::TakeGroup(const HammingGeometry& geometry, std::uint32_t group) {
  std::uint32_t share = geometry.share;
  Workshop& work = *workshop_;
  work.count.fill(0);
  work.heavy = false;
  auto add = [&](const Item& item) {
    std::uint32_t to = geometry.LineOf(item.mixed, share + 1) >> geometry.bits;
    work.items[to][work.count[to]++] = item;
  };
  for (std::uint32_t t = 0; t < share; ++t) {
    std::uint32_t home = t << geometry.bits | group;
    HammingLine line = lines_[home].Snapshot();
    __builtin_prefetch(&lines_[home + 8], 1, 3);
    HammingMeta meta = HammingMeta::From(line.meta());
    work.heavy |= meta.heavy;
    ForEachInSlots(line, home, geometry, InUse(meta, geometry.Around(home).Layout()), add);
    const Workshop::Overflow& overflow = work.overflow[t];
    std::uint32_t h = group % HammingRegion::kHomes;
    for (std::uint32_t i = overflow.start[h]; i < overflow.start[h + 1]; ++i) {
      add(overflow.items[i]);
    }
  }
}

void HammingTable::GrowGroup(const HammingGeometry& geometry, std::uint32_t group,
                             HammingRegion* const* regions) {
  std::uint32_t share = geometry.share;
  TakeGroup(geometry, group);
  HammingGeometry grown = geometry;
  grown.split = group + 1;
  const HammingLayout& layout = grown.Around(group).Layout();
  std::array<HammingWholeMeta, kShareMax> meta{};
  if (workshop_->heavy) {
    for (std::uint32_t half : heavy_.InGroup(group, geometry.bits)) {
      HammingCell cell = HammingCode::Encode(half);
      std::uint32_t mixed = HammingGeometry::Mix(cell.codeword);
      HammingWholeMeta& its = meta[geometry.LineOf(mixed, share + 1) >> geometry.bits];
      its.heavy = true;
      its.filter |= layout.Mark(HammingGeometry::Tag(mixed, cell.syndrome));
    }
  }
  for (std::uint32_t t = 0; t <= share; ++t) {
    StoreHome(*regions[t], t << geometry.bits | group, layout, workshop_->items[t].data(),
              workshop_->count[t], meta[t]);
  }
}

}  // namespace contentseen
