#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "contentseen/host_sketch.h"
#include "contentseen/keyed_detector.h"
#include "contentseen/options.h"
#include "contentseen/shingle_sample.h"

namespace contentseen {

/// Near means what a reader means: the main text of each of the two pages stands, nearly all of
/// it, in the other one. Template twins are not near, and a page in a new template is.
///
///     auto detector = std::make_unique<VerifiedDetector>(options);
///
/// * A page's shingles are sampled, and those of its main text told from the rest
///   (shingle_sample.h): by the page's structure, and by what its host repeats on page after page
///   (host_sketch.h). That is settled when the page is signed, and is part of the signature.
/// * Candidates share one of their six smallest main shingles. (Pages of resemblance .5 do with
///   probability .98; SimHash within 10 bits loses one pair in forty, see docs/contentseen.md.)
/// * They are near when the lesser of the two containments of main shingles reaches the threshold:
///   a part that one page has and the other has not counts against both. On one host, where the
///   difference is likely the content, the threshold is higher.
///
/// Signature: SimHash of the whole text, host, bounds, keys, sample: at most 1.1 KB, 0.6 KB on
/// average. Evidence: main shingles, as a part of 100; then bits of the SimHash.
/// Thread safety: all methods, at once. Cost: signing 20 ns a token; a comparison 0.3 us; a
/// document takes its signature and 6 keys, 0.8 KB.
class VerifiedDetector final : public KeyedDetector {
 public:
  /// REQUIRES: valid options.
  explicit VerifiedDetector(const ContentSeenOptions& options);

  std::string_view name() const override { return "verified"; }
  bool Sign(const AnalyzedText& text, Signature* signature) const override;
  Evidence Least() const override;
  Basis BasisOf(const Signature& signature) const override;
  std::size_t memory_bytes() const override;

  static constexpr std::size_t kKeys = 6;

 protected:
  Evidence Weigh(Words a, Words b) const override;
  bool IsSimilar(Words a, Words b) const override;
  std::vector<std::uint64_t> Keys(Words signature) const override;
  void Learn(Words signature) override;

 private:
  const std::uint64_t key_;
  const VerifiedOptions options_;
  HostSketch hosts_;
};

}  // namespace contentseen
