#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "contentseen/detectors/keyed_detector.h"
#include "contentseen/detectors/projection.h"
#include "contentseen/options.h"

namespace contentseen {

/// Near means: at least 2 of 6 supershingles agree, and then at least 355 of 384 bits of the
/// random projections (Henzinger, SIGIR 2006, section 5: either method alone errs where the other
/// does not).
///
///     auto detector = std::make_unique<CombinedDetector>(options);
///
/// Signature: SimHash, 6 supershingles, 384 bits. A text under 8 tokens has none. Evidence:
/// supershingles, then bits.
/// Thread safety: all methods, at once. Cost: that of both signatures; a document takes 120 bytes
/// and 15 keys.
class CombinedDetector final : public KeyedDetector {
 public:
  /// REQUIRES: valid options.
  explicit CombinedDetector(const ContentSeenOptions& options);

  std::string_view name() const override { return "combined"; }
  bool Sign(const AnalyzedText& text, Signature* signature) const override;
  bool Takes(const Signature& signature) const override {
    return signature.size() == 1 + kSupershingles + kProjectionWords;
  }
  Evidence Least() const override {
    return {.first = {"supershingles", supershingles_least_, kSupershingles},
            .second = {"bits", bits_least_, kProjectionBits}};
  }

 protected:
  Evidence Weigh(Words a, Words b) const override;
  bool IsSimilar(Words a, Words b) const override;
  std::vector<std::uint64_t> Keys(Words signature) const override;

 private:
  const std::uint64_t key_;
  const std::uint32_t supershingles_least_;
  const std::uint32_t bits_least_;
};

}  // namespace contentseen
