#include "contentseen/detectors/host_sketch.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <utility>

#include "base/check.h"
#include "contentseen/mix.h"

namespace contentseen {
namespace {

constexpr std::uint32_t kCountMax = std::numeric_limits<std::uint8_t>::max();
// Increments of a generation for each line, a quarter of a row's cells. At twice this load, where
// the older one is emptied, both cells err by kCommonMin for four hashes in ten thousand.
constexpr std::size_t kLineIncrements = 4;

// Keys beside those of hashes, which have their upper half free.
constexpr std::uint64_t kAllDocuments = std::uint64_t{1} << 32;
constexpr std::uint64_t kDocumentsOfLevel = std::uint64_t{2} << 32;
constexpr std::uint64_t kAllTitles = std::uint64_t{3} << 32;
constexpr std::uint64_t kTitleWords = std::uint64_t{4} << 32;

// `host` mixed already.
std::uint64_t Key(std::uint64_t host, std::uint64_t what) { return host + Mix64(~what); }

ReservedMemory Zeros(std::size_t bytes) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  auto memory = ReservedMemory::Reserve(bytes, bytes >= kHugePage);
  if (!memory) throw std::bad_alloc();
  return std::move(*memory);
}

}  // namespace

HostSketch::HostSketch(std::size_t bytes, std::uint64_t seed)
    : memory_(Zeros(bytes)),
      lines_(reinterpret_cast<Line*>(memory_.data()), bytes / sizeof(Line)),
      seed_(seed) {
  CHECK(bytes >= kBytesMin && std::has_single_bit(bytes));
}

HostSketch::Place HostSketch::PlaceOf(std::uint64_t key) const {
  const std::uint64_t place = Mix64(key ^ seed_);
  return {lines_[place & (lines_.size() - 1)],
          {place >> 56 & (kRowCells - 1), place >> 60 & (kRowCells - 1)}};
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
  const std::uint64_t mixed = Mix64(host);
  Count(Key(mixed, kAllDocuments));
  // The level that it tells of no more, or not of all.
  Count(Key(mixed, kDocumentsOfLevel + (bound == kNoBound ? kLevels - 1 : LevelOf(bound))));
  for (const std::uint32_t hash : sample) Count(Key(mixed, hash));
}

void HostSketch::AddTitle(std::uint64_t host, std::span<const std::uint32_t> words) {
  if (words.empty()) return;
  const std::uint64_t mixed = Mix64(host);
  Count(Key(mixed, kAllTitles));
  for (const std::uint32_t word : words) Count(Key(mixed, kTitleWords + word));
}

bool HostSketch::KnowsTitleWord(std::uint64_t host, std::uint32_t word) const {
  return Estimate(Key(Mix64(host), kTitleWords + word)) > 0;
}

void HostSketch::Count(std::uint64_t key) {
  const std::uint32_t young = young_.load(std::memory_order_relaxed);
  const Place place = PlaceOf(key);
  for (std::size_t row = 0; row < kRows; ++row) {
    Counter& counter = place.line.rows[row][place.cells[row]].counts[young];
    const std::uint8_t count = counter.load(std::memory_order_relaxed);
    if (count < kCountMax) counter.store(count + 1, std::memory_order_relaxed);
  }
  const std::uint64_t counted = counted_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (counted % (lines_.size() * kLineIncrements) == 0) Age();
}

void HostSketch::Age() {
  const std::uint32_t old = 1 - young_.load(std::memory_order_relaxed);
  for (Line& line : lines_) {
    for (auto& row : line.rows) {
      for (Cell& cell : row) cell.counts[old].store(0, std::memory_order_relaxed);
    }
  }
  young_.store(old, std::memory_order_relaxed);
}

void HostSketch::Save(ImageWriter& image) const {
  image.Put(counted_.load(std::memory_order_relaxed));
  image.Put(young_.load(std::memory_order_relaxed));
  image.PutSparse(std::as_bytes(lines_));
}

bool HostSketch::Load(ImageReader& image) {
  std::uint64_t counted = 0;
  std::uint32_t young = 0;
  if (!image.Take(counted) || !image.Take(young) || young >= kGenerations) return false;
  counted_.store(counted, std::memory_order_relaxed);
  young_.store(young, std::memory_order_relaxed);
  return image.TakeSparse(std::as_writable_bytes(lines_));
}

std::uint32_t HostSketch::Estimate(std::uint64_t key) const {
  const Place place = PlaceOf(key);
  std::uint32_t least = kCountMax;
  for (std::size_t row = 0; row < kRows; ++row) {
    std::uint32_t count = 0;
    for (const Counter& counter : place.line.rows[row][place.cells[row]].counts) {
      count += counter.load(std::memory_order_relaxed);
    }
    least = std::min(least, count);
  }
  return least;
}

HostSketch::Reader::Reader(const HostSketch& sketch, std::uint64_t host)
    : sketch_(sketch), host_(Mix64(host)), titles_(sketch.Estimate(KeyOf(kAllTitles))) {
  if (sketch_.Estimate(KeyOf(kAllDocuments)) < kDocumentsMin) return;
  for (std::uint32_t level = 1; level < kLevels; ++level) {
    sketch_.Prefetch(KeyOf(kDocumentsOfLevel + level));
  }
  documents_.resize(kLevels);
  for (std::uint32_t level = kLevels; level-- > 1;) {
    documents_[level - 1] = documents_[level] + sketch_.Estimate(KeyOf(kDocumentsOfLevel + level));
  }
}

std::uint32_t HostSketch::Reader::known_end() const {
  std::uint32_t level = 0;
  while (level < documents_.size() && documents_[level] >= kDocumentsMin) ++level;
  return LevelBegin(level);
}

bool HostSketch::Reader::IsCommon(std::uint32_t hash) const {
  return !documents_.empty() && IsCommonOf(documents_[LevelOf(hash)], hash);
}

bool HostSketch::Reader::IsCommonInTitles(std::uint32_t word) const {
  return IsCommonOf(titles_, kTitleWords + word);
}

bool HostSketch::Reader::IsCommonOf(std::uint32_t documents, std::uint64_t what) const {
  if (documents < kDocumentsMin) return false;
  const std::uint32_t count = sketch_.Estimate(KeyOf(what));
  return count >= kCommonMin && count * kShareMin >= std::min(documents, kCountMax);
}

void HostSketch::Reader::Prefetch(std::uint32_t hash) const { sketch_.Prefetch(KeyOf(hash)); }

std::uint64_t HostSketch::Reader::KeyOf(std::uint64_t what) const { return Key(host_, what); }

}  // namespace contentseen
