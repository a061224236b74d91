#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "contentseen/detectors/keyed_detector.h"
#include "contentseen/options.h"

namespace contentseen {

/// Near means: any band of min-wise values agrees (Broder, SEQUENCES 1997; Indyk, Motwani, STOC
/// 1998), as the corpora of language models are deduplicated: 14 bands of 8 over shingles of 5
/// words (datatrove, FineWeb). Texts of resemblance s share one with probability 1 - (1 - s^8)^14.
///
///     auto detector = std::make_unique<MinHashDetector>(options);
///
/// Signature: SimHash, a hash of each band. A text of fewer words than a shingle has none.
/// Evidence: bands. Thread safety: all methods, at once. Cost: bands * rows min-wise values a
/// token; a document takes 24 bytes, and 8 and a key for each band.
class MinHashDetector final : public KeyedDetector {
 public:
  /// REQUIRES: valid options.
  explicit MinHashDetector(const ContentSeenOptions& options);

  std::string_view name() const override { return "minhash"; }
  bool Sign(const AnalyzedText& text, Signature* signature) const override;
  bool Takes(const Signature& signature) const override {
    return signature.size() == 1 + std::size_t{options_.bands};
  }
  Evidence Least() const override { return {.first = {"bands", 1, options_.bands}}; }

 protected:
  Evidence Weigh(Words a, Words b) const override;
  bool IsSimilar(Words a, Words b) const override;
  std::vector<std::uint64_t> Keys(Words signature) const override;

 private:
  const std::uint64_t key_;
  const MinHashOptions options_;
};

/// A hash of each band of the min-wise values of a set of shingle hashes. REQUIRES: not empty.
std::vector<std::uint64_t> MinHashBands(std::span<const std::uint64_t> shingles,
                                        std::uint32_t bands, std::uint32_t rows);

}  // namespace contentseen
