#include "contentseen/text/features.h"

#include <algorithm>

#include "contentseen/text/shingle_hash.h"
#include "contentseen/text/token_hash.h"

namespace contentseen {
namespace {

static_assert(Tally::kCountMax == 1 << (kDampedTfMax - 1));

}  // namespace

FeatureExtractor::FeatureExtractor(const FeatureOptions& options) : options_(options) {}

void FeatureExtractor::Extract(std::string_view text, std::span<const Token> tokens,
                               Features* features) {
  const std::size_t n = tokens.size();
  token_hashes_.resize(n);
  std::transform(tokens.begin(), tokens.end(), token_hashes_.begin(),
                 TokenHash(text, options_.key));
  features->distinct = 0;
  for (std::size_t length = 1; length <= kShingleTokensMax; ++length) {
    Features::Block& block = features->blocks[length - 1];
    block.weight = options_.shingle_weights[length - 1];
    block.hashes.resize(block.weight == 0 || n < length ? 0 : n - length + 1);
    if (block.hashes.empty()) continue;
    HashShingles(token_hashes_, length, block.hashes.data());
    const Tally::Damped damped = tally_.Damp(block.hashes.data(), block.hashes.size());
    block.hashes.resize(damped.kept);
    features->distinct += static_cast<std::uint32_t>(damped.distinct);
  }
}

void FeatureExtractor::ReleaseAbove(std::size_t bytes) {
  if (capacity_bytes() <= bytes) return;
  std::vector<std::uint64_t>().swap(token_hashes_);
  tally_.Release();
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
