#pragma once

#include <cstdint>
#include <string_view>

#include "contentseen/detectors/detector.h"
#include "contentseen/digest.h"
#include "contentseen/fingerprint.h"
#include "contentseen/text/analyzed_text.h"

namespace contentseen {

/// All that is judged of a text once it was analysed.
struct Sketch {
  /// SHA-256 of the normalised text.
  Digest text_digest{};
  Fingerprint fingerprint = 0;
  /// Different features.
  std::uint32_t features = 0;
  /// The normalised text is empty.
  bool empty = false;
  /// Fewer features than the minimum, or too little for the detector.
  bool too_short = false;
  Basis basis = Basis::kWholeText;
  /// The detector's; empty when `too_short` or `empty`.
  Signature signature;
};

/// All of the sketch of `text` but the detector's signature. Thread safety: as for `text`.
Sketch MakeSketch(const AnalyzedText& text, std::uint32_t features_min);

/// The same with the signature.
Sketch MakeSketch(const AnalyzedText& text, const Detector& detector, std::uint32_t features_min);

}  // namespace contentseen
