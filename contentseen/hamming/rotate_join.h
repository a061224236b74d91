#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "contentseen/fingerprint.h"

namespace contentseen {

/// The old recipe for near pairs: rotate all fingerprints by one bit after another, sort, and
/// compare what is then adjacent. It is lossy: a pair is met only if some rotation brings its
/// differing bits to the low end and nothing sorts between the two. Kept for comparison; the exact
/// join is JoinTable.
///
/// Returns each pair within k once, (smaller, larger), ascending; equal fingerprints are one.
/// REQUIRES: 1 <= rotations <= 64. Cost: `rotations` sorts.
std::vector<std::pair<Fingerprint, Fingerprint>> RotateJoin(
    std::span<const Fingerprint> fingerprints, unsigned k, unsigned rotations);

/// How many of all pairs within k the recipe finds.
struct RotateRecall {
  std::uint64_t found = 0;
  std::uint64_t all = 0;
  double recall() const {
    return all == 0 ? 1 : static_cast<double>(found) / static_cast<double>(all);
  }
};

/// Compares RotateJoin with an exact join; fails when memory is refused. REQUIRES: k <= 3.
base::Result<RotateRecall> MeasureRotateJoin(std::span<const Fingerprint> fingerprints, unsigned k,
                                             unsigned rotations);

}  // namespace contentseen
