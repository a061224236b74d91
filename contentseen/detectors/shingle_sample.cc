#include "contentseen/detectors/shingle_sample.h"

#include <algorithm>
#include <limits>

#include "contentseen/text/shingle_hash.h"
#include "contentseen/text/token_hashes.h"

namespace contentseen {
namespace {

constexpr std::uint32_t kNoBound = std::numeric_limits<std::uint32_t>::max();

// The hash of a shingle above one bit that is clear when it stands in the main text: in order, the
// first of equal hashes tells where it stands at best.
std::uint64_t Entry(std::uint64_t hash, bool main) { return hash >> 32 << 1 | (main ? 0 : 1); }
std::uint32_t HashOf(std::uint64_t entry) { return static_cast<std::uint32_t>(entry >> 1); }
bool IsMain(std::uint64_t entry) { return (entry & 1) == 0; }

std::vector<std::uint64_t> EntriesOf(const AnalyzedText& text, std::uint64_t key) {
  std::vector<std::uint64_t> entries = ShingleHashes(text, kSampleWords, key);
  std::size_t next = 0;
  for (const TokenRange& range : text.main_text()) {
    for (; next < std::min(range.begin, entries.size()); ++next) {
      entries[next] = Entry(entries[next], false);
    }
    // Shingles that reach over the end of the range are not all main text.
    for (; next + kSampleWords <= range.end; ++next) entries[next] = Entry(entries[next], true);
  }
  for (; next < entries.size(); ++next) entries[next] = Entry(entries[next], false);
  return entries;
}

// Puts entries in order, and leaves of equal hashes the first.
void SortOut(std::vector<std::uint64_t>* entries) {
  std::sort(entries->begin(), entries->end());
  entries->erase(
      std::unique(entries->begin(), entries->end(),
                  [](std::uint64_t a, std::uint64_t b) { return HashOf(a) == HashOf(b); }),
      entries->end());
}

// Leaves the `count` smallest hashes, or all, ascending and each once.
void KeepSmallest(std::size_t count, std::vector<std::uint64_t>* entries) {
  // Hashes are spread evenly: below this limit stand about twice as many as are wanted, and only
  // they need be put in order. Where so many repeat each other that too few are left, all are.
  const std::size_t total = entries->size();
  if (total > 4 * count) {
    const std::uint64_t limit = (std::uint64_t{1} << 33) / total * 2 * count;
    std::vector<std::uint64_t> small(total);
    std::size_t kept = 0;
    for (const std::uint64_t entry : *entries) {
      small[kept] = entry;
      kept += entry < limit ? 1 : 0;
    }
    small.resize(kept);
    SortOut(&small);
    if (small.size() >= count) entries->swap(small);
  }
  if (entries->size() == total) SortOut(entries);
  if (entries->size() > count) entries->resize(count);
}

// `entries` are in order; one more than a sample takes, so that the last can be its bound.
ShingleSample Draw(const std::vector<std::uint64_t>& entries, Basis basis,
                   const HostSketch::Reader& host) {
  ShingleSample sample;
  sample.basis = basis;
  sample.bound = kNoBound;
  for (const std::uint64_t entry : entries) {
    const std::uint32_t hash = HashOf(entry);
    if (sample.main.size() == kSampleMain ||
        sample.main.size() + sample.other.size() == kSampleAll) {
      sample.bound = hash;
      break;
    }
    const bool main = basis == Basis::kWholeText ||
                      (IsMain(entry) && (basis == Basis::kMainText || !host.IsCommon(hash)));
    (main ? sample.main : sample.other).push_back(hash);
  }
  return sample;
}

std::span<const std::uint32_t> Below(std::span<const std::uint32_t> hashes, std::uint32_t bound) {
  const auto end = std::lower_bound(hashes.begin(), hashes.end(), bound);
  return hashes.first(static_cast<std::size_t>(end - hashes.begin()));
}

std::uint32_t CountShared(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::uint32_t shared = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint32_t x = a[i];
    const std::uint32_t y = b[j];
    shared += x == y ? 1 : 0;
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  return shared;
}

}  // namespace

ShingleSample SampleShingles(const AnalyzedText& text, const HostSketch::Reader& host,
                             std::uint64_t key) {
  std::vector<std::uint64_t> entries = EntriesOf(text, key);
  KeepSmallest(kSampleAll + 1, &entries);
  for (const Basis basis : {Basis::kOwnText, Basis::kMainText}) {
    if (basis == Basis::kOwnText ? host.knows_nothing() : !text.has_boilerplate()) continue;
    ShingleSample sample = Draw(entries, basis, host);
    if (sample.main.size() >= kSampleMainMin) return sample;
  }
  return Draw(entries, Basis::kWholeText, host);
}

Overlap OverlapOf(const ShingleSample::View& a, const ShingleSample::View& b) {
  const std::uint32_t bound = std::min(a.bound, b.bound);
  const auto main_a = Below(a.main, bound);
  const auto main_b = Below(b.main, bound);
  const std::uint32_t shared = CountShared(main_a, main_b);
  return {.a = static_cast<std::uint32_t>(main_a.size()),
          .a_in_b = shared + CountShared(main_a, Below(b.other, bound)),
          .b = static_cast<std::uint32_t>(main_b.size()),
          .b_in_a = shared + CountShared(main_b, Below(a.other, bound)),
          .shared = shared};
}

}  // namespace contentseen
