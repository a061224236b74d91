#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace contentseen {

// The pieces of the C# near-duplicate module that this project grew from, as it has them:
// characters are UTF-16 units, fingerprints have 32 bits. To compare with and to teach by;
// detectors use tokens.h and simhash.h.

/// Windows of `chunk` characters, each `chunk - overlap` behind the former, while one more
/// character follows: the last full window is always left out, and a text of `chunk` characters or
/// fewer has none. REQUIRES: overlap < chunk.
std::vector<std::u16string_view> OverlappingTokens(std::u16string_view text, std::size_t chunk = 4,
                                                   std::size_t overlap = 3);

/// Pieces of `size` characters, the last one maybe shorter. An inserted character shifts all
/// behind it. REQUIRES: 2 <= size <= 127.
std::vector<std::u16string_view> FixedSizeTokens(std::u16string_view text, std::size_t size = 5);

/// String.GetHashCode() of the 64-bit .NET Framework, which the module hashed by.
std::uint32_t DotNetHash(std::u16string_view text);

/// SimHash of 32 bits with weights of 1, repeated tokens counting again.
std::uint32_t DotNetSimHash(std::span<const std::u16string_view> tokens);

/// (bits - distance) / bits: the part of equal bits. It is 1 - angle / pi, not the cosine.
/// REQUIRES: 0 <= distance <= bits, bits > 0.
double Likeness(int distance, int bits);

/// Jaccard's coefficient of the sets of shingles of w consecutive tokens, 0..1; 0 when neither has
/// any. REQUIRES: w >= 1.
double ShingleResemblance(std::span<const std::string_view> a, std::span<const std::string_view> b,
                          std::size_t w);

/// The part of a's shingles that stand in b, 0..1; 0 when a has none. REQUIRES: w >= 1.
double ShingleContainment(std::span<const std::string_view> a, std::span<const std::string_view> b,
                          std::size_t w);

}  // namespace contentseen
