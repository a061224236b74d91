#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "contentseen/options.h"

namespace contentseen {

inline constexpr std::size_t kProjectionWords = kProjectionBits / 64;

/// Charikar's random projection as Henzinger has it (SIGIR 2006, Algorithm C): every token has a
/// pseudo-random vector of 384 +1 and -1; bit b is set where the sum over the sequence of tokens,
/// each as often as it stands, is positive.
using Projection = std::array<std::uint64_t, kProjectionWords>;

Projection ProjectionOf(std::span<const std::uint64_t> tokens);

/// Bits that are equal, 0..384. REQUIRES: kProjectionWords each.
std::uint32_t EqualBits(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

/// Finds projections within a Hamming distance by equal keys, and misses none: the general
/// pigeonhole principle (Qin, Wang, Xiao, Wang, Lin, Ishikawa, ICDE 2018). The bits are split into
/// m parts; part i is looked up with up to t_i of its bits changed, where the t_i (-1: not at all)
/// sum to distance - m + 1. Were every part further away than its t_i, the sum of the distances
/// would be at least the sum of the t_i + 1, which is distance + 1.
///
/// Up to a distance of 15 there is one part more than bits may differ, looked up unchanged (13 of
/// 29 or 30 bits for 372 equal bits; Henzinger's twelve pieces of 32 bits guarantee only 373).
/// Beyond, half as many, looked up with one bit changed, so that a part has 24 bits or more.
class ProjectionParts {
 public:
  /// REQUIRES: distance <= 31.
  explicit ProjectionParts(std::uint32_t distance);

  /// A key for each part that is looked up.
  std::vector<std::uint64_t> Keys(std::span<const std::uint64_t> projection) const;
  /// The keys of everything that a part may be.
  std::vector<std::uint64_t> KeysToAsk(std::span<const std::uint64_t> projection) const;

 private:
  struct Part {
    std::uint32_t begin;
    std::uint32_t size;  // bits, at most 64
    int changed_max;     // 0 or 1
  };
  std::vector<Part> parts_;
};

}  // namespace contentseen
