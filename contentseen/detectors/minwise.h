#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace contentseen {

/// The i-th of the functions whose minima stand for random permutations (Broder, SEQUENCES 1997):
/// h_i(x) = Mix64(x + (i + 1) c mod 2^64), c = 2^64 / golden ratio.
std::uint64_t MinWiseHash(std::uint64_t x, std::size_t i);

/// minima[i] = the least h_i(x) of all x in `set`. For sets of resemblance J (of their Jaccard
/// coefficient) each minimum agrees with probability J. By eights with AVX-512 where the machine
/// has it; equal results.
///
///     std::array<std::uint64_t, 84> minima;
///     MinWise(shingles, minima);
///
/// An element may stand several times. REQUIRES: `set` is not empty.
/// Cost: about 1 ns an element and function; 0.3 ns with AVX-512.
void MinWise(std::span<const std::uint64_t> set, std::span<std::uint64_t> minima);

/// The same, one by one on any machine.
void MinWiseScalar(std::span<const std::uint64_t> set, std::span<std::uint64_t> minima);

}  // namespace contentseen
