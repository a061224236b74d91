#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace contentseen {

/// out[i] = the hash of the shingle of tokens i .. i + length - 1: the polynomial of their hashes
/// in base 2^64 / golden ratio, with the length as its first coefficient (so that a shingle never
/// equals a shorter one), through Mix64(). By eights with AVX-512 where the machine has it; equal
/// results.
///
/// REQUIRES: length >= 1; tokens.size() >= length; room for tokens.size() - length + 1 hashes.
void HashShingles(std::span<const std::uint64_t> tokens, std::size_t length, std::uint64_t* out);

/// The same, one by one on any machine.
void HashShinglesScalar(std::span<const std::uint64_t> tokens, std::size_t length,
                        std::uint64_t* out);

}  // namespace contentseen
