#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "contentseen/detectors/keyed_detector.h"
#include "contentseen/detectors/projection.h"
#include "contentseen/options.h"

namespace contentseen {

/// Near means: at least 372 of 384 bits of the random projections are equal (Henzinger, SIGIR
/// 2006, Algorithm C); found exactly (ProjectionParts).
///
///     auto detector = std::make_unique<ProjectionDetector>(options);
///
/// Signature: SimHash, 384 bits. A text without tokens has none. Evidence: bits.
/// Thread safety: all methods, at once. Cost: six SimHashes of the tokens; a document takes 72
/// bytes and 13 keys. Pages of one template stay alike in some parts, so a large site of them
/// costs a comparison for each that shares a part.
class ProjectionDetector final : public KeyedDetector {
 public:
  /// REQUIRES: valid options.
  explicit ProjectionDetector(const ContentSeenOptions& options);

  std::string_view name() const override { return "random-projection"; }
  bool Sign(const AnalyzedText& text, Signature* signature) const override;
  bool Takes(const Signature& signature) const override {
    return signature.size() == 1 + kProjectionWords;
  }
  Evidence Least() const override { return {.first = {"bits", least_, kProjectionBits}}; }

 protected:
  Evidence Weigh(Words a, Words b) const override;
  bool IsSimilar(Words a, Words b) const override;
  std::vector<std::uint64_t> Keys(Words signature) const override;
  std::vector<std::uint64_t> KeysToAsk(Words signature) const override;

 private:
  const std::uint64_t key_;
  const std::uint32_t least_;
  const ProjectionParts parts_;
};

}  // namespace contentseen
