#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "contentseen/detectors/detector.h"
#include "contentseen/detectors/sketch.h"
#include "contentseen/digest.h"
#include "contentseen/verdict.h"
#include "crawler/evaluate/labelled_pages.h"
#include "crawler/evaluate/scores.h"

namespace crawler {

/// A page as one detector sees it.
struct JudgedPage {
  /// SHA-256 of the body.
  contentseen::Digest body{};
  contentseen::Sketch sketch;
};

/// What the crawler would say of the second page of a pair when it had seen only the first.
struct PairVerdict {
  contentseen::Kind kind = contentseen::Kind::kNew;
  /// Both had a signature, so `evidence` says how far those agree, flagged or not.
  bool compared = false;
  contentseen::Evidence evidence{};
  /// What the detector asks of these two, where they were compared.
  contentseen::Evidence least{};

  bool flagged() const { return kind != contentseen::Kind::kNew; }
};

/// The counts of a part of the pairs.
struct Stratum {
  std::string name;
  Counts counts;
};

/// The counts for each threshold that the detector could have. Exact copies are flagged at any.
struct Sweep {
  struct Point {
    /// Flagged from so much agreement on, of `total`.
    std::uint32_t least = 0;
    Counts counts;
  };
  /// What agreement is counted in. "" when no pair was compared.
  std::string things;
  std::uint32_t total = 0;
  /// The detector's own threshold: there the counts are those of its verdicts.
  std::uint32_t as_set = 0;
  /// From `total` down to 1; with a second measure to 0, where the first alone decides.
  std::vector<Point> points;

  /// The point with the highest F1, of equally high ones the strictest. REQUIRES: points.
  const Point& Best() const;
};

/// How a detector's verdicts fare against a reader's.
struct Evaluation {
  std::string detector;
  Counts all;
  Counts same_site;
  Counts cross_site;
  /// By LabelledPair::why, duplicates first, each by number of pairs.
  std::vector<Stratum> reasons;
  /// By language where both pages have the same, else "mixed".
  std::vector<Stratum> languages;
  Sweep sweep;
  /// One a pair, in the set's order.
  std::vector<PairVerdict> verdicts;
};

/// Judges every pair of a set alone and scores the verdicts.
///
///     std::vector<JudgedPage> pages = ...;             // one for each of set.pages that is
///     paired Evaluation evaluation = Evaluate(set, pages, *detector); Show(evaluation.all.F1());
///
/// The measure that the sweep is over is the detector's first, or its second where it takes one;
/// the other keeps its threshold (Detector::Least). Of a pair of which more is asked than of
/// others (Detector::LeastOf) so much more is asked at every threshold, but never more than all
/// there is. What a detector refuses for another reason counts at no threshold; whether it would
/// be refused so below its own threshold too (where `verified` needs a key in common) is not
/// known, and such pairs count there. Where what there is to agree in differs from pair to pair,
/// the sweep goes by percent.
///
/// REQUIRES: pages.size() >= set.paired, signed by `detector`. Thread safety: pure.
/// Cost: a Compare() for each pair.
Evaluation Evaluate(const LabelledPages& set, std::span<const JudgedPage> pages,
                    const contentseen::Detector& detector);

/// Numbers of wrongly judged pairs, the worst first: of false alarms those whose main texts are
/// least alike, of misses those where they are most.
std::vector<std::size_t> WorstFalseAlarms(const LabelledPages& set, const Evaluation& evaluation);
std::vector<std::size_t> WorstMisses(const LabelledPages& set, const Evaluation& evaluation);

}  // namespace crawler
