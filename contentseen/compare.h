#pragma once

#include <cstdint>
#include <string_view>

#include "contentseen/content_seen.h"
#include "contentseen/detectors/detector.h"
#include "contentseen/digest.h"
#include "contentseen/fingerprint.h"
#include "contentseen/options.h"
#include "contentseen/verdict.h"

namespace contentseen {

/// What is judged of one text.
struct TextSide {
  /// SHA-256 of the normalised text.
  Digest text_digest{};
  Fingerprint fingerprint = 0;
  std::uint64_t normalized_bytes = 0;
  std::uint64_t tokens = 0;
  /// Different features, and the sum of their weights.
  std::uint64_t features = 0;
  std::uint64_t weight = 0;
  /// What of it the detector compares.
  Basis basis = Basis::kWholeText;
  bool empty = false;
  /// As Verdict::too_short.
  bool too_short = false;
};

/// Two texts held against each other.
struct Comparison {
  TextSide a;
  TextSide b;
  /// Hamming distance of the fingerprints, 0..64.
  int distance = 0;
  /// Features that stand in both texts.
  std::uint64_t shared_features = 0;
  /// Sum over all features of the smaller of the two weights.
  std::uint64_t shared_weight = 0;
  /// Of the features that stand in either text, the part that stands in both, 0..1 (Jaccard); 0
  /// when there are none. Weighted: sum of smaller over sum of larger weights.
  double resemblance = 0;
  double weighted_resemblance = 0;
  /// What b would be called after a was admitted: kNew, kExactText or kNear.
  Kind kind = Kind::kNew;
  /// Both texts have a signature of the detector, and `evidence` says how far those agree.
  bool compared = false;
  Evidence evidence{};
  /// What the detector asks of these two; measures that do not matter to them are left out.
  Evidence least{};
};

/// Compares two pages as ContentSeen with this detector would. Bodies are not looked at.
///
///     auto detector = MakeDetector(options.detector, options);
///     Comparison c = Compare(options, **detector, page_a, page_b);
///     if (c.kind == Kind::kNear) std::cout << Format(c.evidence) << "\n";
///
/// REQUIRES: valid options, those that the detector was made with. Thread safety: yes.
Comparison Compare(const ContentSeenOptions& options, const Detector& detector,
                   const Submission& a, const Submission& b);

/// The same for two texts by SimHash at distance options.k, whatever options.detector says.
Comparison Compare(const ContentSeenOptions& options, std::string_view a, std::string_view b);

}  // namespace contentseen
