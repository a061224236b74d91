#include "crawler/evaluate/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "base/check.h"
#include "contentseen/detectors/detectors.h"
#include "contentseen/text/analyzed_text.h"
#include "crawler/evaluate/evaluation_report.h"
#include "tests/contentseen/texts.h"

namespace crawler {
namespace {

using contentseen::Evidence;
using contentseen::Signature;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Signatures are marks on a ruler: two that lie n notches apart agree in 10 - n of 10, and from 8
/// on are similar. A second word in the signatures makes the ruler longer; with `two` the first
/// measure is whether both marks are even or odd, and the notches are the second. Of marks from
/// 1,000 on it asks one notch more, and marks from 2,000 on are like no other whatever they reach.
class Ruler final : public contentseen::Detector {
 public:
  explicit Ruler(bool two = false) : two_(two) {}

  std::string_view name() const override { return "ruler"; }
  bool Sign(const contentseen::AnalyzedText&, Signature*) const override { return false; }
  Evidence Compare(const Signature& a, const Signature& b) const override {
    const auto total = static_cast<std::uint32_t>(10 + a.at(1) + b.at(1));
    const auto apart = static_cast<std::uint32_t>(a[0] > b[0] ? a[0] - b[0] : b[0] - a[0]);
    const contentseen::Agreement notches{"notches", total - std::min(total, apart), total};
    if (!two_) return {.first = notches};
    return {.first = {"parities", a[0] % 2 == b[0] % 2 ? 1U : 0U, 1}, .second = notches};
  }
  bool Similar(const Signature& a, const Signature& b) const override {
    const Evidence found = Compare(a, b);
    const Evidence least = LeastOf(a, b);
    const auto reaches = [](contentseen::Agreement x, contentseen::Agreement y) {
      return x.equal * y.total >= y.equal * x.total;
    };
    return a[0] < 2'000 && reaches(found.first, least.first) &&
           reaches(found.second, least.second);
  }
  Evidence Least() const override {
    if (two_) return {.first = {"parities", 1, 1}, .second = {"notches", 8, 10}};
    return {.first = {"notches", 8, 10}};
  }
  Evidence LeastOf(const Signature& a, const Signature&) const override {
    Evidence least = Least();
    if (a[0] >= 1'000) ++(two_ ? least.second : least.first).equal;
    return least;
  }
  std::optional<contentseen::Match> Find(const Signature&) const override { return std::nullopt; }
  void Insert(const Signature&, contentseen::DocumentId) override {}
  std::size_t size() const override { return 0; }
  std::size_t memory_bytes() const override { return 0; }

 private:
  const bool two_;
};

/// A labelled set made up page by page.
struct MadeUp {
  LabelledPages set;
  std::vector<JudgedPage> pages;

  std::uint32_t Page(const std::string& site, const std::string& lang, Signature signature) {
    const auto number = static_cast<std::uint32_t>(pages.size());
    set.pages.push_back({.path = site + "/" + std::to_string(number) + ".html",
                         .site = site,
                         .lang = lang,
                         .charset = "",
                         .main_words = std::nullopt});
    set.paired = set.pages.size();
    JudgedPage page;
    page.body = contentseen::Sha256(std::to_string(number));
    page.sketch.text_digest = page.body;
    page.sketch.signature = std::move(signature);
    pages.push_back(page);
    return number;
  }
  void Pair(std::uint32_t a, std::uint32_t b, bool dup, const std::string& why,
            std::optional<double> likeness = std::nullopt) {
    set.pairs.push_back({a, b, dup, why, likeness});
  }
};

constexpr bool kDup = true;
constexpr bool kDistinct = false;

MadeUp NinePairs() {
  MadeUp made;
  made.Page("one", "en", {100, 0});
  made.Page("one", "en", {101, 0});
  made.Page("one", "en", {105, 0});
  made.Page("two", "en", {99, 0});
  made.Page("two", "de", {100, 0});
  made.Page("two", "de", {});  // too short, as is the next: the same text
  made.Page("two", "de", {});
  made.pages[6].sketch.text_digest = made.pages[5].sketch.text_digest;
  made.Page("one", "en", {});  // without text
  made.pages[7].sketch.empty = true;
  made.Pair(0, 1, kDup, "small-edit", .99);     // 9 of 10: a hit
  made.Pair(0, 2, kDup, "redesign", .95);       // 5: a miss
  made.Pair(0, 3, kDistinct, "random", .1);     // 9: a false alarm
  made.Pair(1, 2, kDistinct, "template", .3);   // 6: a pass
  made.Pair(3, 4, kDup, "mirror", .97);         // 9: a hit
  made.Pair(5, 6, kDup, "same-text");           // a hit
  made.Pair(2, 7, kDistinct, "sibling");        // a pass
  made.Pair(1, 3, kDistinct, "template", .05);  // 8: a false alarm
  made.Pair(2, 3, kDup, "redesign", .9);        // 4: a miss
  return made;
}

TEST(Evaluate, CountsEveryStratum) {
  const MadeUp made = NinePairs();
  const Evaluation evaluation = Evaluate(made.set, made.pages, Ruler());
  EXPECT_EQ(evaluation.detector, "ruler");
  EXPECT_EQ(evaluation.all, (Counts{3, 2, 2, 2}));
  EXPECT_EQ(evaluation.same_site, (Counts{3, 0, 1, 2}));
  EXPECT_EQ(evaluation.cross_site, (Counts{0, 2, 1, 0}));
  const auto is = [](const std::string& name, Counts counts) {
    return testing::AllOf(testing::Field(&Stratum::name, name),
                          testing::Field(&Stratum::counts, counts));
  };
  // Duplicates first, each by the number of pairs, then by name.
  EXPECT_THAT(evaluation.reasons,
              ElementsAre(is("redesign", {0, 0, 2, 0}), is("mirror", {1, 0, 0, 0}),
                          is("same-text", {1, 0, 0, 0}), is("small-edit", {1, 0, 0, 0}),
                          is("template", {0, 1, 0, 1}), is("random", {0, 1, 0, 0}),
                          is("sibling", {0, 0, 0, 1})));
  EXPECT_THAT(evaluation.languages, ElementsAre(is("en", {1, 2, 2, 2}), is("de", {1, 0, 0, 0}),
                                                is("mixed", {1, 0, 0, 0})));
  ASSERT_EQ(evaluation.verdicts.size(), 9U);
  EXPECT_EQ(evaluation.verdicts[5].kind, contentseen::Kind::kExactText);
  EXPECT_FALSE(evaluation.verdicts[5].compared);
  EXPECT_EQ(evaluation.verdicts[0].evidence.first.equal, 9U);
}

TEST(Evaluate, SameBytesAreExactAndEmptyPagesAreNever) {
  MadeUp made;
  made.Page("s", "en", {1, 0});
  made.Page("s", "en", {99, 0});
  made.pages[1].body = made.pages[0].body;
  made.Page("s", "en", {});
  made.Page("s", "en", {});
  for (std::size_t i : {2, 3}) {
    made.pages[i].sketch.empty = true;
    made.pages[i].body = made.pages[2].body;
  }
  made.Pair(0, 1, kDup, "same-bytes");
  made.Pair(2, 3, kDup, "same-bytes");
  const Evaluation evaluation = Evaluate(made.set, made.pages, Ruler());
  EXPECT_EQ(evaluation.verdicts[0].kind, contentseen::Kind::kExactBytes);
  EXPECT_EQ(evaluation.verdicts[1].kind, contentseen::Kind::kNew);
}

TEST(Evaluate, SweepsTheThreshold) {
  const MadeUp made = NinePairs();
  const Sweep sweep = Evaluate(made.set, made.pages, Ruler()).sweep;
  EXPECT_EQ(sweep.things, "notches");
  EXPECT_EQ(sweep.total, 10U);
  std::vector<std::pair<std::uint32_t, Counts>> rows;
  for (const Sweep::Point& point : sweep.points) rows.emplace_back(point.least, point.counts);
  const Counts at7 = {3, 2, 2, 2};
  const Counts at4 = {5, 3, 0, 1};
  EXPECT_THAT(
      rows, ElementsAre(std::pair(10U, Counts{1, 0, 4, 4}), std::pair(9U, Counts{3, 1, 2, 3}),
                        std::pair(8U, at7), std::pair(7U, at7), std::pair(6U, Counts{3, 3, 2, 1}),
                        std::pair(5U, Counts{4, 3, 1, 1}), std::pair(4U, at4), std::pair(3U, at4),
                        std::pair(2U, at4), std::pair(1U, at4)))
      << "agreement in nothing would flag everything, and is no threshold";
  EXPECT_EQ(sweep.Best().least, 4U) << "5 of 8, the strictest of four equals";
  EXPECT_EQ(ThresholdText(sweep, sweep.Best()), "4 of 10 notches");
}

TEST(Evaluate, SweepsByPercentWhereTotalsDiffer) {
  MadeUp made;
  made.Page("s", "en", {50, 0});
  made.Page("s", "en", {51, 0});
  made.Page("s", "en", {61, 10});
  made.Pair(0, 1, kDup, "a");       // 9 of 10
  made.Pair(0, 2, kDistinct, "b");  // 9 of 20
  const Sweep sweep = Evaluate(made.set, made.pages, Ruler()).sweep;
  EXPECT_EQ(sweep.total, 100U);
  ASSERT_EQ(sweep.points.size(), 100U);
  EXPECT_EQ(sweep.points[100 - 91].counts, (Counts{0, 0, 1, 1}));
  EXPECT_EQ(sweep.points[100 - 90].counts, (Counts{1, 0, 0, 1}));
  EXPECT_EQ(sweep.points[100 - 46].counts, (Counts{1, 0, 0, 1}));
  EXPECT_EQ(sweep.points[100 - 45].counts, (Counts{1, 1, 0, 0}));
  EXPECT_EQ(ThresholdText(sweep, sweep.Best()), "90 % of notches");
}

TEST(Evaluate, SweepsTheSecondMeasureWhileTheFirstHolds) {
  const MadeUp made = NinePairs();
  const Evaluation evaluation = Evaluate(made.set, made.pages, Ruler(/*two=*/true));
  // Of the compared pairs only (1, 2), (1, 3) and (2, 3) are both odd.
  EXPECT_EQ(evaluation.all, (Counts{1, 1, 4, 3}));
  const std::vector<Sweep::Point>& points = evaluation.sweep.points;
  ASSERT_EQ(points.size(), 11U);
  EXPECT_EQ(points[10 - 9].counts, (Counts{1, 0, 4, 4}));
  EXPECT_EQ(points[10 - 8].counts, evaluation.all);
  EXPECT_EQ(points[10 - 0].counts, (Counts{2, 2, 3, 2})) << "here the first measure decides";
}

TEST(Evaluate, SweepsWhatIsAskedOfAPairAlongWithTheThreshold) {
  MadeUp made;
  for (const std::uint64_t mark : {1'000, 1'000, 1'001, 1'002, 1'004, 2'000, 2'001}) {
    made.Page("s", "en", {mark, 0});
  }
  made.Pair(0, 1, kDup, "all");           // 10 of 10: at every threshold
  made.Pair(0, 2, kDup, "enough");        // 9, where 9 are asked
  made.Pair(0, 3, kDistinct, "less");     // 8: enough for others
  made.Pair(0, 4, kDistinct, "lesser");   // 6
  made.Pair(5, 6, kDistinct, "refused");  // 9
  const Evaluation evaluation = Evaluate(made.set, made.pages, Ruler());
  EXPECT_EQ(evaluation.all, (Counts{2, 0, 0, 3}));
  EXPECT_EQ(evaluation.sweep.as_set, 8U);
  const std::vector<Sweep::Point>& points = evaluation.sweep.points;
  EXPECT_EQ(points[10 - 10].counts, (Counts{1, 0, 1, 3}));
  EXPECT_EQ(points[10 - 9].counts, (Counts{1, 0, 1, 3}));
  EXPECT_EQ(points[10 - 8].counts, evaluation.all);
  EXPECT_EQ(points[10 - 7].counts, (Counts{2, 1, 0, 2}));
  EXPECT_EQ(points[10 - 5].counts, (Counts{2, 2, 0, 1}));
  EXPECT_EQ(points[10 - 1].counts, (Counts{2, 2, 0, 1}));
}

// Pages of a menu and an article, long and short, edited here and there, on one host and on two.
MadeUp EditedPages(const contentseen::Detector& detector) {
  MadeUp made;
  std::mt19937_64 random(6);
  contentseen::AnalyzedText analyzed({});
  const auto page = [&](const std::string& menu, std::uint8_t kind, const std::string& article,
                        std::uint64_t host) {
    const std::uint32_t number = made.Page("s", "en", {});
    const contentseen::Passage passages[] = {
        {.begin = 0, .boilerplate = kind},
        {.begin = static_cast<std::uint32_t>(menu.size()), .boilerplate = 0}};
    analyzed.Assign(menu + article, passages, host);
    made.pages[number].sketch = MakeSketch(analyzed, detector, 0);
    return number;
  };
  for (const std::uint8_t kind : {0, 253, 254, 255}) {
    for (const std::size_t words : {4, 20, 60, 300}) {
      for (const std::size_t every : {3, 6, 12, 24, 48, 1'000}) {
        for (const std::uint64_t host : {1, 2}) {
          const std::string menu = tests::Article(random, 150);
          std::vector<std::string> article = tests::Words(random, words);
          const std::uint32_t first = page(menu, kind, tests::Joined(article), 1);
          for (std::size_t i = 0; i < words; i += every) article[i] = "edit";
          const std::uint32_t second = page(menu, kind, tests::Joined(article), host);
          made.Pair(first, second, every > 10, "edited");
        }
      }
    }
  }
  return made;
}

// So nobody is told that another threshold were better who only asks less of pages than the
// detector does.
TEST(Evaluate, AtTheThresholdThatIsSetTheSweepHasTheVerdicts) {
  for (const std::string_view name : contentseen::DetectorNames()) {
    // The one needs a lexicon, the other words of a language.
    if (name == "i-match" || name == "spotsigs") continue;
    SCOPED_TRACE(name);
    const auto detector = contentseen::MakeDetector(name, {}).value();
    const MadeUp made = EditedPages(*detector);
    const Evaluation evaluation = Evaluate(made.set, made.pages, *detector);
    EXPECT_GT(evaluation.all.flagged(), 0U);
    EXPECT_GT(evaluation.all.misses + evaluation.all.passes, 0U);
    const Sweep& sweep = evaluation.sweep;
    const auto as_set = std::ranges::find(sweep.points, sweep.as_set, &Sweep::Point::least);
    ASSERT_NE(as_set, sweep.points.end());
    EXPECT_EQ(as_set->counts, evaluation.all);
  }
}

TEST(Evaluate, PutsTheWorstMistakesFirst) {
  MadeUp made = NinePairs();
  Evaluation evaluation = Evaluate(made.set, made.pages, Ruler());
  EXPECT_THAT(WorstFalseAlarms(made.set, evaluation), ElementsAre(7, 2));
  EXPECT_THAT(WorstMisses(made.set, evaluation), ElementsAre(1, 8));
  // Where nobody knows how alike the pages are, the detector's own conviction decides.
  for (LabelledPair& pair : made.set.pairs) pair.likeness.reset();
  evaluation = Evaluate(made.set, made.pages, Ruler());
  EXPECT_THAT(WorstFalseAlarms(made.set, evaluation), ElementsAre(2, 7));
  EXPECT_THAT(WorstMisses(made.set, evaluation), ElementsAre(8, 1));
}

TEST(EvaluationJson, HasAllCounts) {
  const MadeUp made = NinePairs();
  const std::vector<Evaluation> evaluations = {Evaluate(made.set, made.pages, Ruler())};
  const auto json = nlohmann::json::parse(EvaluationJson(made.set, evaluations));
  EXPECT_EQ(json["pages"], 8);
  EXPECT_EQ(json["pairs"], 9);
  const auto& ruler = json["detectors"].at(0);
  EXPECT_EQ(ruler["detector"], "ruler");
  EXPECT_EQ(ruler["all"]["hits"], 3);
  EXPECT_EQ(ruler["all"]["false_alarms"], 2);
  EXPECT_EQ(ruler["all"]["misses"], 2);
  EXPECT_EQ(ruler["all"]["passes"], 2);
  EXPECT_DOUBLE_EQ(ruler["all"]["precision"], 0.6);
  EXPECT_DOUBLE_EQ(ruler["all"]["f1"], 0.6);
  EXPECT_LT(ruler["all"]["recall_95"].at(0), 0.6);
  EXPECT_GT(ruler["all"]["recall_95"].at(1), 0.6);
  EXPECT_EQ(ruler["same_site"]["passes"], 2);
  EXPECT_EQ(ruler["cross_site"]["hits"], 0);
  EXPECT_EQ(ruler["reasons"]["redesign"]["misses"], 2);
  EXPECT_EQ(ruler["languages"]["mixed"]["hits"], 1);
  EXPECT_EQ(ruler["sweep"]["things"], "notches");
  EXPECT_EQ(ruler["sweep"]["points"].at(0)["least"], 10);
}

TEST(EvaluationTables, ShowOneSweepOrTheBestOfEach) {
  const MadeUp made = NinePairs();
  std::vector<Evaluation> evaluations = {Evaluate(made.set, made.pages, Ruler())};
  std::vector<ReportTable> tables = EvaluationTables(made.set, evaluations);
  ASSERT_EQ(tables.size(), 5U);
  EXPECT_EQ(tables[0].rows[0][0], "ruler");
  EXPECT_THAT(tables[0].rows[0][1], testing::StartsWith("60.0 ("));
  // 10, 9, 8 (as set), 6, 5, 4 (best): 7, 3, 2 and 1 change nothing.
  ASSERT_EQ(tables[4].rows.size(), 6U);
  EXPECT_EQ(tables[4].rows[2].front(), "8 of 10 notches");
  EXPECT_EQ(tables[4].rows[2].back(), "as set");
  EXPECT_EQ(tables[4].rows[5].back(), "best");
  evaluations.push_back(evaluations[0]);
  tables = EvaluationTables(made.set, evaluations);
  EXPECT_EQ(tables.back().rows.size(), 2U);
  EXPECT_THAT(tables.back().rows[0],
              ElementsAre("ruler", "4 of 10 notches", "62.5", "100.0", "76.9", "3", "0"));
}

TEST(EvaluationHtml, DrawsNothingOutsideTheCorner) {
  const MadeUp made = NinePairs();
  const std::vector<Evaluation> evaluations = {Evaluate(made.set, made.pages, Ruler())};
  ASSERT_LT(evaluations[0].all.Recall(), 0.8);
  const std::string html = EvaluationHtml(made.set, evaluations);
  const std::size_t dot = html.find("<circle");
  ASSERT_NE(dot, html.npos);
  EXPECT_EQ(html.find("<circle", dot + 1), html.npos) << "in the second chart, too";
  // Both curves go through a window, which cuts off what lies outside.
  const std::string window = "<svg x=\"54.0\" y=\"32.0\" width=\"484.0\" height=\"484.0\"";
  const std::size_t first = html.find(window);
  EXPECT_NE(first, html.npos);
  EXPECT_NE(html.find(window, first + 1), html.npos);
}

TEST(EvaluationHtml, NeedsNothingAndEscapesEverything) {
  MadeUp made = NinePairs();
  made.set.pairs[0].why = "<script>alert(1)</script>";
  made.set.pages[4].lang = made.set.pages[3].lang = "\"><img onerror='x'>&";
  const std::vector<Evaluation> evaluations = {Evaluate(made.set, made.pages, Ruler())};
  const std::string html = EvaluationHtml(made.set, evaluations);
  EXPECT_THAT(html, testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(html, HasSubstr("&quot;&gt;&lt;img onerror=&#39;x&#39;&gt;&amp;"));
  for (const char* foreign :
       {"<script", "<img", "<iframe", "src=", "http:", "https:", "url(", "@import"}) {
    EXPECT_THAT(html, Not(HasSubstr(foreign)));
  }
  EXPECT_THAT(html, HasSubstr("<svg "));
  EXPECT_THAT(html, HasSubstr("<path class=\"curve\""));
  EXPECT_THAT(html, testing::EndsWith("</html>\n"));
  for (const char* tag : {"svg", "table", "tr", "td", "ul", "li", "p", "body"}) {
    const auto count = [&](const std::string& what) {
      std::size_t found = 0;
      for (std::size_t at = 0; (at = html.find(what, at)) != html.npos; at += what.size()) ++found;
      return found;
    };
    const std::string name = tag;
    EXPECT_EQ(count("<" + name + ">") + count("<" + name + " "), count("</" + name + ">")) << name;
  }
}

}  // namespace
}  // namespace crawler
