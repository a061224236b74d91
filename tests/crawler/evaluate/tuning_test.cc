#include "crawler/evaluate/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "crawler/evaluate/tuning_report.h"

namespace crawler {
namespace {

using contentseen::Fingerprint;
using testing::HasSubstr;

/// Pages made up of fingerprints and texts.
class MadeUp {
 public:
  void Add(Fingerprint fingerprint, const std::string& text) {
    const std::uint64_t id = pages_.size() + 1;
    pages_.push_back({"http://a.example/" + std::to_string(id), fingerprint, id});
    texts_[id] = text;
  }
  void Forget(std::uint64_t id) { texts_.erase(id); }

  base::Result<Tuning> Tune(const TuningOptions& options = {}) const {
    return crawler::Tune(
        pages_,
        [this](std::uint64_t id) -> base::Result<std::optional<std::string>> {
          const auto found = texts_.find(id);
          if (found == texts_.end()) return std::nullopt;
          return found->second;
        },
        options);
  }
  const std::vector<TunedPage>& pages() const { return pages_; }

 private:
  std::vector<TunedPage> pages_;
  std::map<std::uint64_t, std::string> texts_;
};

/// 102 words, of which the last `changed` are others: 100 shingles, 100 - `changed` of the first
/// kind.
std::string Prose(int changed, const std::string& other = "other") {
  std::string text;
  for (int i = 0; i < 102; ++i) {
    text += (i < 102 - changed ? "word" : other) + std::to_string(i) + " ";
  }
  return text;
}

TEST(Tune, MeasuresEveryDistance) {
  MadeUp crawl;
  crawl.Add(0, Prose(0));
  crawl.Add(0, Prose(0));                        // distance 0: the same words
  crawl.Add(0b111, Prose(5));                    // 3 from both: 95 of 105 shingles
  crawl.Add(0xffff'ffff'0000'0000, Prose(102));  // 32, and 35
  const auto tuning = crawl.Tune({.random_pairs = 0});
  ASSERT_TRUE(tuning) << tuning.error().message;
  EXPECT_EQ(tuning->pages, 4U);
  EXPECT_EQ(tuning->fingerprints, 3U);
  ASSERT_EQ(tuning->near.size(), 11U);
  for (const DistanceBin& bin : tuning->near) {
    SCOPED_TRACE(bin.distance);
    const std::uint64_t pairs = bin.distance == 0 ? 1 : bin.distance == 3 ? 2 : 0;
    EXPECT_EQ(bin.pairs, pairs);
    EXPECT_EQ(bin.compared, pairs);
    EXPECT_EQ(bin.examples.size(), pairs);
  }
  EXPECT_EQ(tuning->near[0].median_resemblance, 1);
  EXPECT_EQ(tuning->near[0].examples[0].difference, "");
  EXPECT_DOUBLE_EQ(tuning->near[3].median_resemblance, 95.0 / 105);
  EXPECT_DOUBLE_EQ(tuning->near[3].mean_resemblance, 95.0 / 105);
  const TuningExample& example = tuning->near[3].examples[0];
  EXPECT_EQ(std::set({example.url_a, example.url_b}).count("http://a.example/3"), 1U);
  EXPECT_THAT(example.difference, HasSubstr("word97"));
  EXPECT_THAT(example.difference, HasSubstr("other97"));
  EXPECT_TRUE(tuning->random.empty());
  EXPECT_EQ(tuning->k, 3);
  EXPECT_EQ(crawl.Tune({.random_pairs = 0, .resemblance_min = 0.95})->k, 0);
}

TEST(Tune, CountsAllPairsAsBruteForceDoes) {
  MadeUp crawl;
  std::mt19937_64 random(5);
  // Families around ten centres, some fingerprints several times.
  for (int i = 0; i < 400; ++i) {
    Fingerprint fingerprint = std::mt19937_64(random() % 10)();
    for (std::uint64_t bits = random() % 8; bits > 0; --bits) {
      fingerprint ^= Fingerprint{1} << random() % 64;
    }
    crawl.Add(fingerprint, Prose(i % 20));
  }
  std::array<std::uint64_t, 65> counts{};
  for (std::size_t a = 0; a < 400; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      ++counts[static_cast<std::size_t>(
          contentseen::Distance(crawl.pages()[a].fingerprint, crawl.pages()[b].fingerprint))];
    }
  }
  const auto tuning = crawl.Tune({.pairs_per_distance = 7, .random_pairs = 200, .examples = 2});
  ASSERT_TRUE(tuning);
  for (const DistanceBin& bin : tuning->near) {
    const std::uint64_t pairs = counts[static_cast<std::size_t>(bin.distance)];
    EXPECT_EQ(bin.pairs, pairs) << bin.distance;
    EXPECT_EQ(bin.compared, std::min<std::uint64_t>(pairs, 7)) << bin.distance;
    EXPECT_LE(bin.examples.size(), 2U);
  }
  EXPECT_GT(counts[0], 100U) << "or the made-up crawl is too thin";
  std::uint64_t drawn = 0;
  for (const DistanceBin& bin : tuning->random) {
    EXPECT_GT(bin.pairs, 0U);
    EXPECT_GT(counts[static_cast<std::size_t>(bin.distance)], 0U) << "of no page and itself";
    drawn += bin.pairs;
  }
  EXPECT_EQ(drawn, 200U);
  EXPECT_EQ(tuning->crowded, 0U);
}

TEST(Tune, DrawsEvenlyAndAsTheSeedSays) {
  MadeUp crawl;
  for (int i = 0; i < 60; ++i) crawl.Add(static_cast<Fingerprint>(i), Prose(i));
  const TuningOptions one = {.pages_max = 20, .pairs_per_distance = 3, .seed = 1};
  TuningOptions two = one;
  two.seed = 2;
  const auto first = crawl.Tune(one);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->pages, 60U);
  EXPECT_EQ(first->pages_sampled, 20U);
  EXPECT_EQ(first->fingerprints, 20U);
  EXPECT_EQ(TuningJson(*first), TuningJson(*crawl.Tune(one)));
  EXPECT_NE(TuningJson(*first), TuningJson(*crawl.Tune(two)));
}

TEST(Tune, LeavesOutWhatCannotBeCompared) {
  MadeUp crawl;
  crawl.Add(0, Prose(0));
  crawl.Add(1, "too short");
  crawl.Add(2, Prose(0));
  crawl.Forget(3);
  const auto tuning = crawl.Tune({.random_pairs = 10});
  ASSERT_TRUE(tuning);
  EXPECT_EQ(tuning->near[1].pairs, 2U);
  EXPECT_EQ(tuning->near[1].too_short, 1U);
  EXPECT_EQ(tuning->near[1].missing, 1U);
  EXPECT_EQ(tuning->near[1].compared, 0U);
  EXPECT_EQ(tuning->k, std::nullopt);
  EXPECT_THAT(tuning->reason, HasSubstr("no k can be told"));
  EXPECT_THAT(
      TuningText(*tuning, false),
      HasSubstr("k = none suggested: no two pages with kept texts could be compared within"));
  for (std::size_t pages = 0; pages < 2; ++pages) {
    MadeUp few;
    if (pages == 1) few.Add(1, Prose(0));
    const auto none = few.Tune();
    ASSERT_TRUE(none);
    EXPECT_EQ(none->k, std::nullopt);
    EXPECT_TRUE(none->random.empty());
    EXPECT_THAT(none->reason, HasSubstr("no two pages with kept texts are within"));
  }
}

TEST(Tune, FailsWhereATextCannotBeRead) {
  MadeUp crawl;
  crawl.Add(0, Prose(0));
  crawl.Add(1, Prose(0));
  const auto tuning = Tune(crawl.pages(),
                           [](std::uint64_t) -> base::Result<std::optional<std::string>> {
                             return base::Fail("store: damaged");
                           },
                           {});
  ASSERT_FALSE(tuning);
  EXPECT_EQ(tuning.error().message, "store: damaged");
}

std::vector<DistanceBin> Bins(const std::vector<double>& medians) {
  std::vector<DistanceBin> bins;
  for (const double median : medians) {
    DistanceBin& bin = bins.emplace_back();
    bin.distance = static_cast<int>(bins.size()) - 1;
    bin.compared = median < 0 ? 0 : 10;
    bin.mean_resemblance = median;
    bin.median_resemblance = median;
  }
  return bins;
}

TEST(SuggestK, IsTheLastDistanceBeforeTheFirstBadOne) {
  constexpr double kNone = -1;
  std::string reason;
  EXPECT_EQ(SuggestK(Bins({1, .99, .95, .9, .89, .99}), .9, reason), 3);
  EXPECT_EQ(reason,
            "the median resemblance of 10 pairs at distance 3 is 0.90; the median resemblance of "
            "10 pairs at distance 4 is 0.89, below 0.90.");
  EXPECT_EQ(SuggestK(Bins({1, kNone, .95, kNone, .5}), .9, reason), 2)
      << "where nothing is seen nothing is promised";
  EXPECT_EQ(SuggestK(Bins({1, .95, kNone}), .9, reason), 1);
  EXPECT_THAT(reason, HasSubstr("no pairs are worse"));
  EXPECT_EQ(SuggestK(Bins({kNone, .2}), .9, reason), std::nullopt);
  EXPECT_THAT(reason, HasSubstr("distance 1 is 0.20, below 0.90, and no nearer pair"));
  EXPECT_EQ(SuggestK(Bins({kNone, kNone}), .9, reason), std::nullopt);
}

TEST(TuningText, ShowsAHistogramAndEscapes) {
  Tuning tuning;
  tuning.pages = 3;
  tuning.pages_sampled = 2;
  tuning.near = Bins({1, .5});
  tuning.near[0].pairs = 999'999;
  tuning.near[1].pairs = 1;
  tuning.near[1].examples = {{"http://a.example/\x1b[31m", "http://b.example/", .5, "[-x-]"}};
  tuning.k = 0;
  tuning.reason = "because";
  const std::string text = TuningText(tuning, false);
  EXPECT_THAT(text, HasSubstr("       0     999999        10   1.000   1.000  " +
                              std::string(32, '#') + "\n"));
  EXPECT_THAT(text, HasSubstr("       1          1        10   0.500   0.500  ##\n"));
  EXPECT_THAT(text, HasSubstr("2 of 3 pages were looked at"));
  EXPECT_THAT(text, HasSubstr("\nk = 0: because\n"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const auto json = nlohmann::json::parse(TuningJson(tuning));
  EXPECT_EQ(json["k"], 0);
  EXPECT_EQ(json["near"].at(1)["examples"].at(0)["b"], "http://b.example/");
  EXPECT_EQ(json["near"].at(0)["pairs"], 999'999);
}

}  // namespace
}  // namespace crawler
