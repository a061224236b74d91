#pragma once

#include <cstdint>

namespace crawler {

/// Between these a share lies with 95 % confidence.
struct Interval {
  double low = 0;
  double high = 1;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Wilson's interval for a share of `hits` in `trials` (Wilson 1927); 0..1 for no trials.
/// REQUIRES: hits <= trials.
Interval WilsonInterval(std::uint64_t hits, std::uint64_t trials);

/// How often a yes-or-no verdict was right.
///
///     Counts counts;
///     for (...) counts.Add(pair.dup, flagged);
///     Show(counts.Precision(), counts.PrecisionInterval());
///
/// A share of nothing is 1: who flags nothing flags nothing wrongly.
struct Counts {
  std::uint64_t hits = 0;          // duplicates that were flagged
  std::uint64_t false_alarms = 0;  // others that were flagged
  std::uint64_t misses = 0;        // duplicates that were not
  std::uint64_t passes = 0;        // others that were not

  void Add(bool duplicate, bool flagged);
  std::uint64_t total() const { return hits + false_alarms + misses + passes; }
  std::uint64_t flagged() const { return hits + false_alarms; }

  double Precision() const;
  double Recall() const;
  double F1() const;
  /// Wilson's.
  Interval PrecisionInterval() const;
  Interval RecallInterval() const;
  /// F1 = 2J / (1 + J), where J = hits / (hits + false alarms + misses) is a share like any other
  /// (Hand, Christen, Kirielle, "F*: an interpretable transformation of the F-measure", Machine
  /// Learning 110, 2021). It grows with J, so this is Wilson's interval of J, transformed.
  Interval F1Interval() const;

  friend bool operator==(const Counts&, const Counts&) = default;
};

}  // namespace crawler
