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
/// copies seldom do. (Of the labelled pairs of one site 79 % of the distinct ones have titles
/// without a common word but for the site's, and 1.5 % of the duplicates.)
///
/// Hashes of 31 bits, ascending, each once, the smallest of many; those that the host repeats on
/// page after page, as its name, are marked by the top bit.
using TitleWord = std::uint32_t;
inline constexpr TitleWord kRepeatedTitleWord = TitleWord{1} << 31;
inline constexpr std::size_t kTitleWordsMax = 12;

/// Thread safety: yes. Cost: 10 ns a word, and a line of the sketch.
std::vector<TitleWord> TitleWords(const AnalyzedText& text, const HostSketch::Reader& host,
                                  std::uint64_t key);

/// Counts them for the host.
void LearnTitle(std::uint64_t host, std::span<const TitleWord> words, HostSketch* sketch);

/// Whether both titles have words that the host does not repeat, and none of them in common.
bool TitlesApart(std::span<const TitleWord> a, std::span<const TitleWord> b);

}  // namespace contentseen
