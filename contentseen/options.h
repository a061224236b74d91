#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "contentseen/text/features.h"

namespace contentseen {

/// `shingling`: how many supershingles of 6 must agree; 1..6. At least 2 is Henzinger's Algorithm
/// B (SIGIR 2006).
struct ShinglingOptions {
  std::uint32_t supershingles_min = 2;
};
inline constexpr std::uint32_t kSupershingles = 6;

/// `random-projection` and the second half of `combined`: how many bits of 384 must be equal;
/// 353..384 (Henzinger's Algorithm C, and her combination).
struct ProjectionOptions {
  std::uint32_t equal_bits_min = 372;
  std::uint32_t combined_equal_bits_min = 355;
};
inline constexpr std::uint32_t kProjectionBits = 384;
inline constexpr std::uint32_t kProjectionEqualBitsMinMin = 353;

/// `minhash`: bands 1..64, rows of a band 1..64, words of a shingle 1..16.
struct MinHashOptions {
  std::uint32_t bands = 14;
  std::uint32_t rows = 8;
  std::uint32_t words = 5;
};
inline constexpr std::uint32_t kMinHashBandsMax = 64;
inline constexpr std::uint32_t kMinHashRowsMax = 64;
inline constexpr std::uint32_t kMinHashWordsMax = 16;

/// `text-profile`: words of more characters than `token_length_min` (0..100) are counted; counts
/// are rounded to `quant_percent` (0..100) of the highest.
struct TextProfileOptions {
  std::uint32_t token_length_min = 2;
  std::uint32_t quant_percent = 1;
};
inline constexpr std::uint32_t kTextProfileOptionMax = 100;

/// `spotsigs`: words of a spot (1..8), content words from one to the next (1..16), the least
/// resemblance in percent (1..100), and the fewest spots of a text that is compared (1..1000).
struct SpotSigsOptions {
  std::uint32_t chain = 2;
  std::uint32_t distance = 1;
  std::uint32_t resemblance_min_percent = 44;
  std::uint32_t spots_min = 4;
};
inline constexpr std::uint32_t kSpotChainMax = 8;
inline constexpr std::uint32_t kSpotDistanceMax = 16;
inline constexpr std::uint32_t kSpotsMinMax = 1'000;

/// `i-match`: the lexicon's file (made by `contentseen lexicon`), how many random lexicons beside
/// it (0..64), the part of terms that each leaves out (1..99 percent), and the fewest terms that
/// are compared (1..1000).
struct IMatchOptions {
  std::string lexicon;
  std::uint32_t random_lexicons = 10;
  std::uint32_t dropped_percent = 30;
  std::uint32_t terms_min = 4;
};
inline constexpr std::uint32_t kRandomLexiconsMax = 64;
inline constexpr std::uint32_t kLexiconTermsMinMax = 1'000;

/// `verified`: the part of either page's main text that must stand in the other, in percent
/// (1..100), for pages of different hosts and of one, and for any whose fingerprints are within k;
/// and the memory in which hosts' templates are learned, in KiB (a power of two, 4 to 16,777,216).
struct VerifiedOptions {
  std::uint32_t resemblance_min_percent = 60;
  std::uint32_t resemblance_min_percent_same_host = 65;
  std::uint32_t resemblance_min_percent_within_k = 55;
  std::uint32_t host_sketch_kib = 16'384;
};
inline constexpr std::uint32_t kHostSketchKibMin = 4;
inline constexpr std::uint32_t kHostSketchKibMax = 1u << 24;

/// As many as the Hamming index has room for (kHammingFingerprintsMax).
inline constexpr std::uint64_t kDocumentsExpectedMax = 1'500'000'000;

/// How ContentSeen judges. One crawl keeps to one set of options: fingerprints made with other
/// features or another key cannot be compared.
struct ContentSeenOptions {
  /// Largest Hamming distance, in bits of 64, at which two fingerprints count as near; 0..10.
  /// `simhash` goes by it alone; `verified` asks less of the main texts of pages that are so near.
  /// 3 is what Manku, Jain and Das Sarma settled on for the web (WWW 2007, section 4).
  int k = 3;
  /// A text with fewer different features than this is compared exactly only; 1..1,000,000. A
  /// text of n different words has 2n - 2 features, so the default asks for about 20 words.
  std::uint32_t features_min = 40;
  /// How many documents are expected, 0 where unknown; at most kDocumentsExpectedMax. A hint for
  /// the first size of the tables, which take some 30 bytes for each from the beginning. Of more
  /// documents than that verdicts stay right, but each costs more time and memory.
  std::uint64_t documents_expected = 0;
  /// The method that tells near-duplicates: one of DetectorNames() (detectors.h).
  std::string detector = "verified";
  ShinglingOptions shingling{};
  ProjectionOptions projection{};
  MinHashOptions minhash{};
  IMatchOptions i_match{};
  TextProfileOptions text_profile{};
  SpotSigsOptions spotsigs{};
  VerifiedOptions verified{};
  /// What features are made of and the secret they are hashed with. Draw its `key` at random, once
  /// a crawl, and keep it: the default, 0, is known to all, and who knows the key can write texts
  /// that are taken for copies of other people's pages, or that fall into one bucket.
  FeatureOptions features{};
};

inline constexpr int kDistanceMax = 10;
inline constexpr std::uint32_t kFeaturesMinMax = 1'000'000;
inline constexpr std::uint32_t kShingleWeightMax = 15;

/// Fails with a sentence that names the option, its value and its range.
base::Status Validate(const ContentSeenOptions& options);

}  // namespace contentseen
