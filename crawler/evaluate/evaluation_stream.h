#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contentseen/content_seen.h"
#include "crawler/evaluate/evaluation.h"
#include "crawler/evaluate/labelled_pages.h"
#include "crawler/evaluate/page_source.h"
#include "crawler/evaluate/scores.h"

namespace crawler {

/// What became of a page that came after others.
struct StreamedPage {
  /// Into LabelledPages::pages.
  std::uint32_t page = 0;
  /// The earlier page that it was called a duplicate of; nothing when it was admitted.
  std::optional<std::uint32_t> original;
};

/// How the verdicts of a whole run fare against a reader's.
struct StreamEvaluation {
  std::string detector;
  /// Hits: flagged beside a page that is its duplicate. False alarms: beside another. Misses:
  /// pages that were not flagged, or beside another page (one for which no label fits, too),
  /// though a duplicate had been admitted. Passes: the other pages that were admitted.
  Counts all;
  Counts same_site;
  Counts cross_site;
  /// By LabelledPair::why; what the tables do not list is "unlisted". A miss is counted under the
  /// duplicate that is most alike.
  std::vector<Stratum> reasons;
  /// Flagged beside a page for which no label fits.
  std::uint64_t unscored = 0;
  /// False alarms, and misses with the duplicate they were counted under.
  std::vector<StreamedPage> false_alarms;
  std::vector<StreamedPage> misses;
};

/// The pages' numbers in an order that `seed` decides (Fisher-Yates over std::mt19937_64, so the
/// same everywhere).
std::vector<std::uint32_t> Shuffled(std::size_t pages, std::uint64_t seed);

/// Puts the pages before `seen` one by one.
std::vector<StreamedPage> Stream(std::span<const SourcedPage> pages,
                                 std::span<const std::uint32_t> order,
                                 contentseen::ContentSeen& seen);

/// Scores such a run. The lists of duplicate and grey pairs are taken for complete: any other two
/// pages with kMainWordsMin words of main text each (or an unknown number) are distinct; with
/// fewer they are not scored.
///
/// Thread safety: pure. Cost: linear in pages and pairs.
StreamEvaluation ScoreStream(const LabelledPages& set, std::span<const StreamedPage> stream);

inline constexpr std::uint64_t kMainWordsMin = 60;

}  // namespace crawler
