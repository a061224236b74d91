#include "crawler/evaluate/evaluation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/check.h"

namespace crawler {
namespace {

using contentseen::Agreement;
using contentseen::Detector;
using contentseen::Evidence;
using contentseen::Kind;

Kind ExactKind(const JudgedPage& a, const JudgedPage& b) {
  if (a.sketch.empty || b.sketch.empty) return Kind::kNew;
  if (a.body == b.body) return Kind::kExactBytes;
  return a.sketch.text_digest == b.sketch.text_digest ? Kind::kExactText : Kind::kNew;
}

PairVerdict Judge(const JudgedPage& a, const JudgedPage& b, const Detector& detector) {
  PairVerdict verdict;
  verdict.kind = ExactKind(a, b);
  verdict.compared = !a.sketch.signature.empty() && !b.sketch.signature.empty();
  if (!verdict.compared) return verdict;
  verdict.evidence = detector.Compare(a.sketch.signature, b.sketch.signature);
  verdict.least = detector.LeastOf(a.sketch.signature, b.sketch.signature);
  if (verdict.kind == Kind::kNew && detector.Similar(a.sketch.signature, b.sketch.signature)) {
    verdict.kind = Kind::kNear;
  }
  return verdict;
}

bool IsDup(const Stratum& stratum) { return stratum.counts.hits + stratum.counts.misses > 0; }

std::vector<Stratum> InOrder(const std::map<std::string, Counts>& counts) {
  std::vector<Stratum> strata;
  for (const auto& [name, count] : counts) strata.push_back({name, count});
  std::stable_sort(strata.begin(), strata.end(), [](const Stratum& a, const Stratum& b) {
    if (IsDup(a) != IsDup(b)) return IsDup(a);
    return a.counts.total() > b.counts.total();
  });
  return strata;
}

std::string LanguageOf(const LabelledPage& a, const LabelledPage& b) {
  if (a.lang != b.lang) return "mixed";
  return a.lang.empty() ? "unknown" : a.lang;
}

/// How many thresholds there are for agreements of these totals: that total, or percent.
std::uint32_t TotalOf(std::span<const Agreement> agreements) {
  for (const Agreement& agreement : agreements) {
    if (agreement.total != agreements.front().total) return 100;
  }
  return agreements.front().total;
}

/// The strictest threshold of `total` at which the agreement suffices.
std::uint32_t LevelOf(const Agreement& agreement, std::uint32_t total) {
  if (agreement.total == 0) return 0;
  return static_cast<std::uint32_t>(std::uint64_t{agreement.equal} * total / agreement.total);
}

/// The most lenient threshold of `total` that asks no less than `least`.
std::uint32_t LevelAsked(const Agreement& least, std::uint32_t total) {
  if (least.total == 0) return 0;
  return static_cast<std::uint32_t>((std::uint64_t{least.equal} * total + least.total - 1) /
                                    least.total);
}

bool Reaches(const Agreement& agreement, const Agreement& least) {
  return std::uint64_t{agreement.equal} * least.total >=
         std::uint64_t{least.equal} * agreement.total;
}

/// Which measure a sweep is over, and the threshold of it that is set.
struct Swept {
  bool second = false;
  std::uint32_t total = 0;
  std::uint32_t as_set = 0;

  const Agreement& Of(const Evidence& evidence) const {
    return second ? evidence.second : evidence.first;
  }
  const Agreement& OtherOf(const Evidence& evidence) const {
    return second ? evidence.first : evidence.second;
  }

  /// The strictest threshold at which a pair is flagged, its own demand raised and lowered along
  /// with the one that is set; nothing where it is at none. At what is set verdicts are as they
  /// are.
  std::optional<std::uint32_t> StrictestFor(const PairVerdict& verdict) const {
    if (!verdict.compared) return std::nullopt;
    const bool near = verdict.kind == Kind::kNear;
    if (!near && !Reaches(OtherOf(verdict.evidence), OtherOf(verdict.least))) return std::nullopt;
    const std::uint32_t reached = LevelOf(Of(verdict.evidence), total);
    const std::uint32_t asked = LevelAsked(Of(verdict.least), total);
    const bool all = reached == total || Of(verdict.least).total == 0;
    const std::uint32_t level = all ? total : as_set + reached - std::min(as_set + reached, asked);
    // Refused though it reaches all that: for what no threshold changes.
    if (!near && level >= as_set) return std::nullopt;
    return std::clamp(level, near ? as_set : 0, total);
  }
};

Sweep SweepOf(const LabelledPages& set, std::span<const PairVerdict> verdicts,
              const Evidence& least) {
  Swept swept{.second = least.second.equal > 0};
  std::vector<Agreement> agreements;
  for (const PairVerdict& verdict : verdicts) {
    if (verdict.compared) agreements.push_back(swept.Of(verdict.evidence));
  }
  if (agreements.empty()) return {};
  swept.total = TotalOf(agreements);
  swept.as_set = LevelAsked(swept.Of(least), swept.total);
  Sweep sweep{.things = std::string(agreements.front().things),
              .total = swept.total,
              .as_set = swept.as_set,
              .points = {}};
  // What each threshold adds to the next stricter one; and pairs that none flags.
  std::vector<Counts> added(sweep.total + 1);
  Counts flagged;
  Counts rest;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const bool exact = verdicts[i].flagged() && verdicts[i].kind != Kind::kNear;
    (exact ? flagged : rest).Add(set.pairs[i].dup, exact);
    if (exact) continue;
    if (const auto level = swept.StrictestFor(verdicts[i])) {
      added[*level].Add(set.pairs[i].dup, true);
    }
  }
  // Agreement in nothing at all, as the only condition, would flag whatever was compared.
  const std::uint32_t lowest = swept.second ? 0 : 1;
  for (std::uint32_t level = sweep.total + 1; level-- > lowest;) {
    flagged.hits += added[level].hits;
    flagged.false_alarms += added[level].false_alarms;
    rest.misses -= added[level].hits;
    rest.passes -= added[level].false_alarms;
    sweep.points.push_back(
        {level, {flagged.hits, flagged.false_alarms, rest.misses, rest.passes}});
  }
  return sweep;
}

/// Wrong verdicts of one kind, by how alike the main texts are said to be, then by the evidence.
std::vector<std::size_t> Wrong(const LabelledPages& set, const Evaluation& evaluation, bool dup) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < set.pairs.size(); ++i) {
    if (set.pairs[i].dup == dup && evaluation.verdicts[i].flagged() != dup) wrong.push_back(i);
  }
  std::stable_sort(wrong.begin(), wrong.end(), [&](std::size_t x, std::size_t y) {
    const auto likeness = [&](std::size_t i) { return set.pairs[i].likeness.value_or(0); };
    if (likeness(x) != likeness(y)) return (likeness(x) < likeness(y)) != dup;
    const Evidence& a = evaluation.verdicts[x].evidence;
    const Evidence& b = evaluation.verdicts[y].evidence;
    return dup ? contentseen::IsStronger(b, a) : contentseen::IsStronger(a, b);
  });
  return wrong;
}

}  // namespace

const Sweep::Point& Sweep::Best() const {
  CHECK(!points.empty());
  return *std::max_element(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return a.counts.F1() < b.counts.F1();
  });
}

Evaluation Evaluate(const LabelledPages& set, std::span<const JudgedPage> pages,
                    const Detector& detector) {
  CHECK(pages.size() >= set.paired);
  Evaluation evaluation;
  evaluation.detector = detector.name();
  std::map<std::string, Counts> reasons;
  std::map<std::string, Counts> languages;
  for (const LabelledPair& pair : set.pairs) {
    const PairVerdict verdict = Judge(pages[pair.a], pages[pair.b], detector);
    const LabelledPage& a = set.pages[pair.a];
    const LabelledPage& b = set.pages[pair.b];
    for (Counts* counts :
         {&evaluation.all, a.site == b.site ? &evaluation.same_site : &evaluation.cross_site,
          &reasons[pair.why], &languages[LanguageOf(a, b)]}) {
      counts->Add(pair.dup, verdict.flagged());
    }
    evaluation.verdicts.push_back(verdict);
  }
  evaluation.reasons = InOrder(reasons);
  evaluation.languages = InOrder(languages);
  evaluation.sweep = SweepOf(set, evaluation.verdicts, detector.Least());
  return evaluation;
}

std::vector<std::size_t> WorstFalseAlarms(const LabelledPages& set, const Evaluation& evaluation) {
  return Wrong(set, evaluation, false);
}

std::vector<std::size_t> WorstMisses(const LabelledPages& set, const Evaluation& evaluation) {
  return Wrong(set, evaluation, true);
}

}  // namespace crawler
