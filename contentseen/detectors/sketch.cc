#include "contentseen/detectors/sketch.h"

namespace contentseen {

Sketch MakeSketch(const AnalyzedText& text, std::uint32_t features_min) {
  Sketch sketch;
  sketch.empty = text.normalized().empty();
  if (sketch.empty) return sketch;
  sketch.text_digest = Sha256(text.normalized());
  sketch.fingerprint = text.fingerprint();
  sketch.features = text.features().distinct;
  sketch.too_short = sketch.features < features_min;
  return sketch;
}

Sketch MakeSketch(const AnalyzedText& text, const Detector& detector, std::uint32_t features_min) {
  Sketch sketch = MakeSketch(text, features_min);
  if (sketch.empty || sketch.too_short) return sketch;
  sketch.too_short = !detector.Sign(text, &sketch.signature);
  if (sketch.too_short) {
    sketch.signature.clear();
  } else {
    sketch.basis = detector.BasisOf(sketch.signature);
  }
  return sketch;
}

}  // namespace contentseen
