#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace contentseen {

/// A 64-bit SimHash: near texts have fingerprints at a small Hamming distance.
using Fingerprint = std::uint64_t;

inline constexpr int kFingerprintBits = 64;

/// Hamming distance: the number of differing bits, 0..64.
inline int Distance(Fingerprint a, Fingerprint b) { return std::popcount(a ^ b); }

/// Sixteen lower-case hex digits.
std::string FormatFingerprint(Fingerprint fingerprint);

/// The inverse; upper case is accepted too. Nothing for any other text.
std::optional<Fingerprint> ParseFingerprint(std::string_view hex);

}  // namespace contentseen
