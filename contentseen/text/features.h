#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "contentseen/text/tally.h"
#include "contentseen/text/tokens.h"

namespace contentseen {

/// Longest word shingle, in tokens.
inline constexpr std::size_t kShingleTokensMax = 3;

/// What features are made of.
struct FeatureOptions {
  /// Secret of a crawl. Fingerprints made with different keys cannot be compared; who does not
  /// know the key cannot aim a text at a fingerprint.
  std::uint64_t key = 0;
  /// Weight of a shingle of 1, 2, 3 tokens; 0..15, 0 leaves that length out. docs/contentseen.md
  /// says why these.
  std::array<std::uint32_t, kShingleTokensMax> shingle_weights = {3, 0, 2};
};

/// A shingle that stands n times in a text weighs 1 + floor(log2 n) times its length's weight, n
/// counted to 2^7 at most: a word repeated ten million times cannot outweigh a page.
inline constexpr std::uint32_t kDampedTfMax = 8;

/// Weighted 64-bit features of a text. A hash may stand several times: its weight is the sum.
struct Features {
  /// Feature hashes of one weight.
  struct Block {
    std::uint32_t weight = 0;
    std::vector<std::uint64_t> hashes;
  };
  /// One block for each shingle length.
  std::array<Block, kShingleTokensMax> blocks;
  /// Number of different hashes over all blocks.
  std::uint32_t distinct = 0;
};

/// One feature with its whole weight.
struct WeightedFeature {
  std::uint64_t hash = 0;
  std::uint32_t weight = 0;

  friend bool operator==(const WeightedFeature&, const WeightedFeature&) = default;
};

/// Turns tokens into features: shingles of 1 to 3 consecutive tokens. A token's hash is keyed
/// (token_hash.h); a shingle's is the polynomial of its tokens' hashes put through a 64-bit
/// finalizer (raw FNV or a plain sum would leave the bits dependent, and unrelated texts near).
///
///     FeatureExtractor extractor(options);
///     extractor.Extract(text, tokens, &features);
///
/// Thread safety: one thread at a time (it keeps scratch memory).
/// Cost: a few ns a token; memory of 16 to 32 bytes a token, reused.
class FeatureExtractor {
 public:
  explicit FeatureExtractor(const FeatureOptions& options);

  /// Overwrites `features`. REQUIRES: `tokens` lie in `text`.
  void Extract(std::string_view text, std::span<const Token> tokens, Features* features);

  /// Scratch memory that is held.
  std::size_t capacity_bytes() const {
    return token_hashes_.capacity() * sizeof(std::uint64_t) + tally_.capacity_bytes();
  }
  /// Gives back scratch memory when it is more than `bytes`.
  void ReleaseAbove(std::size_t bytes);

 private:
  FeatureOptions options_;
  std::vector<std::uint64_t> token_hashes_;
  Tally tally_;
};

/// The features with repeated hashes summed, ordered by hash.
std::vector<WeightedFeature> Summed(const Features& features);

}  // namespace contentseen
