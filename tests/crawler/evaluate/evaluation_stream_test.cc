#include "crawler/evaluate/evaluation_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "contentseen/detectors/simhash_detector.h"

namespace crawler {
namespace {

using testing::ElementsAre;

/// Pages 0, 1, 2 and 3 are captures of one document, 1 of another site; 4 and 5 others, 4 of a
/// page that 0 and 1 were listed beside; 6 has little main text; 7 is a grey partner of 0.
LabelledPages EightPages() {
  LabelledPages set;
  for (int i = 0; i < 8; ++i) {
    LabelledPage page;
    page.path = std::to_string(i);
    page.site = i == 1 ? "mirror" : "site";
    page.main_words = i == 6 ? kMainWordsMin - 1 : kMainWordsMin;
    set.pages.push_back(page);
  }
  set.pages[5].main_words.reset();
  set.paired = 5;
  set.pairs = {{0, 1, true, "mirror", .95},
               {0, 2, true, "small-edit", .98},
               {1, 2, true, "mirror", .90},
               {3, 0, true, "redesign", .92},
               {4, 0, false, "template", .40}};
  set.grey = {{7, 0}};
  return set;
}

StreamEvaluation Score(const std::vector<StreamedPage>& stream) {
  return ScoreStream(EightPages(), stream);
}

TEST(ScoreStream, AHitIsADuplicateOfTheAdmittedPage) {
  const StreamEvaluation score = Score({{0, {}}, {1, 0}, {2, 0}});
  EXPECT_EQ(score.all, (Counts{.hits = 2, .false_alarms = 0, .misses = 0, .passes = 1}));
  EXPECT_EQ(score.same_site, (Counts{1, 0, 0, 0})) << "where nothing came before, no site counts";
  EXPECT_EQ(score.cross_site, (Counts{1, 0, 0, 0}));
  ASSERT_EQ(score.reasons.size(), 2U);
  EXPECT_EQ(score.reasons[0].name, "mirror");
  EXPECT_EQ(score.reasons[1].name, "small-edit");
}

TEST(ScoreStream, AMissStandsUnderTheMostAlikeOfTheAdmittedDuplicates) {
  const StreamEvaluation score = Score({{1, {}}, {0, {}}, {2, {}}});
  EXPECT_EQ(score.all, (Counts{.hits = 0, .false_alarms = 0, .misses = 2, .passes = 1}));
  ASSERT_EQ(score.misses.size(), 2U);
  EXPECT_EQ(score.misses[0].page, 0U);
  EXPECT_EQ(score.misses[0].original, 1U);
  EXPECT_EQ(score.misses[1].page, 2U);
  EXPECT_EQ(score.misses[1].original, 0U) << ".98 with page 0, .90 with page 1";
}

TEST(ScoreStream, WhatWasSkippedIsNoDuplicateToBeFound) {
  // 2 is skipped for 1; nothing is admitted that 3 duplicates.
  const StreamEvaluation score = Score({{1, {}}, {2, 1}, {3, {}}});
  EXPECT_EQ(score.all, (Counts{.hits = 1, .false_alarms = 0, .misses = 0, .passes = 2}));
}

TEST(ScoreStream, AWrongOriginalIsAFalseAlarmAndHidesADuplicate) {
  const StreamEvaluation score = Score({{0, {}}, {4, 0}, {5, {}}, {2, 5}});
  EXPECT_EQ(score.all, (Counts{.hits = 0, .false_alarms = 2, .misses = 1, .passes = 2}));
  ASSERT_EQ(score.false_alarms.size(), 2U);
  EXPECT_EQ(score.false_alarms[0].page, 4U);
  EXPECT_EQ(score.false_alarms[1].original, 5U);
  std::vector<std::string> names;
  for (const Stratum& stratum : score.reasons) names.push_back(stratum.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("template", "unlisted", "small-edit"));
}

TEST(ScoreStream, GreyPairsAndShortPagesAreNotScored) {
  const StreamEvaluation score = Score({{0, {}}, {7, 0}, {6, 0}});
  EXPECT_EQ(score.unscored, 2U);
  EXPECT_EQ(score.all, (Counts{.hits = 0, .false_alarms = 0, .misses = 0, .passes = 1}));
}

// 0 is flagged beside a page that no label fits, while 1, which it duplicates, was admitted.
TEST(ScoreStream, APageThatIsNotScoredHidesADuplicateAllTheSame) {
  const StreamEvaluation score = Score({{1, {}}, {7, {}}, {0, 7}});
  EXPECT_EQ(score.unscored, 1U);
  EXPECT_EQ(score.all, (Counts{.hits = 0, .false_alarms = 0, .misses = 1, .passes = 2}));
  ASSERT_EQ(score.misses.size(), 1U);
  EXPECT_EQ(score.misses[0].page, 0U);
  EXPECT_EQ(score.misses[0].original, 1U);
}

TEST(Shuffled, IsAPermutationThatTheSeedDecides) {
  const auto order = Shuffled(1'000, 7);
  EXPECT_EQ(order, Shuffled(1'000, 7));
  EXPECT_NE(order, Shuffled(1'000, 8));
  std::vector<std::uint32_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> all(1'000);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_NE(order, all);
  EXPECT_EQ(sorted, all);
  EXPECT_TRUE(Shuffled(0, 1).empty());
}

TEST(Stream, SaysWhatBecameOfEachPage) {
  const auto page = [](const std::string& text) {
    SourcedPage sourced;
    sourced.body = "<p>" + text;
    sourced.document.text = text;
    return sourced;
  };
  std::string words;
  for (int i = 0; i < 100; ++i) words += "word" + std::to_string(i * i) + " ";
  std::vector<SourcedPage> pages = {page(words), page("other " + words.substr(words.size() / 2)),
                                    page(words), page("")};
  pages[2].body += "</p>";
  auto detector = contentseen::SimHashDetector::Create(0);
  ASSERT_TRUE(detector);
  contentseen::ContentSeen seen(contentseen::ContentSeenOptions{}, std::move(*detector));
  const std::vector<std::uint32_t> order = {2, 3, 1, 0};
  const std::vector<StreamedPage> stream = Stream(pages, order, seen);
  ASSERT_EQ(stream.size(), 4U);
  EXPECT_EQ(stream[0].page, 2U);
  EXPECT_EQ(stream[0].original, std::nullopt);
  EXPECT_EQ(stream[1].original, std::nullopt);
  EXPECT_EQ(stream[2].original, std::nullopt);
  EXPECT_EQ(stream[3].page, 0U);
  EXPECT_EQ(stream[3].original, 2U) << "the same text in other bytes";
}

}  // namespace
}  // namespace crawler
