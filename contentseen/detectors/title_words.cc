#include "contentseen/detectors/title_words.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

namespace contentseen {
namespace {

constexpr unsigned kHashShift = 64 - 31;

bool IsOwn(TitleWord word) { return (word & kRepeatedTitleWord) == 0; }

}  // namespace

std::vector<TitleWord> TitleWords(const AnalyzedText& text, const HostSketch::Reader& host,
                                  std::uint64_t key) {
  std::vector<TitleWord> words;
  words.reserve(text.title_tokens().size());
  for (const Token& token : text.title_tokens()) {
    const std::string_view word = token.In(text.title());
    words.push_back(
        static_cast<TitleWord>(XXH3_64bits_withSeed(word.data(), word.size(), key) >> kHashShift));
  }
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  if (words.size() > kTitleWordsMax) words.resize(kTitleWordsMax);
  for (TitleWord& word : words) {
    if (host.IsCommonInTitles(word)) word |= kRepeatedTitleWord;
  }
  return words;
}

void LearnTitle(std::uint64_t host, std::span<const TitleWord> words, HostSketch* sketch) {
  std::vector<TitleWord> unmarked(words.begin(), words.end());
  for (TitleWord& word : unmarked) word &= ~kRepeatedTitleWord;
  sketch->AddTitle(host, unmarked);
}

bool TitlesApart(std::span<const TitleWord> a, std::span<const TitleWord> b) {
  const auto shared = [b](TitleWord word) {
    return IsOwn(word) && std::ranges::find(b, word) != b.end();
  };
  return std::ranges::any_of(a, IsOwn) && std::ranges::any_of(b, IsOwn) &&
         std::ranges::none_of(a, shared);
}

}  // namespace contentseen
