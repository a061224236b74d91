#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contentseen/fingerprint.h"
#include "contentseen/text/features.h"
#include "contentseen/text/passage.h"
#include "contentseen/text/tokens.h"

namespace contentseen {

/// Consecutive tokens, by their positions: begin up to, not including, end.
struct TokenRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  friend bool operator==(const TokenRange&, const TokenRange&) = default;
};

/// A text made ready for judging: normalised, cut into tokens, turned into features, its main text
/// told from its boilerplate. What detectors make their signatures from.
///
///     AnalyzedText text(options);
///     text.Assign(visible_text, passages, host);
///     detector.Sign(text, &signature);
///
/// Promises: normalized(), tokens(), features() and fingerprint() are those of the whole text, and
/// do not depend on passages or host.
///
/// Thread safety: one thread at a time. Ownership: keeps its own memory for the next text, at most
/// kKeptBytesMax of it.
class AnalyzedText {
 public:
  explicit AnalyzedText(const FeatureOptions& options) : extractor_(options) {}

  /// Analyses `text`, at most its first kTextBytesMax bytes. Without passages all of it is main
  /// text. REQUIRES: passages lie in the text, in order, with white space between neighbours.
  void Assign(std::string_view text, std::span<const Passage> passages = {},
              std::uint64_t host = 0);

  std::string_view normalized() const { return normalized_; }
  std::span<const Token> tokens() const { return tokens_; }
  const Features& features() const { return features_; }
  /// The SimHash of features().
  Fingerprint fingerprint() const { return fingerprint_; }

  /// The tokens of passages that are no boilerplate, in order and apart. Where fewer than
  /// kMainTokensMin are, or less than one in kMainShareMin: all tokens.
  std::span<const TokenRange> main_text() const { return main_text_; }
  /// Something was left out of main_text().
  bool has_boilerplate() const { return has_boilerplate_; }
  /// As given to Assign().
  std::uint64_t host() const { return host_; }

  /// A passage counts as boilerplate from this on.
  static constexpr std::uint8_t kBoilerplate = 128;
  static constexpr std::size_t kMainTokensMin = 32;
  static constexpr std::size_t kMainShareMin = 10;

  /// Memory above this is given back by Release().
  static constexpr std::size_t kKeptBytesMax = std::size_t{4} << 20;
  /// Gives memory back after an unusually long text.
  void Release();

 private:
  // A stretch of the normalised text, up to `end`, that is all main text or all boilerplate.
  struct Stretch {
    std::size_t end;
    bool boilerplate;
  };
  void Normalize(std::string_view text, std::span<const Passage> passages);
  void FindMainText();

  FeatureExtractor extractor_;
  std::string normalized_;
  std::string piece_;
  std::vector<Stretch> stretches_;
  std::vector<Token> tokens_;
  std::vector<TokenRange> main_text_;
  Features features_;
  Fingerprint fingerprint_ = 0;
  std::uint64_t host_ = 0;
  bool has_boilerplate_ = false;
};

}  // namespace contentseen
