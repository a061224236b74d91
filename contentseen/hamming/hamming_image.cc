// An index as it lies in memory, to a file and back: reading it takes as long as the file does,
// where inserting each fingerprint would wait for two cache lines.

#include <cstdint>
#include <span>
#include <vector>

#include "contentseen/hamming/hamming_table.h"
#include "contentseen/image.h"

namespace contentseen {
namespace {

template <class T>
std::span<const std::byte> BytesOf(const T* first, std::uint64_t number) {
  return std::as_bytes(std::span(first, number));
}
template <class T>
std::span<std::byte> WritableBytesOf(T* first, std::uint64_t number) {
  return std::as_writable_bytes(std::span(first, number));
}

}  // namespace

void HammingTable::Save(ImageWriter& image) const {
  image.Put(state_.load(std::memory_order_acquire));
  image.Put(items_.load(std::memory_order_relaxed));
  image.PutSparse(BytesOf(lines_, lines()));
  overflow_.Save(image, lines());
  heavy_.Save(image);
}

bool HammingTable::Load(ImageReader& image) {
  std::uint64_t state = 0;
  std::int64_t items = 0;
  if (!image.Take(state) || !image.Take(items)) return false;
  const HammingGeometry geometry = HammingGeometry::Unpack(state);
  if (geometry.bits > HammingGeometry::kBitsMax || geometry.lines() > kLinesMax) return false;
  overflow_.EnsureRegions(geometry.lines());
  if (!image.TakeSparse(WritableBytesOf(lines_, geometry.lines())) ||
      !overflow_.Load(image, geometry.lines()) || !heavy_.Load(image)) {
    return false;
  }
  items_.store(items, std::memory_order_relaxed);
  state_.store(state, std::memory_order_release);
  SetThreshold();
  return true;
}

void HammingOverflow::Save(ImageWriter& image, std::uint64_t homes) const {
  {
    base::MutexLock lock(free_mutex_);
    image.Put(slabs_.load(std::memory_order_relaxed));
    image.PutAll(free_slabs_);
  }
  image.PutSparse(BytesOf(lines_, lines()));
  for (std::uint32_t home = 0; home < homes; home += HammingRegion::kHomes) {
    const HammingRegion& region = RegionOf(home);
    image.Put(region.untold);
    image.PutAll(region.free);
    for (const auto& first : region.first_with) image.Put(first.load(std::memory_order_relaxed));
    for (std::size_t slab = 0; slab < region.free.size() / kSlabLines; ++slab) {
      image.Put(SlabOf(region.number, slab).load(std::memory_order_relaxed));
    }
  }
}

bool HammingOverflow::Load(ImageReader& image, std::uint64_t homes) {
  {
    base::MutexLock lock(free_mutex_);
    std::uint32_t slabs = 0;
    if (!image.Take(slabs) || slabs > slabs_max_ || !image.TakeAll(free_slabs_, slabs)) {
      return false;
    }
    slabs_.store(slabs, std::memory_order_relaxed);
  }
  if (!image.TakeSparse(WritableBytesOf(lines_, lines()))) return false;
  for (std::uint32_t home = 0; home < homes; home += HammingRegion::kHomes) {
    HammingRegion& region = RegionOf(home);
    if (!image.Take(region.untold)) return false;
    if (!image.TakeAll(region.free, kSlabLines * kSlabsPerRegion)) return false;
    for (auto& first_with : region.first_with) {
      std::uint16_t first = 0;
      if (!image.Take(first)) return false;
      first_with.store(first, std::memory_order_relaxed);
    }
    for (std::size_t slab = 0; slab < region.free.size() / kSlabLines; ++slab) {
      std::uint32_t number = 0;
      if (!image.Take(number) || number >= slabs_.load(std::memory_order_relaxed)) return false;
      SlabOf(region.number, slab).store(number, std::memory_order_relaxed);
    }
  }
  return true;
}

void HammingHeavyMap::Save(ImageWriter& image) const {
  base::MutexLock lock(mutex_);
  image.Put(std::uint64_t{cells_.size()});
  for (const auto& cell : cells_) {
    std::vector<std::uint64_t> fingerprints;
    cell->ForEach([&](std::uint64_t x) { fingerprints.push_back(x); });
    image.Put(cell->half());
    image.PutAll(fingerprints);
  }
}

bool HammingHeavyMap::Load(ImageReader& image) {
  std::uint64_t cells = 0;
  if (!image.Take(cells)) return false;
  for (; cells > 0; --cells) {
    std::uint32_t half = 0;
    std::vector<std::uint64_t> fingerprints;
    if (!image.Take(half) || !image.TakeAll(fingerprints, std::uint64_t{1} << 32)) return false;
    HammingHeavyCell& cell = FindOrCreate(half);
    for (const std::uint64_t x : fingerprints) AddBytes(cell.Append(x));
  }
  return true;
}

}  // namespace contentseen
