#include "contentseen/hamming/hamming_heavy.h"

#include "contentseen/hamming/hamming_code.h"
#include "contentseen/hamming/hamming_geometry.h"

namespace contentseen {
namespace {

constexpr std::size_t kSlotsMin = 64;
// What a cell costs beside its fingerprints: itself, its slots, its places in the lists.
constexpr std::size_t kCellBytes = sizeof(HammingHeavyCell) + 100;

// The bits of a group number at its widest, the lowest first.
std::uint32_t Reversed(std::uint32_t x) {
  std::uint32_t reversed = 0;
  for (unsigned i = 0; i < HammingGeometry::kBitsMax; ++i) {
    reversed |= (x >> i & 1U) << (HammingGeometry::kBitsMax - 1 - i);
  }
  return reversed;
}

std::size_t SlotOf(std::uint32_t half, std::size_t size) {
  return (half * std::uint64_t{0x9e3779b97f4a7c15} >> 32) & (size - 1);
}

}  // namespace

HammingHeavyCell::~HammingHeavyCell() { delete quarters_.load(std::memory_order_acquire); }

std::size_t HammingHeavyCell::Append(std::uint64_t fingerprint) {
  bag_.Append(fingerprint, arena_);
  ++size_;
  HammingWindows* quarters = quarters_.load(std::memory_order_relaxed);
  if (quarters != nullptr) quarters->Append(fingerprint);
  if (quarters != nullptr || size_ < kScanMax) return 0;
  quarters = new HammingWindows(other_shift_, 16, 2, k_, kernels_, arena_);
  ForEach([&](std::uint64_t x) { quarters->Append(x); });
  quarters_.store(quarters, std::memory_order_release);
  return quarters->bytes();
}

bool HammingHeavyCell::Contains(std::uint64_t fingerprint) const {
  const HammingWindows* quarters = quarters_.load(std::memory_order_acquire);
  return quarters != nullptr ? quarters->Contains(fingerprint)
                             : bag_.Contains(kernels_, fingerprint);
}

HammingHeavyMap::HammingHeavyMap(unsigned other_shift, unsigned k, const HammingKernels& kernels)
    : other_shift_(other_shift), k_(k), kernels_(kernels) {
  base::MutexLock lock(mutex_);
  all_slots_.push_back(std::make_unique<Slots>(kSlotsMin));
  slots_.store(all_slots_.back().get(), std::memory_order_release);
}

HammingHeavyMap::~HammingHeavyMap() = default;

HammingHeavyCell* HammingHeavyMap::Find(std::uint32_t half) const {
  const Slots& slots = *slots_.load(std::memory_order_acquire);
  std::size_t mask = slots.slot.size() - 1;
  for (std::size_t i = SlotOf(half, slots.slot.size());; i = (i + 1) & mask) {
    HammingHeavyCell* cell = slots.slot[i].load(std::memory_order_acquire);
    if (cell == nullptr || cell->half() == half) return cell;
  }
}

void HammingHeavyMap::Place(Slots& slots, HammingHeavyCell* cell) {
  std::size_t mask = slots.slot.size() - 1;
  std::size_t i = SlotOf(cell->half(), slots.slot.size());
  while (slots.slot[i].load(std::memory_order_relaxed) != nullptr) i = (i + 1) & mask;
  slots.slot[i].store(cell, std::memory_order_release);
}

HammingHeavyCell& HammingHeavyMap::FindOrCreate(std::uint32_t half) {
  base::MutexLock lock(mutex_);
  if (HammingHeavyCell* found = Find(half); found != nullptr) return *found;
  cells_.push_back(std::make_unique<HammingHeavyCell>(half, other_shift_, k_, kernels_, arena_));
  HammingHeavyCell* cell = cells_.back().get();
  Slots* slots = slots_.load(std::memory_order_relaxed);
  if (2 * cells_.size() > slots->slot.size()) {
    all_slots_.push_back(std::make_unique<Slots>(2 * slots->slot.size()));
    slots = all_slots_.back().get();
    for (const auto& each : cells_) Place(*slots, each.get());
    slots_.store(slots, std::memory_order_release);
  } else {
    Place(*slots, cell);
  }
  std::uint32_t mixed = HammingGeometry::Mix(HammingCode::Encode(half).codeword);
  by_group_.emplace(Reversed(mixed), half);
  AddBytes(kCellBytes);
  count_.store(cells_.size(), std::memory_order_release);
  return *cell;
}

std::vector<std::uint32_t> HammingHeavyMap::InGroup(std::uint32_t group,
                                                    std::uint32_t bits) const {
  std::vector<std::uint32_t> halves;
  if (empty()) return halves;
  base::MutexLock lock(mutex_);
  std::uint32_t first = Reversed(group);
  std::uint32_t last = first | ((1U << (HammingGeometry::kBitsMax - bits)) - 1);
  for (auto it = by_group_.lower_bound(first); it != by_group_.end() && it->first <= last; ++it) {
    halves.push_back(it->second);
  }
  return halves;
}

}  // namespace contentseen
