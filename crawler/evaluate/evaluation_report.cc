#include "crawler/evaluate/evaluation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "crawler/io/terminal.h"
#include "crawler/io/word_diff.h"

namespace crawler {
namespace {

constexpr std::size_t kSweepRowsMax = 25;
constexpr std::size_t kContextWords = 6;
/// Of one text's difference.
constexpr std::size_t kDiffBytesMax = 1'200;

constexpr char kIntervalNote[] =
    "In brackets: 95 %, Wilson's interval for precision and recall, the same transformed for F1 "
    "(through hits / (hits + false alarms + misses)). Pairs share pages, so the truth is wider.";

std::string Percent(double share) { return fmt::format("{:.1f}", 100 * share); }

std::string WithInterval(double share, const Interval& interval) {
  return fmt::format("{:.1f} ({:.1f}-{:.1f})", 100 * share, 100 * interval.low,
                     100 * interval.high);
}

double FlaggedShare(const Counts& counts) {
  return counts.total() == 0
             ? 0
             : static_cast<double>(counts.flagged()) / static_cast<double>(counts.total());
}

ReportTable AllPairs(const LabelledPages& set, std::span<const Evaluation> evaluations) {
  const Counts& first = evaluations.front().all;
  ReportTable table{
      .title =
          fmt::format("{} pairs of {} pages: {} duplicates, {} distinct", first.total(),
                      set.paired, first.hits + first.misses, first.false_alarms + first.passes),
      .columns = {"detector", "precision %", "recall %", "F1 %", "false alarms", "misses"},
      .rows = {},
      .note = kIntervalNote};
  for (const Evaluation& evaluation : evaluations) {
    const Counts& c = evaluation.all;
    table.rows.push_back({evaluation.detector, WithInterval(c.Precision(), c.PrecisionInterval()),
                          WithInterval(c.Recall(), c.RecallInterval()),
                          WithInterval(c.F1(), c.F1Interval()), std::to_string(c.false_alarms),
                          std::to_string(c.misses)});
  }
  return table;
}

ReportTable Sites(std::span<const Evaluation> evaluations) {
  const auto pairs = [](const Counts& c) {
    return fmt::format("{} duplicates, {} distinct", c.hits + c.misses, c.false_alarms + c.passes);
  };
  ReportTable table{.title = "Pairs of one site, and of two",
                    .columns = {"detector", "same P %", "same R %", "same F1 %", "cross P %",
                                "cross R %", "cross F1 %"},
                    .rows = {},
                    .note = "Same site: " + pairs(evaluations.front().same_site) +
                            "; across sites: " + pairs(evaluations.front().cross_site) + "."};
  for (const Evaluation& evaluation : evaluations) {
    std::vector<std::string> row = {evaluation.detector};
    for (const Counts* counts : {&evaluation.same_site, &evaluation.cross_site}) {
      row.push_back(WithInterval(counts->Precision(), counts->PrecisionInterval()));
      row.push_back(WithInterval(counts->Recall(), counts->RecallInterval()));
      row.push_back(Percent(counts->F1()));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportTable Reasons(std::span<const Evaluation> evaluations) {
  ReportTable table{.title = "Flagged as duplicates, % of the pairs of each reason",
                    .columns = {"reason", "label", "pairs"},
                    .rows = {},
                    .note = {}};
  for (const Evaluation& evaluation : evaluations) table.columns.push_back(evaluation.detector);
  for (std::size_t i = 0; i < evaluations.front().reasons.size(); ++i) {
    const Stratum& stratum = evaluations.front().reasons[i];
    const bool dup = stratum.counts.hits + stratum.counts.misses > 0;
    std::vector<std::string> row = {stratum.name, dup ? "dup" : "distinct",
                                    std::to_string(stratum.counts.total())};
    for (const Evaluation& evaluation : evaluations) {
      const Counts& counts = evaluation.reasons[i].counts;
      row.push_back(evaluations.size() > 1
                        ? Percent(FlaggedShare(counts))
                        : WithInterval(FlaggedShare(counts),
                                       WilsonInterval(counts.flagged(), counts.total())));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportTable Languages(std::span<const Evaluation> evaluations) {
  ReportTable table{.title = "Precision / recall / F1, %, by language",
                    .columns = {"language", "dup", "distinct"},
                    .rows = {},
                    .note = {}};
  for (const Evaluation& evaluation : evaluations) table.columns.push_back(evaluation.detector);
  for (std::size_t i = 0; i < evaluations.front().languages.size(); ++i) {
    const Stratum& stratum = evaluations.front().languages[i];
    std::vector<std::string> row = {
        stratum.name, std::to_string(stratum.counts.hits + stratum.counts.misses),
        std::to_string(stratum.counts.false_alarms + stratum.counts.passes)};
    for (const Evaluation& evaluation : evaluations) {
      const Counts& c = evaluation.languages[i].counts;
      row.push_back(fmt::format("{} / {} / {}", Percent(c.Precision()), Percent(c.Recall()),
                                Percent(c.F1())));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> SweepRow(const Sweep& sweep, const Sweep::Point& point,
                                  const std::string& mark) {
  const Counts& c = point.counts;
  return {ThresholdText(sweep, point),
          Percent(c.Precision()),
          Percent(c.Recall()),
          Percent(c.F1()),
          std::to_string(c.false_alarms),
          std::to_string(c.misses),
          mark};
}

/// The points to show: where the counts change, and of those every so many, but the best and the
/// present ones always.
std::vector<const Sweep::Point*> Shown(const Sweep& sweep, const Counts& present) {
  std::vector<const Sweep::Point*> changes;
  for (const Sweep::Point& point : sweep.points) {
    if (changes.empty() || changes.back()->counts != point.counts) changes.push_back(&point);
  }
  const std::size_t step = (changes.size() + kSweepRowsMax - 1) / kSweepRowsMax;
  std::vector<const Sweep::Point*> shown;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Sweep::Point* point = changes[i];
    if (i % step == 0 || point == &sweep.Best() || point->counts == present) {
      shown.push_back(point);
    }
  }
  return shown;
}

ReportTable WholeSweep(const Evaluation& evaluation) {
  const Sweep& sweep = evaluation.sweep;
  ReportTable table{
      .title = "The threshold: " + evaluation.detector,
      .columns = {"flagged from", "P %", "R %", "F1 %", "false alarms", "misses", ""},
      .rows = {},
      .note = {}};
  for (const Sweep::Point* point : Shown(sweep, evaluation.all)) {
    std::string mark = point->counts == evaluation.all ? "as set" : "";
    if (point == &sweep.Best()) mark += mark.empty() ? "best" : ", best";
    table.rows.push_back(SweepRow(sweep, *point, mark));
  }
  return table;
}

ReportTable BestThresholds(std::span<const Evaluation> evaluations) {
  ReportTable table{
      .title = "With the threshold that is best on these pairs",
      .columns = {"detector", "flagged from", "P %", "R %", "F1 %", "false alarms", "misses"},
      .rows = {},
      .note = {}};
  for (const Evaluation& evaluation : evaluations) {
    const Sweep& sweep = evaluation.sweep;
    if (sweep.points.empty()) continue;
    std::vector<std::string> row = SweepRow(sweep, sweep.Best(), evaluation.detector);
    std::rotate(row.begin(), row.end() - 1, row.end());
    table.rows.push_back(std::move(row));
  }
  return table;
}

using Json = nlohmann::ordered_json;

Json JsonOf(const Interval& interval) { return Json::array({interval.low, interval.high}); }

Json JsonOf(const Counts& c) {
  return {{"hits", c.hits},
          {"false_alarms", c.false_alarms},
          {"misses", c.misses},
          {"passes", c.passes},
          {"precision", c.Precision()},
          {"precision_95", JsonOf(c.PrecisionInterval())},
          {"recall", c.Recall()},
          {"recall_95", JsonOf(c.RecallInterval())},
          {"f1", c.F1()},
          {"f1_95", JsonOf(c.F1Interval())}};
}

Json JsonOf(const std::vector<Stratum>& strata) {
  Json json = Json::object();
  for (const Stratum& stratum : strata) json[stratum.name] = JsonOf(stratum.counts);
  return json;
}

Json JsonOf(const Sweep& sweep) {
  Json points = Json::array();
  for (const Sweep::Point& point : sweep.points) {
    const Counts& c = point.counts;
    points.push_back({{"least", point.least},
                      {"hits", c.hits},
                      {"false_alarms", c.false_alarms},
                      {"misses", c.misses},
                      {"passes", c.passes},
                      {"precision", c.Precision()},
                      {"recall", c.Recall()},
                      {"f1", c.F1()}});
  }
  return {{"things", sweep.things}, {"total", sweep.total}, {"points", std::move(points)}};
}

/// `text` up to a boundary of words near kDiffBytesMax.
std::string Shortened(const std::string& text) {
  if (text.size() <= kDiffBytesMax) return text;
  const std::size_t end = text.find(' ', kDiffBytesMax);
  return end == text.npos ? text : text.substr(0, end) + " ...";
}

std::string DifferenceText(const LabelledPages& set, std::uint32_t a, std::uint32_t b,
                           const std::string& about, std::span<const SourcedPage> pages,
                           bool colours) {
  const WordDiff diff = DiffWords(pages[a].document.text, pages[b].document.text);
  return fmt::format(
             "{} | {}\n  {}\n  words: {} same, {} only in the first, {} only in the second\n",
             Escaped(set.pages[a].path), Escaped(set.pages[b].path), Escaped(about), diff.same,
             diff.removed, diff.added) +
         Shortened(DiffText(diff, kContextWords, colours)) + "\n\n";
}

std::string MistakeText(const LabelledPages& set, const Evaluation& evaluation, std::size_t pair,
                        std::span<const SourcedPage> pages, bool colours) {
  const LabelledPair& labelled = set.pairs[pair];
  const PairVerdict& verdict = evaluation.verdicts[pair];
  std::string why = verdict.compared ? contentseen::Format(verdict.evidence) : "not comparable";
  if (verdict.kind == contentseen::Kind::kExactText) why = "the same text";
  if (verdict.kind == contentseen::Kind::kExactBytes) why = "the same bytes";
  return DifferenceText(
      set, labelled.a, labelled.b,
      fmt::format("{}, {}; {}", labelled.dup ? "dup" : "distinct", labelled.why, why), pages,
      colours);
}

std::string MistakesHeading(const std::string& detector, std::size_t shown, std::size_t all,
                            const char* title, bool colours) {
  return Coloured(fmt::format("\n{}: {} of {} {}\n\n", detector, shown, all, title), Colour::kBold,
                  colours);
}

}  // namespace

std::string ThresholdText(const Sweep& sweep, const Sweep::Point& point) {
  if (sweep.things == "bits") {
    return fmt::format("{} of {} bits ({} differ)", point.least, sweep.total,
                       sweep.total - point.least);
  }
  if (sweep.total == 100) return fmt::format("{} % of {}", point.least, sweep.things);
  return fmt::format("{} of {} {}", point.least, sweep.total, sweep.things);
}

std::vector<ReportTable> EvaluationTables(const LabelledPages& set,
                                          std::span<const Evaluation> evaluations) {
  std::vector<ReportTable> tables = {AllPairs(set, evaluations), Sites(evaluations),
                                     Reasons(evaluations), Languages(evaluations)};
  if (evaluations.size() > 1) {
    tables.push_back(BestThresholds(evaluations));
  } else if (!evaluations.front().sweep.points.empty()) {
    tables.push_back(WholeSweep(evaluations.front()));
  }
  return tables;
}

std::string EvaluationJson(const LabelledPages& set, std::span<const Evaluation> evaluations) {
  Json detectors = Json::array();
  for (const Evaluation& evaluation : evaluations) {
    detectors.push_back({{"detector", evaluation.detector},
                         {"all", JsonOf(evaluation.all)},
                         {"same_site", JsonOf(evaluation.same_site)},
                         {"cross_site", JsonOf(evaluation.cross_site)},
                         {"reasons", JsonOf(evaluation.reasons)},
                         {"languages", JsonOf(evaluation.languages)},
                         {"sweep", JsonOf(evaluation.sweep)}});
  }
  const Json json = {
      {"pages", set.paired}, {"pairs", set.pairs.size()}, {"detectors", std::move(detectors)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string MistakesText(const LabelledPages& set, const Evaluation& evaluation,
                         std::span<const SourcedPage> pages, std::size_t count, bool colours) {
  std::string text;
  const auto add = [&](const char* title, std::vector<std::size_t> wrong) {
    const std::size_t all = wrong.size();
    wrong.resize(std::min(count, all));
    text += MistakesHeading(evaluation.detector, wrong.size(), all, title, colours);
    for (const std::size_t pair : wrong) {
      text += MistakeText(set, evaluation, pair, pages, colours);
    }
  };
  add("false alarms, the least alike first", WorstFalseAlarms(set, evaluation));
  add("misses, the most alike first", WorstMisses(set, evaluation));
  return text;
}

std::vector<ReportTable> StreamTables(const LabelledPages& set, std::uint64_t seed,
                                      std::span<const StreamEvaluation> evaluations) {
  ReportTable all{
      .title = fmt::format("{} pages in the order of seed {}, each against those admitted before",
                           set.pages.size(), seed),
      .columns = {"detector", "precision %", "recall %", "F1 %", "false alarms", "misses",
                  "same-site P %", "same-site R %", "unscored"},
      .rows = {},
      .note = kIntervalNote};
  ReportTable reasons{.title = "Hits / misses / false alarms, by reason",
                      .columns = {"detector"},
                      .rows = {},
                      .note = {}};
  for (const StreamEvaluation& evaluation : evaluations) {
    const Counts& c = evaluation.all;
    const Counts& same = evaluation.same_site;
    all.rows.push_back({evaluation.detector, WithInterval(c.Precision(), c.PrecisionInterval()),
                        WithInterval(c.Recall(), c.RecallInterval()),
                        WithInterval(c.F1(), c.F1Interval()), std::to_string(c.false_alarms),
                        std::to_string(c.misses), Percent(same.Precision()),
                        Percent(same.Recall()), std::to_string(evaluation.unscored)});
    for (const Stratum& stratum : evaluation.reasons) {
      if (std::find(reasons.columns.begin(), reasons.columns.end(), stratum.name) ==
          reasons.columns.end()) {
        reasons.columns.push_back(stratum.name);
      }
    }
  }
  for (const StreamEvaluation& evaluation : evaluations) {
    std::vector<std::string> row(reasons.columns.size(), "-");
    row[0] = evaluation.detector;
    for (const Stratum& stratum : evaluation.reasons) {
      const auto column = std::find(reasons.columns.begin(), reasons.columns.end(), stratum.name);
      const Counts& c = stratum.counts;
      row[static_cast<std::size_t>(column - reasons.columns.begin())] =
          fmt::format("{}/{}/{}", c.hits, c.misses, c.false_alarms);
    }
    reasons.rows.push_back(std::move(row));
  }
  return {std::move(all), std::move(reasons)};
}

std::string StreamJson(const LabelledPages& set, std::uint64_t seed,
                       std::span<const StreamEvaluation> evaluations) {
  Json detectors = Json::array();
  for (const StreamEvaluation& evaluation : evaluations) {
    detectors.push_back({{"detector", evaluation.detector},
                         {"all", JsonOf(evaluation.all)},
                         {"same_site", JsonOf(evaluation.same_site)},
                         {"cross_site", JsonOf(evaluation.cross_site)},
                         {"reasons", JsonOf(evaluation.reasons)},
                         {"unscored", evaluation.unscored}});
  }
  const Json json = {
      {"pages", set.pages.size()}, {"seed", seed}, {"detectors", std::move(detectors)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string StreamMistakesText(const LabelledPages& set, const StreamEvaluation& evaluation,
                               std::span<const SourcedPage> pages, std::size_t count,
                               bool colours) {
  std::string text;
  const auto add = [&](const char* title, const std::vector<StreamedPage>& wrong) {
    const std::size_t shown = std::min(count, wrong.size());
    text += MistakesHeading(evaluation.detector, shown, wrong.size(), title, colours);
    for (std::size_t i = 0; i < shown; ++i) {
      text += DifferenceText(set, *wrong[i].original, wrong[i].page, title, pages, colours);
    }
  };
  add("false alarms", evaluation.false_alarms);
  add("misses", evaluation.misses);
  return text;
}

}  // namespace crawler
