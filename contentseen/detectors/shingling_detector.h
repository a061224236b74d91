#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "contentseen/detectors/keyed_detector.h"
#include "contentseen/options.h"

namespace contentseen {

/// Near means: at least 2 of 6 supershingles agree, position by position (Broder, Glassman,
/// Manasse, Zweig, WWW 1997; Henzinger, SIGIR 2006, Algorithm B). In effect a test for a
/// resemblance of .9 to .95: see docs/contentseen.md for the curve.
///
///     auto detector = std::make_unique<ShinglingDetector>(options);
///
/// Signature: SimHash, 6 supershingles. A text under 8 tokens has none. Evidence: supershingles.
/// Thread safety: all methods, at once. Cost: 84 min-wise values a token; a document takes 72
/// bytes and 15 keys.
class ShinglingDetector final : public KeyedDetector {
 public:
  /// REQUIRES: valid options.
  explicit ShinglingDetector(const ContentSeenOptions& options);

  std::string_view name() const override { return "shingling"; }
  bool Sign(const AnalyzedText& text, Signature* signature) const override;
  bool Takes(const Signature& signature) const override {
    return signature.size() == 1 + kSupershingles;
  }
  Evidence Least() const override { return {.first = {"supershingles", least_, kSupershingles}}; }

 protected:
  Evidence Weigh(Words a, Words b) const override;
  bool IsSimilar(Words a, Words b) const override;
  std::vector<std::uint64_t> Keys(Words signature) const override;

 private:
  const std::uint64_t key_;
  const std::uint32_t least_;
};

}  // namespace contentseen
