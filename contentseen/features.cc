#include "contentseen/features.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>

#include "contentseen/shingle_hash.h"

namespace contentseen {
namespace {

// Occurrences beyond this are not counted further: 2^(kDampedTfMax - 1).
constexpr std::uint64_t kTfMax = std::uint64_t{1} << (kDampedTfMax - 1);

// A slot of the counting table: the upper 56 bits of a hash, and how often it was met, at most
// kTfMax + 1 times.
constexpr std::uint64_t kCountMask = 0xFF;
// The table starts at four times the occurrences, between these, and doubles when half full.
constexpr std::size_t kSlotsMin = 64;
constexpr std::size_t kSlotsAtStartMax = std::size_t{1} << 14;

// The slot of `hash`, or the free one where it belongs.
std::uint64_t* SlotOf(std::uint64_t* slots, std::size_t mask, std::uint64_t hash) {
  std::size_t slot = (hash >> 8) & mask;
  while (slots[slot] != 0 && ((slots[slot] ^ hash) & ~kCountMask) != 0) slot = (slot + 1) & mask;
  return slots + slot;
}

}  // namespace

FeatureExtractor::FeatureExtractor(const FeatureOptions& options) : options_(options) {}

void FeatureExtractor::Extract(std::string_view text, std::span<const Token> tokens,
                               Features* features) {
  const std::size_t n = tokens.size();
  token_hashes_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    token_hashes_[i] =
        XXH3_64bits_withSeed(text.data() + tokens[i].begin, tokens[i].size, options_.key);
  }
  features->distinct = 0;
  for (std::size_t length = 1; length <= kShingleTokensMax; ++length) {
    Features::Block& block = features->blocks[length - 1];
    block.weight = options_.shingle_weights[length - 1];
    block.hashes.clear();
    if (block.weight == 0 || n < length) continue;
    block.hashes.resize(n - length + 1);
    HashShingles(token_hashes_, length, block.hashes.data());
    features->distinct += Damp(&block.hashes);
  }
}

void FeatureExtractor::ReleaseAbove(std::size_t bytes) {
  const std::size_t words = token_hashes_.capacity() + counts_.capacity();
  if (words * sizeof(std::uint64_t) <= bytes) return;
  token_hashes_ = {};
  counts_ = {};
}

std::uint32_t FeatureExtractor::Damp(std::vector<std::uint64_t>* hashes) {
  counts_.assign(std::bit_ceil(std::clamp(hashes->size() * 4, kSlotsMin, kSlotsAtStartMax)), 0);
  std::uint64_t* write = hashes->data();
  const std::uint64_t* const end = write + hashes->size();
  std::size_t distinct = 0;
  for (const std::uint64_t* read = write; read != end;) {
    std::uint64_t* const slots = counts_.data();
    const std::size_t mask = counts_.size() - 1;
    const std::size_t full = counts_.size() / 2;
    // No branch depends on whether a hash was met before: that would be guessed wrong too often.
    for (; read != end && distinct < full; ++read) {
      const std::uint64_t hash = *read;
      std::uint64_t* const slot = SlotOf(slots, mask, hash);
      const std::uint64_t count = (*slot & kCountMask) + 1;
      *slot = (hash & ~kCountMask) | std::min(count, kTfMax + 1);
      distinct += count == 1;
      // The weight 1 + floor(log2 n) grows at n = 1, 2, 4, 8 ...
      *write = hash;
      write += (count & (count - 1)) == 0;
    }
    if (read != end) GrowCounts();
  }
  hashes->resize(static_cast<std::size_t>(write - hashes->data()));
  return static_cast<std::uint32_t>(distinct);
}

void FeatureExtractor::GrowCounts() {
  std::vector<std::uint64_t> grown(counts_.size() * 2, 0);
  for (const std::uint64_t slot : counts_) {
    if (slot != 0) *SlotOf(grown.data(), grown.size() - 1, slot) = slot;
  }
  counts_.swap(grown);
}

std::vector<WeightedFeature> Summed(const Features& features) {
  std::vector<WeightedFeature> all;
  for (const Features::Block& block : features.blocks) {
    for (const std::uint64_t hash : block.hashes) all.push_back({hash, block.weight});
  }
  std::sort(all.begin(), all.end(),
            [](const WeightedFeature& a, const WeightedFeature& b) { return a.hash < b.hash; });
  std::vector<WeightedFeature> summed;
  for (const WeightedFeature& feature : all) {
    if (!summed.empty() && summed.back().hash == feature.hash) {
      summed.back().weight += feature.weight;
    } else {
      summed.push_back(feature);
    }
  }
  return summed;
}

}  // namespace contentseen
