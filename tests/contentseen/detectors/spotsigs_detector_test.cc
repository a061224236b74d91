#include "contentseen/detectors/spotsigs_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "contentseen/detectors/spots.h"
#include "contentseen/text/text.h"
#include "tests/contentseen/find_reference.h"

namespace contentseen {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> SpotsOf(std::string_view text, const SpotSigsOptions& options = {}) {
  const std::string normalized = NormalizeText(text);
  std::vector<Token> tokens;
  Tokenize(normalized, &tokens);
  std::vector<std::string> spots;
  ForEachSpot(normalized, tokens, options, [&](const Spot& spot) {
    spots.emplace_back(spot.antecedent);
    for (const std::string_view word : spot.words) spots.back() += ":" + std::string(word);
  });
  return spots;
}

TEST(Spots, TheExampleOfThePaper) {
  std::vector<std::string> spots = SpotsOf(
      "At a rally to kick off a weeklong campaign for the South Carolina primary, Obama tried to "
      "set the record straight from an attack circulating widely on the Internet that is designed "
      "to play into prejudices against Muslims and fears of terrorism");
  std::sort(spots.begin(), spots.end());
  EXPECT_THAT(spots, ElementsAre("a:rally:kick", "a:weeklong:campaign", "an:attack:circulating",
                                 "is:designed:play", "the:internet:designed",
                                 "the:record:straight", "the:south:carolina"));
}

// Distance counts content words.
TEST(Spots, DistanceSkipsContentWords) {
  EXPECT_THAT(SpotsOf("the one of two and three four five six", {.chain = 2, .distance = 2}),
              ElementsAre("the:two:four"));
  EXPECT_THAT(SpotsOf("the one two three", {.chain = 2, .distance = 2}), IsEmpty());
  EXPECT_THAT(SpotsOf("one is two", {.chain = 1}), ElementsAre("is:two"));
}

TEST(Spots, GrammarCharactersOfChinese) {
  EXPECT_THAT(SpotsOf("中国的人民日报", {.chain = 2}), ElementsAre("的人:人民:民日"));
}

TEST(Spots, AreBounded) {
  std::string text;
  for (std::size_t i = 0; i < kSpotsMax + 100; ++i) text += "the word ";
  EXPECT_EQ(SpotsOf(text).size(), kSpotsMax);
}

// [4,10] [11,26] [27,62] [63,144] [145,330] [331,753] are published. For .8 the published list
// begins [4,5] [6,8], which is (1 - .8) * 5 < 1 in floating point; whole numbers give [4,6] [7,9].
TEST(SpotPartitions, AreClosedByTheRule) {
  const auto wide = SpotPartitions(4, 44);
  EXPECT_THAT(std::vector(wide.begin(), wide.begin() + 7),
              ElementsAre(4, 11, 27, 63, 145, 331, 754));
  const auto narrow = SpotPartitions(4, 80);
  EXPECT_THAT(std::vector(narrow.begin(), narrow.begin() + 6), ElementsAre(4, 7, 10, 14, 19, 25));
}

ContentSeenOptions Threshold(std::uint32_t percent) {
  ContentSeenOptions options;
  options.spotsigs.resemblance_min_percent = percent;
  return options;
}

Signature Repeated(std::initializer_list<std::pair<std::uint64_t, int>> counts) {
  std::vector<std::uint64_t> spots;
  for (const auto& [spot, count] : counts)
    spots.insert(spots.end(), static_cast<std::size_t>(count), spot);
  return SpotSigsDetector::SignatureOf(0, spots);
}

// 90 of 110, .818: the reference implementation's running bound loses this pair of multisets.
TEST(SpotSigsDetector, MultisetsAreComparedExactly) {
  SpotSigsDetector detector(Threshold(81));
  const Signature a = Repeated({{1, 60}, {2, 40}});
  const Signature b = Repeated({{1, 50}, {2, 50}});
  EXPECT_EQ(detector.Compare(a, b), (Evidence{.first = {"spots", 90, 110}}));
  detector.Insert(a, 1);
  EXPECT_TRUE(detector.Find(b).has_value());
  SpotSigsDetector stricter(Threshold(82));
  stricter.Insert(a, 1);
  EXPECT_FALSE(stricter.Find(b).has_value());
}

// Where (1 - .8) * n in floating point would lose the pair.
TEST(SpotSigsDetector, PairsAtTheThresholdAreFound) {
  for (int n = 5; n < 200; n += 5) {
    SpotSigsDetector detector(Threshold(80));
    detector.Insert(Repeated({{1, n}}), 1);
    EXPECT_TRUE(detector.Find(Repeated({{1, n * 4 / 5}})).has_value()) << n;
    detector.Insert(Repeated({{2, n * 4 / 5}}), 2);
    EXPECT_TRUE(detector.Find(Repeated({{2, n}})).has_value()) << n;
  }
}

TEST(SpotSigsDetector, FindsWhatComparingWithAllFinds) {
  for (const std::uint32_t percent : {1, 20, 44, 50, 75, 80, 90, 100}) {
    int found = 0;
    for (std::uint64_t round = 0; round < 12; ++round) {
      std::mt19937_64 random(percent * 100 + round);
      SpotSigsDetector detector(Threshold(percent));
      std::vector<tests::Document> documents;
      // Few spots shared by many documents, and copies with some spots more or fewer.
      std::vector<std::vector<std::uint64_t>> multisets;
      for (DocumentId id = 1; id <= 120; ++id) {
        std::vector<std::uint64_t> spots;
        if (!multisets.empty() && random() % 2 == 0)
          spots = multisets[random() % multisets.size()];
        const std::uint64_t vocabulary = 3 + random() % (4 << round % 4 * 2);
        for (std::uint64_t n = random() % (round % 2 == 0 ? 8 : 60); n > 0; --n) {
          spots.push_back(random() % vocabulary);
        }
        for (std::uint64_t n = random() % 4; n > 0 && !spots.empty(); --n) spots.pop_back();
        if (spots.size() < 4) continue;
        multisets.push_back(spots);
        const Signature signature = SpotSigsDetector::SignatureOf(random(), spots);
        const auto match = detector.Find(signature);
        const auto expected = tests::FindByComparing(detector, documents, signature);
        ASSERT_EQ(match.has_value(), expected.has_value()) << percent << " " << round;
        if (match) {
          ++found;
          ASSERT_EQ(match->original, expected->first);
          ASSERT_EQ(match->evidence, expected->second);
        }
        const DocumentId scattered = id * 7919 % 6007;
        detector.Insert(signature, scattered);
        documents.push_back({signature, scattered});
      }
    }
    EXPECT_GT(found, 20) << percent;
  }
}

std::vector<std::uint64_t> Range(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> spots(count);
  std::iota(spots.begin(), spots.end(), first);
  return spots;
}

// Half of each page is its site's template, which reaches the threshold of candidates by itself.
TEST(SpotSigsDetector, PagesOfATemplateAreNotComparedWithAllOthers) {
  SpotSigsDetector detector{ContentSeenOptions{}};
  std::vector<Signature> pages;
  for (DocumentId id = 1; id <= 1'000; ++id) {
    std::vector<std::uint64_t> spots = Range(0, 100);
    const std::vector<std::uint64_t> own = Range(id * 1'000, 100);
    spots.insert(spots.end(), own.begin(), own.end());
    pages.push_back(SpotSigsDetector::SignatureOf(0, spots));
    EXPECT_LE(detector.CandidatesOf(pages.back()), SpotSigsDetector::kDocumentsOfSpotMax) << id;
    EXPECT_FALSE(detector.Find(pages.back()).has_value());
    detector.Insert(pages.back(), id);
  }
  // What is their own finds them.
  for (DocumentId id = 1; id <= 1'000; id += 37) {
    const auto match = detector.Find(pages[id - 1]);
    ASSERT_TRUE(match.has_value()) << id;
    EXPECT_EQ(match->original, id);
  }
}

TEST(SpotSigsDetector, ATextIsComparedWithSoManyAndNoMore) {
  SpotSigsDetector detector(Threshold(1));
  DocumentId id = 0;
  for (std::uint64_t spot = 0; spot < 30; ++spot) {
    for (int i = 0; i < 100; ++i) detector.Insert(Repeated({{spot, 4}}), ++id);
  }
  detector.Insert(Repeated({{100, 4}}), ++id);
  std::vector<std::uint64_t> spots = Range(0, 30);
  spots.push_back(100);
  const Signature all = SpotSigsDetector::SignatureOf(0, spots);
  EXPECT_EQ(detector.CandidatesOf(all), SpotSigsDetector::kCandidatesMax);
  // The rarest spot comes first.
  spots.assign(20, 100);
  for (const std::uint64_t spot : Range(0, 30)) spots.push_back(spot);
  const auto match = detector.Find(SpotSigsDetector::SignatureOf(0, spots));
  ASSERT_TRUE(match.has_value());
  EXPECT_EQ(match->original, id);
}

// Who is not in a full list may have the spot all the same: whichever list a partner is in, the
// others do not speak against it.
TEST(SpotSigsDetector, AFullListTellsNothingOfWhoIsNotInIt) {
  constexpr int kFull = SpotSigsDetector::kDocumentsOfSpotMax;
  for (std::uint64_t last = 0; last < 10; ++last) {
    SpotSigsDetector detector{ContentSeenOptions{}};
    std::vector<std::uint64_t> others = Range(0, 10);
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(last));
    DocumentId id = 0;
    for (int i = 0; i < kFull; ++i) {
      detector.Insert(SpotSigsDetector::SignatureOf(0, others), ++id);
    }
    const Signature page = SpotSigsDetector::SignatureOf(0, Range(0, 10));
    const DocumentId partner = ++id;
    detector.Insert(page, partner);
    for (int i = 1; i < kFull; ++i) detector.Insert(Repeated({{last, 4}}), ++id);
    const auto match = detector.Find(page);
    ASSERT_TRUE(match.has_value()) << last;
    EXPECT_EQ(match->original, partner) << last;
  }
}

}  // namespace
}  // namespace contentseen
