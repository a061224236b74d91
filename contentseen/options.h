#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"
#include "contentseen/features.h"

namespace contentseen {

/// How ContentSeen judges. One crawl keeps to one set of options: fingerprints made with other
/// features or another key cannot be compared.
struct ContentSeenOptions {
  /// Largest Hamming distance, in bits of 64, at which two fingerprints count as near; 0..10.
  /// 3 is what Manku, Jain and Das Sarma settled on for the web (WWW 2007, section 4).
  int k = 3;
  /// A text with fewer different features than this is compared exactly only; 1..1,000,000. A
  /// text of n different words has 3n - 3 features, so the default asks for about 20 words.
  std::uint32_t features_min = 60;
  /// How many documents are expected, 0 where unknown: a hint for the index's first size.
  std::uint64_t documents_expected = 0;
  /// What features are made of and the secret they are hashed with.
  FeatureOptions features{};
};

inline constexpr int kDistanceMax = 10;
inline constexpr std::uint32_t kFeaturesMinMax = 1'000'000;
inline constexpr std::uint32_t kShingleWeightMax = 15;

/// Fails with a sentence that names the option, its value and its range.
base::Status Validate(const ContentSeenOptions& options);

}  // namespace contentseen
