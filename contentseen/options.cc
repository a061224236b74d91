#include "contentseen/options.h"

#include <algorithm>
#include <bit>
#include <string>

#include "contentseen/detectors/detectors.h"

namespace contentseen {
namespace {

std::string OutOfRange(const char* option, std::uint64_t value, const std::string& range) {
  return std::string(option) + " is " + std::to_string(value) + ", but must lie in " + range;
}

// An option that is a whole number.
struct Bounded {
  const char* option;
  std::uint64_t value;
  std::uint64_t min;
  std::uint64_t max;
};

base::Status ValidateDetector(const ContentSeenOptions& o) {
  const auto names = DetectorNames();
  if (std::find(names.begin(), names.end(), o.detector) == names.end()) {
    std::string known;
    for (const std::string_view name : names)
      known += (known.empty() ? "" : ", ") + std::string(name);
    return base::Fail("there is no detector \"" + o.detector + "\", only " + known);
  }
  const Bounded all[] = {
      {"supershingles_min", o.shingling.supershingles_min, 1, kSupershingles},
      {"projection_equal_bits_min", o.projection.equal_bits_min, kProjectionEqualBitsMinMin,
       kProjectionBits},
      {"combined_equal_bits_min", o.projection.combined_equal_bits_min, kProjectionEqualBitsMinMin,
       kProjectionBits},
      {"minhash_bands", o.minhash.bands, 1, kMinHashBandsMax},
      {"minhash_rows", o.minhash.rows, 1, kMinHashRowsMax},
      {"minhash_words", o.minhash.words, 1, kMinHashWordsMax},
      {"i_match_random_lexicons", o.i_match.random_lexicons, 0, kRandomLexiconsMax},
      {"i_match_dropped_percent", o.i_match.dropped_percent, 1, 99},
      {"i_match_terms_min", o.i_match.terms_min, 1, kLexiconTermsMinMax},
      {"spotsigs_chain", o.spotsigs.chain, 1, kSpotChainMax},
      {"spotsigs_distance", o.spotsigs.distance, 1, kSpotDistanceMax},
      {"spotsigs_resemblance_min_percent", o.spotsigs.resemblance_min_percent, 1, 100},
      {"spotsigs_spots_min", o.spotsigs.spots_min, 1, kSpotsMinMax},
      {"text_profile_token_length_min", o.text_profile.token_length_min, 0, kTextProfileOptionMax},
      {"text_profile_quant_percent", o.text_profile.quant_percent, 0, kTextProfileOptionMax},
      {"verified_resemblance_min_percent", o.verified.resemblance_min_percent, 1, 100},
      {"verified_resemblance_min_percent_same_host", o.verified.resemblance_min_percent_same_host,
       1, 100},
      {"verified_resemblance_min_percent_within_k", o.verified.resemblance_min_percent_within_k, 1,
       100},
      {"verified_host_sketch_kib", o.verified.host_sketch_kib, kHostSketchKibMin,
       kHostSketchKibMax},
  };
  for (const Bounded& b : all) {
    if (b.value >= b.min && b.value <= b.max) continue;
    return base::Fail(
        OutOfRange(b.option, b.value, std::to_string(b.min) + ".." + std::to_string(b.max)));
  }
  if (!std::has_single_bit(o.verified.host_sketch_kib)) {
    return base::Fail("host_sketch_kib is " + std::to_string(o.verified.host_sketch_kib) +
                      ", but must be a power of two");
  }
  return {};
}

}  // namespace

base::Status Validate(const ContentSeenOptions& options) {
  if (options.k < 0 || options.k > kDistanceMax) {
    return base::Fail("k is " + std::to_string(options.k) + ", but must lie in 0.." +
                      std::to_string(kDistanceMax));
  }
  if (options.features_min < 1 || options.features_min > kFeaturesMinMax) {
    return base::Fail(
        OutOfRange("features_min", options.features_min, "1.." + std::to_string(kFeaturesMinMax)));
  }
  if (options.documents_expected > kDocumentsExpectedMax) {
    return base::Fail(OutOfRange("documents_expected", options.documents_expected,
                                 "0.." + std::to_string(kDocumentsExpectedMax)));
  }
  if (base::Status valid = ValidateDetector(options); !valid) return valid;
  const auto& weights = options.features.shingle_weights;
  for (const std::uint32_t weight : weights) {
    if (weight > kShingleWeightMax) {
      return base::Fail(
          OutOfRange("a shingle weight", weight, "0.." + std::to_string(kShingleWeightMax)));
    }
  }
  if (std::all_of(weights.begin(), weights.end(), [](std::uint32_t w) { return w == 0; })) {
    return base::Fail("all shingle weights are 0, but one of them must be positive");
  }
  return {};
}

}  // namespace contentseen
