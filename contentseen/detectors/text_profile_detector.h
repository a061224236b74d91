#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "contentseen/detectors/keyed_detector.h"
#include "contentseen/options.h"

namespace contentseen {

/// Near means: equal profiles of frequent words (TextProfile), compared by their MD5 as Nutch and
/// Solr do.
///
///     auto detector = std::make_unique<TextProfileDetector>(options);
///
/// Signature: SimHash, MD5 of the profile. A text with an empty profile has none (Nutch would make
/// all such pages one). Evidence: profiles. Two texts of one MD5 can be made by who wants to; that
/// only makes the one of his pages a copy of the other.
/// Thread safety: all methods, at once. Cost: the words are sorted; a document takes 40 bytes and
/// a key.
class TextProfileDetector final : public KeyedDetector {
 public:
  /// REQUIRES: valid options.
  explicit TextProfileDetector(const ContentSeenOptions& options);

  std::string_view name() const override { return "text-profile"; }
  bool Sign(const AnalyzedText& text, Signature* signature) const override;
  bool Takes(const Signature& signature) const override { return signature.size() == 3; }
  Evidence Least() const override { return {.first = {"profiles", 1, 1}}; }

 protected:
  Evidence Weigh(Words a, Words b) const override;
  bool IsSimilar(Words a, Words b) const override;
  std::vector<std::uint64_t> Keys(Words signature) const override;

 private:
  const TextProfileOptions options_;
};

}  // namespace contentseen
