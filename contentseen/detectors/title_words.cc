#include "contentseen/detectors/title_words.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <string_view>

#include "base/ascii.h"

namespace contentseen {
namespace {

TitleWord Hashed(std::string_view word, std::uint64_t key) {
  return static_cast<TitleWord>(XXH3_64bits_withSeed(word.data(), word.size(), key) >> (64 - 30));
}

// A clock, a counter, the number in an address: no name.
bool IsNumber(std::string_view word) { return std::ranges::all_of(word, base::IsDigit); }

TitleWord HashOf(TitleWord word) { return word & (kOwnTitleWord - 1); }

using Title = std::span<const TitleWord>;
Title WholeOf(Title title) { return title.last(std::min<std::size_t>(title.size(), 1)); }
Title WordsOf(Title title) { return title.first(title.size() - WholeOf(title).size()); }

constexpr std::size_t kWordsMax = kTitleWordsMax - 1;

// Of hashes up to here a title of so many words tells.
TitleWord ReachOf(Title words) {
  return words.size() < kWordsMax ? kOwnTitleWord : HashOf(words.back());
}

// Own words of one title, those of them that the other has, and whether it is known of all these
// that they are.
struct OwnWords {
  std::size_t count = 0;
  std::size_t shared = 0;
  bool known = true;
};

// What one of them was signed too early to know of the host, the other may.
OwnWords OwnWordsOf(Title words, Title other) {
  const TitleWord reach = std::min(ReachOf(words), ReachOf(other));
  OwnWords own;
  for (const TitleWord word : words) {
    if (HashOf(word) > reach) continue;
    const auto same = std::ranges::find(other, HashOf(word), HashOf);
    const TitleWord marks = word | (same == other.end() ? 0 : *same);
    if ((marks & kRepeatedTitleWord) != 0) continue;
    ++own.count;
    if (same == other.end()) continue;
    ++own.shared;
    own.known &= (marks & kOwnTitleWord) != 0;
  }
  return own;
}

Titles CompareWords(Title a, Title b) {
  const OwnWords of_a = OwnWordsOf(a, b);
  const OwnWords of_b = OwnWordsOf(b, a);
  if (of_a.count == 0 || of_b.count == 0) return Titles::kUnclear;
  if (of_a.shared == 0) return Titles::kApart;
  const bool same = of_a.shared == of_a.count && of_b.shared == of_b.count;
  return same && of_a.known ? Titles::kAlike : Titles::kUnclear;
}

}  // namespace

std::vector<TitleWord> TitleWords(const AnalyzedText& text, const HostSketch::Reader& host,
                                  std::uint64_t key) {
  std::vector<TitleWord> words;
  if (text.title_tokens().empty()) return words;
  words.reserve(text.title_tokens().size() + 1);
  for (const Token& token : text.title_tokens()) {
    const std::string_view word = token.In(text.title());
    if (!IsNumber(word)) words.push_back(Hashed(word, key));
  }
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  if (words.size() > kWordsMax) words.resize(kWordsMax);
  words.push_back(Hashed(text.title(), ~key));  // which may be one word, counted apart
  if (!host.knows_titles()) return words;
  for (TitleWord& word : words) {
    word |= host.IsCommonInTitles(word) ? kRepeatedTitleWord : kOwnTitleWord;
  }
  return words;
}

void LearnTitle(std::uint64_t host, std::span<const TitleWord> words, HostSketch* sketch) {
  std::vector<TitleWord> unmarked(words.begin(), words.end());
  for (TitleWord& word : unmarked) word = HashOf(word);
  sketch->AddTitle(host, unmarked);
}

bool IsNewTitle(std::uint64_t host, std::span<const TitleWord> words, const HostSketch& sketch) {
  return !words.empty() && !sketch.KnowsTitleWord(host, HashOf(words.back()));
}

bool HasOwnWord(std::span<const TitleWord> words) {
  return std::ranges::any_of(WordsOf(words),
                             [](TitleWord word) { return (word & kRepeatedTitleWord) == 0; });
}

Titles CompareTitles(std::span<const TitleWord> a, std::span<const TitleWord> b) {
  if (CompareWords(WholeOf(a), WholeOf(b)) == Titles::kAlike) return Titles::kAlike;
  return CompareWords(WordsOf(a), WordsOf(b));
}

}  // namespace contentseen
