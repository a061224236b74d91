#include "contentseen/detectors/host_sketch.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/check.h"
#include "contentseen/mix.h"

namespace contentseen {
namespace {

constexpr std::uint32_t kCountMax = std::numeric_limits<std::uint8_t>::max();
// Increments of a generation for each cell of a row. At twice this load both of two rows err by
// kCommonMin for about one hash in ten thousand.
constexpr std::size_t kCellsAnIncrement = 4;

// Keys beside those of hashes, which have their upper half free.
constexpr std::uint64_t kAllDocuments = std::uint64_t{1} << 32;
constexpr std::uint64_t kDocumentsOfLevel = std::uint64_t{2} << 32;

std::uint64_t KeyOf(std::uint64_t host, std::uint64_t what) { return Mix64(host) + Mix64(~what); }

}  // namespace

HostSketch::HostSketch(std::size_t bytes, std::uint64_t seed)
    : cells_(bytes / kRows / sizeof(Cell)),
      seed_(seed),
      rows_{std::make_unique<Cell[]>(cells_), std::make_unique<Cell[]>(cells_)} {
  CHECK(bytes >= kBytesMin && std::has_single_bit(bytes));
}

std::uint32_t HostSketch::LevelOf(std::uint32_t hash) {
  if (hash < 2) return hash;
  const int width = std::bit_width(hash);
  return 2 * static_cast<std::uint32_t>(width - 1) + (hash >> (width - 2) & 1);
}

std::uint32_t HostSketch::LevelBegin(std::uint32_t level) {
  if (level < 2) return level;
  const std::uint64_t begin = std::uint64_t{2 + level % 2} << (level / 2 - 1);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(begin, kNoBound));
}

void HostSketch::Add(std::uint64_t host, std::span<const std::uint32_t> sample,
                     std::uint32_t bound) {
  Count(KeyOf(host, kAllDocuments));
  // The level that it tells of no more, or not of all.
  Count(KeyOf(host, kDocumentsOfLevel + (bound == kNoBound ? kLevels - 1 : LevelOf(bound))));
  for (const std::uint32_t hash : sample) Count(KeyOf(host, hash));
}

void HostSketch::Count(std::uint64_t key) {
  const std::uint32_t young = young_.load(std::memory_order_relaxed);
  std::uint64_t place = Mix64(key ^ seed_);
  for (const auto& row : rows_) {
    Counter& counter = row[place & (cells_ - 1)].counts[young];
    const std::uint8_t count = counter.load(std::memory_order_relaxed);
    if (count < kCountMax) counter.store(count + 1, std::memory_order_relaxed);
    place = std::rotr(place, 32);
  }
  const std::uint64_t counted = counted_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (counted % (cells_ / kCellsAnIncrement) == 0) Age();
}

void HostSketch::Age() {
  const std::uint32_t old = 1 - young_.load(std::memory_order_relaxed);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < cells_; ++i)
      row[i].counts[old].store(0, std::memory_order_relaxed);
  }
  young_.store(old, std::memory_order_relaxed);
}

void HostSketch::Save(ImageWriter& image) const {
  image.Put(counted_.load(std::memory_order_relaxed));
  image.Put(young_.load(std::memory_order_relaxed));
  for (const auto& row : rows_) image.PutSparse(std::as_bytes(std::span(row.get(), cells_)));
}

bool HostSketch::Load(ImageReader& image) {
  std::uint64_t counted = 0;
  std::uint32_t young = 0;
  if (!image.Take(counted) || !image.Take(young) || young >= kGenerations) return false;
  counted_.store(counted, std::memory_order_relaxed);
  young_.store(young, std::memory_order_relaxed);
  static_assert(sizeof(Cell) == kGenerations && Counter::is_always_lock_free);
  return std::ranges::all_of(rows_, [&](const auto& row) {
    return image.TakeSparse(std::as_writable_bytes(std::span(row.get(), cells_)));
  });
}

std::uint32_t HostSketch::Estimate(std::uint64_t key) const {
  std::uint32_t least = kCountMax;
  std::uint64_t place = Mix64(key ^ seed_);
  for (const auto& row : rows_) {
    const Cell& cell = row[place & (cells_ - 1)];
    std::uint32_t count = 0;
    for (const Counter& counter : cell.counts) count += counter.load(std::memory_order_relaxed);
    least = std::min(least, count);
    place = std::rotr(place, 32);
  }
  return least;
}

HostSketch::Reader::Reader(const HostSketch& sketch, std::uint64_t host)
    : sketch_(sketch), host_(host) {
  if (sketch_.Estimate(KeyOf(host_, kAllDocuments)) < kDocumentsMin) return;
  documents_.resize(kLevels);
  for (std::uint32_t level = kLevels; level-- > 1;) {
    documents_[level - 1] =
        documents_[level] + sketch_.Estimate(KeyOf(host_, kDocumentsOfLevel + level));
  }
}

std::uint32_t HostSketch::Reader::known_end() const {
  std::uint32_t level = 0;
  while (level < documents_.size() && documents_[level] >= kDocumentsMin) ++level;
  return LevelBegin(level);
}

bool HostSketch::Reader::IsCommon(std::uint32_t hash) const {
  if (documents_.empty()) return false;
  const std::uint32_t documents = std::min(documents_[LevelOf(hash)], kCountMax);
  if (documents < kDocumentsMin) return false;
  const std::uint32_t count = sketch_.Estimate(KeyOf(host_, hash));
  return count >= kCommonMin && count * kShareMin >= documents;
}

}  // namespace contentseen
