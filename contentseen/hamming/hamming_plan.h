#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace contentseen {

/// How an index for radius k is laid out: the 64 bits are cut into parts, and part i is searched
/// within distance tau_i. By the general pigeonhole principle (Qin et al., GPH, ICDE 2018) the
/// answer is complete if the thresholds, tau_i >= -1, add up to k - m + 1 over the m parts; a part
/// with threshold -1 needs no table.
///
///     HammingPlan plan = ChooseHammingPlan(3, 100'000'000);
///     std::cout << FormatHammingPlan(plan);
///
/// Thread safety: a value. Cost of choosing: microseconds; for k >= 6 and many, milliseconds.
struct HammingPlan {
  /// What keeps a part's fingerprints.
  enum class Layout {
    /// Buckets of one cache line addressed by the nearest codeword: halves only, threshold <= 2.
    kLines,
    /// A list of fingerprints for each value of the part.
    kCells,
  };
  struct Part {
    /// Bits [shift, shift + width) of the fingerprint.
    unsigned shift = 0;
    unsigned width = 0;
    /// -1: never searched, has no table.
    int threshold = -1;
    /// Expected reads of cache lines and compared candidates of one lookup that finds nothing.
    double lines = 0;
    double candidates = 0;
  };

  unsigned k = 0;
  std::uint64_t expected_n = 0;
  Layout layout = Layout::kLines;
  std::vector<Part> parts;
  /// Of a lookup that finds nothing, by the cost model; and memory.
  double nanoseconds = 0;
  double bytes_per_fingerprint = 0;
};

/// The plan with the smallest product of expected time and memory. REQUIRES: k <= 10.
/// `expected_n` = 0 is taken as one million, and more than kHammingFingerprintsMax as that.
HammingPlan ChooseHammingPlan(unsigned k, std::uint64_t expected_n);

/// Every plan that was weighed, the best first; for showing.
std::vector<HammingPlan> RankHammingPlans(unsigned k, std::uint64_t expected_n);

/// The plan as a small table for people; lines end in newlines.
std::string FormatHammingPlan(const HammingPlan& plan);

/// Number of words of `width` bits within distance `radius` of a given one.
double HammingBall(unsigned width, unsigned radius);

}  // namespace contentseen
