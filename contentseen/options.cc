#include "contentseen/options.h"

#include <algorithm>
#include <string>

namespace contentseen {
namespace {

std::string OutOfRange(const char* option, std::uint64_t value, const std::string& range) {
  return std::string("contentseen: ") + option + " is " + std::to_string(value) +
         ", but must lie in " + range;
}

}  // namespace

base::Status Validate(const ContentSeenOptions& options) {
  if (options.k < 0 || options.k > kDistanceMax) {
    return base::Fail("contentseen: k is " + std::to_string(options.k) + ", but must lie in 0.." +
                      std::to_string(kDistanceMax));
  }
  if (options.features_min < 1 || options.features_min > kFeaturesMinMax) {
    return base::Fail(
        OutOfRange("features_min", options.features_min, "1.." + std::to_string(kFeaturesMinMax)));
  }
  const auto& weights = options.features.shingle_weights;
  for (const std::uint32_t weight : weights) {
    if (weight > kShingleWeightMax) {
      return base::Fail(
          OutOfRange("a shingle weight", weight, "0.." + std::to_string(kShingleWeightMax)));
    }
  }
  if (std::all_of(weights.begin(), weights.end(), [](std::uint32_t w) { return w == 0; })) {
    return base::Fail("contentseen: all shingle weights are 0, but one of them must be positive");
  }
  return {};
}

}  // namespace contentseen
