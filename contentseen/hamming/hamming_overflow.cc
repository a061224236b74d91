#include "contentseen/hamming/hamming_overflow.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace contentseen {
namespace {

std::uint32_t First(const HammingRegion& region, std::uint32_t words) {
  return region.first_with[words].load(std::memory_order_relaxed);
}
void SetFirst(HammingRegion& region, std::uint32_t words, std::uint32_t line) {
  region.first_with[words].store(static_cast<std::uint16_t>(line), std::memory_order_relaxed);
}

}  // namespace

base::Result<HammingOverflow> HammingOverflow::Create(std::uint64_t homes_max, bool huge_pages) {
  // Full tables have one overflow line to three homes.
  auto lines = ReservedMemory::Reserve(homes_max / 2 * sizeof(HammingLine), huge_pages);
  if (!lines) return base::Fail(lines.error().message);
  std::size_t slabs =
      homes_max / HammingRegion::kHomes / kRegionsPerBlock * kSlabsPerRegion * kSlabStride;
  auto slab_of = ReservedMemory::Reserve(slabs * sizeof(std::atomic<std::uint32_t>), huge_pages);
  if (!slab_of) return base::Fail(slab_of.error().message);
  return HammingOverflow(homes_max, std::move(*lines), std::move(*slab_of));
}

HammingOverflow::HammingOverflow(std::uint64_t homes_max, ReservedMemory lines,
                                 ReservedMemory slab_of)
    : homes_max_(homes_max),
      slabs_max_(static_cast<std::uint32_t>(homes_max / 2 / kSlabLines)),
      lines_memory_(std::move(lines)),
      slab_of_memory_(std::move(slab_of)),
      lines_(reinterpret_cast<HammingLine*>(lines_memory_.data())),
      slab_of_(reinterpret_cast<std::atomic<std::uint32_t>*>(slab_of_memory_.data())),
      pages_(homes_max / HammingRegion::kHomes / kRegionsPerPage) {}

// Before it is used: nobody else knows it yet.
HammingOverflow::HammingOverflow(HammingOverflow&& other) noexcept
    : HammingOverflow(other.homes_max_, std::move(other.lines_memory_),
                      std::move(other.slab_of_memory_)) {
  CHECK(other.lines() == 0);
}

HammingOverflow::~HammingOverflow() {
  for (auto& page : pages_) delete page.load(std::memory_order_acquire);
}

void HammingOverflow::EnsureRegions(std::uint64_t homes) {
  constexpr std::uint64_t kPageHomes = std::uint64_t{HammingRegion::kHomes} * kRegionsPerPage;
  for (std::uint64_t i = (homes + kPageHomes - 1) / kPageHomes; i-- > 0;) {
    if (pages_[i].load(std::memory_order_relaxed) != nullptr) return;
    auto* page = new Page;
    for (std::uint32_t r = 0; r < kRegionsPerPage; ++r) {
      page->region[r].number = static_cast<std::uint32_t>(i) * kRegionsPerPage + r;
    }
    pages_[i].store(page, std::memory_order_release);
  }
}

bool HammingOverflow::AddSlab(HammingRegion& region) {
  std::size_t slabs = region.free.size() / kSlabLines;
  if (slabs == kSlabsPerRegion) return false;
  std::uint32_t slab = 0;
  {
    base::MutexLock lock(free_mutex_);
    if (!free_slabs_.empty()) {
      slab = free_slabs_.back();
      free_slabs_.pop_back();
    } else {
      slab = slabs_.load(std::memory_order_relaxed);
      if (slab == slabs_max_) return false;
      slabs_.store(slab + 1, std::memory_order_relaxed);
    }
  }
  SlabOf(region.number, slabs).store(slab, std::memory_order_relaxed);
  std::size_t lines = region.free.size() + std::size_t{kSlabLines};
  // Grows as tightly as the lines do.
  if (region.free.capacity() < lines) region.free.reserve(lines + 2 * std::size_t{kSlabLines});
  region.free.resize(lines, HammingRegion::kWords);
  return true;
}

std::optional<std::uint32_t> HammingOverflow::Search(HammingRegion& region, std::uint32_t words,
                                                     std::uint32_t not_line) {
  bool passed_it = false;
  for (std::uint32_t i = First(region, words); i < region.free.size(); ++i) {
    if (region.free[i] < words) continue;
    if (i == not_line) {
      passed_it = true;
      continue;
    }
    if (!passed_it) SetFirst(region, words, i);
    return i;
  }
  if (!passed_it) {
    SetFirst(region, words, static_cast<std::uint32_t>(region.free.size()));
  }
  return std::nullopt;
}

std::optional<std::uint32_t> HammingOverflow::FindFree(HammingRegion& region, std::uint32_t words,
                                                       std::uint32_t not_line) {
  if (auto found = Search(region, words, not_line)) return found;
  if (!AddSlab(region)) return std::nullopt;
  return Search(region, words, not_line);
}

std::optional<std::uint32_t> HammingOverflow::FindFreePair(HammingRegion& region) {
  for (std::uint32_t i = First(region, HammingRegion::kWords) & ~1U;; i += 2) {
    if (i >= region.free.size() && !AddSlab(region)) return std::nullopt;
    if (region.free[i] == HammingRegion::kWords && region.free[i + 1] == HammingRegion::kWords) {
      return i;
    }
  }
}

void HammingOverflow::Put(HammingRegion& region, std::uint32_t number, std::uint64_t word) {
  HammingLine& line = Line(region, number);
  // As long as none was freed the first free one is there.
  unsigned first = HammingRegion::kWords - region.free[number];
  for (unsigned n = 0; n < HammingRegion::kWords; ++n) {
    unsigned i = (first + n) % HammingRegion::kWords;
    if (line.Word(i) != 0) continue;
    line.SetWord(i, word);
    --region.free[number];
    return;
  }
  CHECK(false);
}

void HammingOverflow::Free(HammingRegion& region, std::uint32_t number, unsigned word) {
  Line(region, number).SetWord(word, 0);
  std::uint32_t free = ++region.free[number];
  if (number < First(region, free)) SetFirst(region, free, number);
}

void HammingOverflow::TakePair(HammingRegion& region, std::uint32_t number) {
  region.free[number] = region.free[number + 1] = 0;
}

void HammingOverflow::FreePair(HammingRegion& region, std::uint32_t number) {
  for (std::uint32_t n = number; n < number + 2; ++n) {
    for (unsigned i = 0; i < HammingRegion::kWords; ++i) Free(region, n, i);
  }
}

void HammingOverflow::Clear(HammingRegion& region) {
  base::MutexLock lock(free_mutex_);
  // The first is taken again first.
  for (std::size_t n = region.free.size(); n-- > 0;) {
    HammingLine& line = Line(region, static_cast<std::uint32_t>(n));
    for (unsigned i = 0; i < HammingRegion::kWords; ++i) line.SetWord(i, 0);
    if (n % kSlabLines == 0) {
      free_slabs_.push_back(static_cast<std::uint32_t>((&line - lines_) / kSlabLines));
    }
  }
  region.free.clear();
  for (std::uint32_t words = 0; words <= HammingRegion::kWords; ++words) {
    SetFirst(region, words, 0);
  }
}

std::uint64_t HammingOverflow::bytes(std::uint64_t homes) const {
  std::uint64_t regions = homes / HammingRegion::kHomes;
  // A byte for each line says what is free.
  const std::uint64_t known = regions * sizeof(HammingRegion) + lines();
  if (lines() == 0) return known;
  const std::uint64_t slabs = regions * kSlabsPerRegion;  // what is between blocks is not touched
  return known + lines_memory_.Taken(lines() * sizeof(HammingLine)) +
         slab_of_memory_.Taken(slabs * sizeof(std::atomic<std::uint32_t>));
}

}  // namespace contentseen
