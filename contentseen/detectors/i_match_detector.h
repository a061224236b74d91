#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contentseen/detectors/keyed_detector.h"
#include "contentseen/detectors/lexicon.h"
#include "contentseen/options.h"

namespace contentseen {

/// Near means: the same set of terms of the lexicon, or of one of K lexicons that each leave a
/// random part of it out (Chowdhury, Frieder, Grossman, McCabe, TOIS 2002; Kolcz, Chowdhury,
/// Alspector, KDD 2004). Texts that differ in n terms of the lexicon agree by one of them with
/// probability 1 - (1 - p^n)^K, p the part left out.
///
///     auto detector = IMatchDetector::Create(options);   // options.i_match.lexicon names a file
///     if (!detector) return base::Fail(detector.error().message);
///
/// Signature: SimHash, then 128 bits of a SHA-1 for the lexicon and each of the K others; 0 where
/// fewer than `terms_min` terms are left, which agrees with nothing. A text with nothing else has
/// no signature. Evidence: lexicons.
/// Thread safety: all methods, at once. Cost: K + 1 SHA-1s of the terms; a document takes 24
/// bytes, and 16 and a key for each lexicon.
class IMatchDetector final : public KeyedDetector {
 public:
  /// Fails when no lexicon is named, or it cannot be read. REQUIRES: valid options.
  static base::Result<std::unique_ptr<IMatchDetector>> Create(const ContentSeenOptions& options);

  IMatchDetector(const ContentSeenOptions& options, Lexicon lexicon);

  std::string_view name() const override { return "i-match"; }
  bool Sign(const AnalyzedText& text, Signature* signature) const override;
  bool Takes(const Signature& signature) const override {
    return signature.size() == 3 + 2 * std::size_t{options_.random_lexicons};
  }
  Evidence Least() const override {
    return {.first = {"lexicons", 1, options_.random_lexicons + 1}};
  }
  const Lexicon& lexicon() const { return lexicon_; }
  /// With the lexicon's version: under the same name another one may stand by then.
  bool Save(ImageWriter& image) const override;
  base::Status Load(ImageReader& image) override;

 protected:
  Evidence Weigh(Words a, Words b) const override;
  bool IsSimilar(Words a, Words b) const override;
  std::vector<std::uint64_t> Keys(Words signature) const override;

 private:
  static std::uint32_t EqualLexicons(Words a, Words b);

  const std::uint64_t key_;
  const IMatchOptions options_;
  const Lexicon lexicon_;
};

/// SHA-1 of the terms joined by line feeds. REQUIRES: in the order of bytes, each once.
std::array<std::uint8_t, 20> IMatchDigest(std::span<const std::string_view> terms);

}  // namespace contentseen
