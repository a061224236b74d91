#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "contentseen/options.h"
#include "contentseen/text/tokens.h"

namespace contentseen {

/// What a token is to SpotSigs.
enum class SpotRole : std::uint8_t {
  kContent,
  kStop,        // skipped
  kAntecedent,  // a spot may begin here; skipped as a word of other spots
};

/// The role of a token: antecedents are articles and the flexions of to be, can, will, have and
/// do, in English, German, French, Spanish, Italian, Portuguese and Dutch at once (a page need not
/// tell its language; both pages of a pair are read alike), and characters of Chinese and Japanese
/// grammar. A bigram that begins with such a character is the antecedent, one that ends with it a
/// stop-word.
SpotRole RoleOf(std::string_view token);

/// A spot: an antecedent and the words behind it.
struct Spot {
  std::string_view antecedent;
  std::span<const std::string_view> words;
};

/// Of a text only this many spots are taken, the first ones.
inline constexpr std::size_t kSpotsMax = 16'384;

/// Calls `visit(Spot)` for every spot in order (Theobald, Siddharth, Paepcke, SIGIR 2008, section
/// 3): for each antecedent the `chain` content words behind it that stand `distance`, 2 `distance`
/// ... content words further; stop-words are not counted. Where the text ends before, there is no
/// spot.
template <class Visit>
void ForEachSpot(std::string_view text, std::span<const Token> tokens,
                 const SpotSigsOptions& options, Visit&& visit) {
  std::vector<std::string_view> contents;
  struct Antecedent {
    std::string_view word;
    std::size_t next;  // the first content word behind it
  };
  std::vector<Antecedent> antecedents;
  for (const Token& token : tokens) {
    const std::string_view word = token.In(text);
    const SpotRole role = RoleOf(word);
    if (role == SpotRole::kContent) contents.push_back(word);
    if (role == SpotRole::kAntecedent) antecedents.push_back({word, contents.size()});
  }
  std::vector<std::string_view> words(options.chain);
  std::size_t taken = 0;
  for (const Antecedent& antecedent : antecedents) {
    const std::size_t last = antecedent.next + std::size_t{options.distance} * options.chain - 1;
    if (last >= contents.size() || taken == kSpotsMax) break;
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = contents[antecedent.next + options.distance * (i + 1) - 1];
    }
    visit(Spot{antecedent.word, words});
    ++taken;
  }
}

/// The spots' hashes under `key`, in order and as often as they stand.
std::vector<std::uint64_t> SpotHashes(std::string_view text, std::span<const Token> tokens,
                                      const SpotSigsOptions& options, std::uint64_t key);

}  // namespace contentseen
