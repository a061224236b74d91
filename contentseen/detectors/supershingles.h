#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "contentseen/options.h"
#include "contentseen/text/analyzed_text.h"

namespace contentseen {

/// Broder's supershingles as Henzinger has them (SIGIR 2006, Algorithm B): shingles of 8 tokens,
/// 84 min-wise values, each 14 consecutive ones hashed to one supershingle. For a resemblance J
/// one agrees with probability J^14.
using Supershingles = std::array<std::uint64_t, kSupershingles>;

inline constexpr std::size_t kShinglingWords = 8;
inline constexpr std::size_t kSupershingleMinima = 14;

/// Of a set of shingle hashes. REQUIRES: not empty.
Supershingles SupershinglesOf(std::span<const std::uint64_t> shingles);

/// A key for each choice of `least` positions: two lists of supershingles agree at `least`
/// positions or more exactly when they share a key (of 64 bits, so up to a chance of 2^-64). With
/// 2 these are Broder's megashingles. REQUIRES: 1 <= least <= kSupershingles, as many
/// supershingles.
std::vector<std::uint64_t> SupershingleKeys(std::span<const std::uint64_t> supershingles,
                                            std::uint32_t least);

}  // namespace contentseen
