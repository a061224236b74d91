#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "crawler/data/skip_log.h"
#include "crawler/data/text_store.h"
#include "crawler/io/word_diff.h"

namespace crawler {

/// How to make a skipped page's text of its original's, word by word: `same` words stand in both,
/// `removed` ones only in the original, `added` ones only in the skipped page.
struct TextDelta {
  struct Same {
    std::uint64_t words = 0;
  };
  struct Removed {
    std::uint64_t words = 0;
  };
  struct Added {
    std::string words;  // one space between two
  };
  using Step = std::variant<Same, Removed, Added>;

  std::vector<Step> steps;
  std::uint64_t same = 0;
  std::uint64_t removed = 0;
  std::uint64_t added = 0;
};

TextDelta DeltaOf(const WordDiff& diff);

/// Words as DiffTokens() cuts them, one space between two: cutting the result at its spaces gives
/// them back.
std::string SpacedWords(std::string_view text);

/// Texts of originals, each once, and of skipped pages what differs from them.
struct ReportTexts {
  /// As SpacedWords().
  std::vector<std::string> originals;
  struct Pair {
    std::size_t original = 0;  // in `originals`
    TextDelta delta;
  };
  /// By index of the skipped page.
  std::map<std::size_t, Pair> pairs;
  /// Pages whose texts were kept by the crawl but did not fit, and pages whose texts were not.
  std::uint64_t left_out = 0;
  std::uint64_t missing = 0;
};

/// The texts of `pages` and their originals while they fit into `bytes_max`: near-duplicates
/// first, then those of the same text, then those of the same bytes.
///
/// Cost: a diff for each page with a text of its own.
ReportTexts CollectTexts(std::span<const SkipRecord* const> pages, const TextStore& texts,
                         std::uint64_t bytes_max);

}  // namespace crawler
