#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace contentseen {

/// A piece of a normalised text, by bytes.
struct Token {
  std::uint32_t begin;
  std::uint32_t size;

  // Leaves it unset: a vector of them grows at no cost.
  Token() {}  // NOLINT(cppcoreguidelines-pro-type-member-init,modernize-use-equals-default)
  Token(std::uint32_t token_begin, std::uint32_t token_size)
      : begin(token_begin), size(token_size) {}

  friend bool operator==(const Token&, const Token&) = default;
  std::string_view In(std::string_view text) const { return text.substr(begin, size); }
};

/// Cuts a normalised text into tokens, overwriting `tokens`:
///
/// * words: maximal runs of letters, marks and digits (Unicode general categories L, M, N);
/// * Han, Hiragana, Katakana, Hangul, Bopomofo and Yi, which are written without spaces or glue
///   grammar to words: overlapping bigrams of a run; a run of one is a token;
/// * Thai, Lao, Khmer, Myanmar and the other scripts of line-break class SA, which have no
///   spaces: overlapping trigrams of a run; a shorter run is a token.
///
/// Numbers are kept: on many a site they are the content.
///
///     Tokenize("我是中国人 ok", &tokens);   // 我是 是中 中国 国人 ok
///
/// REQUIRES: `normalized` is the outcome of NormalizeText(). (Other bytes do no harm: ill-formed
/// UTF-8 separates.)
/// Thread safety: yes. Cost: one pass, no allocation per token.
void Tokenize(std::string_view normalized, std::vector<Token>* tokens);

}  // namespace contentseen
