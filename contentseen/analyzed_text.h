#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contentseen/features.h"
#include "contentseen/tokens.h"

namespace contentseen {

/// A text made ready for judging: normalised, cut into tokens, turned into features. What
/// detectors make their signatures from.
///
///     AnalyzedText text(options);
///     text.Assign(visible_text);
///     detector.Sign(text, &signature);
///
/// Thread safety: one thread at a time. Ownership: keeps its own memory for the next text, at most
/// kKeptBytesMax of it.
class AnalyzedText {
 public:
  explicit AnalyzedText(const FeatureOptions& options) : extractor_(options) {}

  /// Analyses `text`, at most its first kTextBytesMax bytes.
  void Assign(std::string_view text);

  std::string_view normalized() const { return normalized_; }
  std::span<const Token> tokens() const { return tokens_; }
  const Features& features() const { return features_; }

  /// Memory above this is given back by Release().
  static constexpr std::size_t kKeptBytesMax = std::size_t{4} << 20;
  /// Gives memory back after an unusually long text.
  void Release();

 private:
  FeatureExtractor extractor_;
  std::string normalized_;
  std::vector<Token> tokens_;
  Features features_;
};

}  // namespace contentseen
