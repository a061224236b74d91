#include "contentseen/options.h"

#include <algorithm>
#include <bit>
#include <string>

#include "contentseen/detectors/detectors.h"
#include "contentseen/option_numbers.h"

namespace contentseen {
namespace {

template <class Value>
tl::unexpected<base::Error> OutOfRange(const char* option, Value value, std::int64_t min,
                                       std::int64_t max) {
  return base::Fail(std::string(option) + " is " + std::to_string(value) + ", but must lie in " +
                    std::to_string(min) + ".." + std::to_string(max));
}

base::Status ValidateDetector(const std::string& detector) {
  const auto names = DetectorNames();
  if (std::find(names.begin(), names.end(), detector) != names.end()) return {};
  std::string known;
  for (const std::string_view name : names) {
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return base::Fail("there is no detector \"" + detector + "\", only " + known);
}

}  // namespace

std::vector<OptionNumber> OptionNumbers(const ContentSeenOptions& o) {
  const auto& weights = o.features.shingle_weights;
  return {
      {"k", o.k, 0, kDistanceMax},
      {"features_min", o.features_min, 1, kFeaturesMinMax},
      {"a shingle weight", weights[0], 0, kShingleWeightMax},
      {"a shingle weight", weights[1], 0, kShingleWeightMax},
      {"a shingle weight", weights[2], 0, kShingleWeightMax},
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
}

base::Status Validate(const ContentSeenOptions& options) {
  if (base::Status known = ValidateDetector(options.detector); !known) return known;
  return ValidateNumbers(options);
}

base::Status ValidateNumbers(const ContentSeenOptions& o) {
  for (const OptionNumber& n : OptionNumbers(o)) {
    if (n.value < n.min || n.value > n.max) return OutOfRange(n.option, n.value, n.min, n.max);
  }
  if (o.documents_expected > kDocumentsExpectedMax) {
    return OutOfRange("documents_expected", o.documents_expected, 0, kDocumentsExpectedMax);
  }
  if (!std::has_single_bit(o.verified.host_sketch_kib)) {
    return base::Fail("host_sketch_kib is " + std::to_string(o.verified.host_sketch_kib) +
                      ", but must be a power of two");
  }
  const auto& weights = o.features.shingle_weights;
  if (std::all_of(weights.begin(), weights.end(), [](std::uint32_t w) { return w == 0; })) {
    return base::Fail("all shingle weights are 0, but one of them must be positive");
  }
  return {};
}

}  // namespace contentseen
