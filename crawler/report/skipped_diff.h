#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "crawler/data/skip_log.h"
#include "crawler/data/text_store.h"
#include "crawler/io/word_diff.h"

namespace crawler {

/// A skipped page's text held against its original's.
struct SkippedDiff {
  std::string original_text;
  std::string text;
  /// Refers to the two texts.
  WordDiff words;

  SkippedDiff(std::string original, std::string skipped)
      : original_text(std::move(original)),
        text(std::move(skipped)),
        words(DiffWords(original_text, text)) {}
  // Moving a short string would move its characters.
  SkippedDiff(const SkippedDiff&) = delete;
  SkippedDiff& operator=(const SkippedDiff&) = delete;
};

/// Fetches both texts and compares them. Fails when one of them was not kept.
base::Result<std::unique_ptr<const SkippedDiff>> DiffOf(const SkipRecord& page,
                                                        const TextStore& texts);

/// For people: what the page and its original are, and the difference.
std::string DiffReport(const SkipRecord& page, const SkippedDiff& diff, bool colours);

/// One JSON object on one line: n, url, original_url, kind, distance, counts of words, and the
/// runs of words in order, each {"same"|"removed"|"added": words}.
std::string DiffJson(std::size_t number, const SkipRecord& page, const SkippedDiff& diff);

}  // namespace crawler
