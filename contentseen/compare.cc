#include "contentseen/compare.h"

#include <algorithm>
#include <vector>

#include "contentseen/detectors/sketch.h"
#include "contentseen/text/analyzed_text.h"

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
  side.basis = sketch.basis;
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

struct Side {
  Sketch sketch;
  std::vector<WeightedFeature> features;
};

Kind KindOf(const Sketch& a, const Sketch& b, bool similar) {
  if (a.empty || b.empty) return Kind::kNew;
  if (a.text_digest == b.text_digest) return Kind::kExactText;
  if (a.too_short || b.too_short) return Kind::kNew;
  return similar ? Kind::kNear : Kind::kNew;
}

// All but what a detector says.
Comparison Compare(const TextSide& side_a, const Side& a, const TextSide& side_b, const Side& b) {
  Comparison comparison;
  comparison.a = side_a;
  comparison.b = side_b;
  comparison.distance = Distance(a.sketch.fingerprint, b.sketch.fingerprint);
  CountShared(a.features, b.features, &comparison);
  comparison.resemblance =
      Ratio(comparison.shared_features,
            a.features.size() + b.features.size() - comparison.shared_features);
  comparison.weighted_resemblance =
      Ratio(comparison.shared_weight, side_a.weight + side_b.weight - comparison.shared_weight);
  return comparison;
}

}  // namespace

Comparison Compare(const ContentSeenOptions& options, const Detector& detector,
                   const Submission& a, const Submission& b) {
  AnalyzedText text(options.features);
  text.Assign(a.text, a.passages, a.host, a.title);
  const Side left{MakeSketch(text, detector, options.features_min), Summed(text.features())};
  const TextSide side_a = SideOf(text, left.sketch, left.features);
  text.Assign(b.text, b.passages, b.host, b.title);
  const Side right{MakeSketch(text, detector, options.features_min), Summed(text.features())};
  const TextSide side_b = SideOf(text, right.sketch, right.features);

  Comparison comparison = Compare(side_a, left, side_b, right);
  const Signature& x = left.sketch.signature;
  const Signature& y = right.sketch.signature;
  comparison.compared = !x.empty() && !y.empty();
  if (comparison.compared) {
    comparison.evidence = detector.Compare(x, y);
    comparison.least = detector.LeastOf(x, y);
  }
  comparison.kind =
      KindOf(left.sketch, right.sketch, comparison.compared && detector.Similar(x, y));
  return comparison;
}

Comparison Compare(const ContentSeenOptions& options, std::string_view a, std::string_view b) {
  AnalyzedText text(options.features);
  text.Assign(a);
  const Side left{MakeSketch(text, options.features_min), Summed(text.features())};
  const TextSide side_a = SideOf(text, left.sketch, left.features);
  text.Assign(b);
  const Side right{MakeSketch(text, options.features_min), Summed(text.features())};
  const TextSide side_b = SideOf(text, right.sketch, right.features);
  Comparison comparison = Compare(side_a, left, side_b, right);
  comparison.kind = KindOf(left.sketch, right.sketch, comparison.distance <= options.k);
  return comparison;
}

}  // namespace contentseen
