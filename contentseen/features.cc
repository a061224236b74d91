#include "contentseen/features.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>

#include "contentseen/mix.h"

namespace contentseen {
namespace {

// Multiplier of the shingle polynomial: 2^64 divided by the golden ratio, odd.
constexpr std::uint64_t kShingleBase = 0x9E3779B97F4A7C15ULL;

// Occurrences beyond this are not counted further: 2^(kDampedTfMax - 1).
constexpr std::uint64_t kTfMax = std::uint64_t{1} << (kDampedTfMax - 1);

// A slot of the counting table: the upper 56 bits of a hash, and how often it was met.
constexpr std::uint64_t kCountMask = 0xFF;
// The table starts at twice the occurrences, between these, and doubles when half full.
constexpr std::size_t kSlotsMin = 64;
constexpr std::size_t kSlotsAtStartMax = std::size_t{1} << 14;

std::size_t SlotOf(const std::vector<std::uint64_t>& slots, std::uint64_t hash) {
  const std::size_t mask = slots.size() - 1;
  std::size_t slot = (hash >> 8) & mask;
  while (slots[slot] != 0 && ((slots[slot] ^ hash) & ~kCountMask) != 0) slot = (slot + 1) & mask;
  return slot;
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
  const std::uint64_t* const t = token_hashes_.data();
  for (std::size_t length = 1; length <= kShingleTokensMax; ++length) {
    Features::Block& block = features->blocks[length - 1];
    block.weight = options_.shingle_weights[length - 1];
    block.hashes.clear();
    if (block.weight == 0 || n < length) continue;
    block.hashes.resize(n - length + 1);
    std::uint64_t* const out = block.hashes.data();
    // The length enters the hash, so that a shingle never equals a shorter one.
    for (std::size_t i = 0; i + length <= n; ++i) {
      std::uint64_t sum = length;
      for (std::size_t j = 0; j < length; ++j) sum = sum * kShingleBase + t[i + j];
      out[i] = Mix64(sum);
    }
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
  counts_.assign(std::bit_ceil(std::clamp(hashes->size() * 2, kSlotsMin, kSlotsAtStartMax)), 0);
  std::uint64_t* write = hashes->data();
  std::uint32_t distinct = 0;
  for (const std::uint64_t hash : *hashes) {
    const std::size_t slot = SlotOf(counts_, hash);
    const std::uint64_t count = counts_[slot] & kCountMask;
    if (count == kTfMax) continue;
    counts_[slot] = (hash & ~kCountMask) | (count + 1);
    // The weight 1 + floor(log2 n) grows at n = 1, 2, 4, 8 ...
    *write = hash;
    write += std::has_single_bit(count + 1);
    if (count == 0 && ++distinct > counts_.size() / 2) GrowCounts();
  }
  hashes->resize(static_cast<std::size_t>(write - hashes->data()));
  return distinct;
}

void FeatureExtractor::GrowCounts() {
  std::vector<std::uint64_t> grown(counts_.size() * 2, 0);
  for (const std::uint64_t slot : counts_) {
    if (slot != 0) grown[SlotOf(grown, slot)] = slot;
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
