#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "contentseen/detectors/host_sketch.h"
#include "contentseen/text/analyzed_text.h"

namespace contentseen {

/// What is kept of a title's words to tell pages of one site apart: pages of a section under one
/// long notice, of which each has a few words of its own, call themselves otherwise, and a page's
/// copies seldom do. (Of the labelled pairs of one site, words ending where letters and digits
/// end, 79 % of the 1,241 distinct ones have titles without a common word but for those on a tenth
/// of the site's titles, and 2.5 % of the 1,700 duplicates.)
///
/// Hashes of 30 bits, and a mark: where the host's titles are known, of each word whether it is
/// repeated on page after page, as the site's name is, or the page's own. They are ascending, each
/// once, the smallest of many. Numbers are none; but behind all of them stands the *whole* title,
/// to the letter, as one word more: "Genesis 1:5", or what else has no word of its own, is some
/// page's own title all the same.
using TitleWord = std::uint32_t;
inline constexpr TitleWord kRepeatedTitleWord = TitleWord{1} << 31;
inline constexpr TitleWord kOwnTitleWord = TitleWord{1} << 30;
/// With the whole.
inline constexpr std::size_t kTitleWordsMax = 12;

/// Thread safety: yes. Cost: 10 ns a word, and a line of the sketch.
std::vector<TitleWord> TitleWords(const AnalyzedText& text, const HostSketch::Reader& host,
                                  std::uint64_t key);

/// Counts them for the host, the whole as well.
void LearnTitle(std::uint64_t host, std::span<const TitleWord> words, HostSketch* sketch);

/// Whether the host has shown no page with this very title yet. An empty one is none.
bool IsNewTitle(std::uint64_t host, std::span<const TitleWord> words, const HostSketch& sketch);

/// Whether it has a word that the host is not known to repeat, the whole aside. Where none has,
/// pages are told by numbers, "Section 7", or by words that a tenth of the titles have.
bool HasOwnWord(std::span<const TitleWord> words);

/// What two titles of one host tell, by the words that it is not known to repeat: that both have
/// some and none in common; that both have the same ones, and these are known to be their own; or
/// nothing. The whole can but say that they are alike: what differs may be a clock.
enum class Titles : std::uint8_t { kUnclear, kApart, kAlike };
Titles CompareTitles(std::span<const TitleWord> a, std::span<const TitleWord> b);

}  // namespace contentseen
