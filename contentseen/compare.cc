#include "contentseen/compare.h"

#include <algorithm>
#include <vector>

#include "contentseen/analyzed_text.h"
#include "contentseen/sketch.h"

namespace contentseen {
namespace {

TextSide SideOf(const AnalyzedText& text, const Sketch& sketch,
                const std::vector<WeightedFeature>& features) {
  TextSide side;
  side.text_digest = sketch.text_digest;
  side.fingerprint = sketch.fingerprint;
  side.normalized_bytes = text.normalized().size();
  side.tokens = text.tokens().size();
  side.features = features.size();
  for (const WeightedFeature& feature : features) side.weight += feature.weight;
  side.empty = sketch.empty;
  side.too_short = sketch.too_short;
  return side;
}

// Both lists are ordered by hash.
void CountShared(const std::vector<WeightedFeature>& a, const std::vector<WeightedFeature>& b,
                 Comparison* comparison) {
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (i->hash < j->hash) {
      ++i;
    } else if (j->hash < i->hash) {
      ++j;
    } else {
      ++comparison->shared_features;
      comparison->shared_weight += std::min(i->weight, j->weight);
      ++i;
      ++j;
    }
  }
}

double Ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Kind KindOf(const Sketch& a, const Sketch& b, int k) {
  if (a.empty || b.empty) return Kind::kNew;
  if (a.text_digest == b.text_digest) return Kind::kExactText;
  if (a.too_short || b.too_short) return Kind::kNew;
  return Distance(a.fingerprint, b.fingerprint) <= k ? Kind::kNear : Kind::kNew;
}

}  // namespace

Comparison Compare(const ContentSeenOptions& options, std::string_view a, std::string_view b) {
  AnalyzedText text(options.features);
  text.Assign(a);
  const Sketch sketch_a = MakeSketch(text, options.features_min);
  const std::vector<WeightedFeature> features_a = Summed(text.features());
  Comparison comparison;
  comparison.a = SideOf(text, sketch_a, features_a);
  text.Assign(b);
  const Sketch sketch_b = MakeSketch(text, options.features_min);
  const std::vector<WeightedFeature> features_b = Summed(text.features());
  comparison.b = SideOf(text, sketch_b, features_b);
  comparison.distance = Distance(sketch_a.fingerprint, sketch_b.fingerprint);
  comparison.kind = KindOf(sketch_a, sketch_b, options.k);
  CountShared(features_a, features_b, &comparison);
  comparison.resemblance =
      Ratio(comparison.shared_features,
            features_a.size() + features_b.size() - comparison.shared_features);
  comparison.weighted_resemblance =
      Ratio(comparison.shared_weight,
            comparison.a.weight + comparison.b.weight - comparison.shared_weight);
  return comparison;
}

}  // namespace contentseen
