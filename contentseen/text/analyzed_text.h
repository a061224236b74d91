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

/// What a stretch of a text is, as far as its passages tell (Passage::boilerplate), from what is
/// surely the page's own to what surely is not.
enum class TextKind : std::uint8_t {
  kContent,      // up to 127
  kDoubtful,     // 128 to 253
  kUnlikely,     // 254
  kBoilerplate,  // 255
};

/// Consecutive tokens of one kind, up to, not including, `end`.
struct TextStretch {
  std::size_t end = 0;
  TextKind kind = TextKind::kContent;

  friend bool operator==(const TextStretch&, const TextStretch&) = default;
};

/// A text made ready for judging: normalised, cut into tokens, turned into features, its content
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

  /// Analyses `text`, at most its first kTextBytesMax bytes. What stands before the first passage
  /// is content. REQUIRES: passages begin in the text, in order, with white space before each.
  void Assign(std::string_view text, std::span<const Passage> passages = {},
              std::uint64_t host = 0, std::string_view title = {});

  std::string_view normalized() const { return normalized_; }
  std::span<const Token> tokens() const { return tokens_; }
  const Features& features() const { return features_; }
  /// The SimHash of features().
  Fingerprint fingerprint() const { return fingerprint_; }

  /// All tokens, in order; neighbours differ in kind.
  std::span<const TextStretch> stretches() const { return stretches_; }
  /// As given to Assign().
  std::uint64_t host() const { return host_; }
  /// The title's, at most kTitleBytesMax of it, normalised.
  std::string_view title() const { return title_; }
  std::span<const Token> title_tokens() const { return title_tokens_; }
  static constexpr std::size_t kTitleBytesMax = 512;

  /// Memory that is held, for this text or the next.
  std::size_t capacity_bytes() const { return extractor_.capacity_bytes() + OwnBytes(); }
  /// No more than this is left by Release().
  static constexpr std::size_t kKeptBytesMax = std::size_t{4} << 20;
  /// Gives memory back after an unusually long text, and with it what is known of the text.
  void Release();

 private:
  // A piece of the normalised text, up to `end`, that is all of one kind.
  struct Piece {
    std::size_t end;
    TextKind kind;
  };
  void Normalize(std::string_view text, std::span<const Passage> passages);
  void FindStretches();
  // Without the extractor's.
  std::size_t OwnBytes() const;

  FeatureExtractor extractor_;
  std::string normalized_;
  std::string piece_;
  std::vector<Piece> pieces_;
  std::vector<Token> tokens_;
  std::vector<TextStretch> stretches_;
  Features features_;
  Fingerprint fingerprint_ = 0;
  std::uint64_t host_ = 0;
  std::string title_;
  std::vector<Token> title_tokens_;
};

}  // namespace contentseen
