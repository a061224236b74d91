#pragma once

#include <cstdint>
#include <string_view>

#include "contentseen/analyzed_text.h"
#include "contentseen/detector.h"
#include "contentseen/digest.h"
#include "contentseen/fingerprint.h"

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
  /// The detector's; empty when `too_short` or `empty`.
  Signature signature;
};

/// Makes the sketch of `text`. Thread safety: as for its arguments.
Sketch MakeSketch(const AnalyzedText& text, const Detector& detector, std::uint32_t features_min);

}  // namespace contentseen
