#pragma once

#include <cstdint>

namespace contentseen {

/// 2^64 over the golden ratio, as an odd number. Its multiples lie far apart: with them
/// Mix64(x + i * kGoldenStep) makes of one x as many hashes as are wanted.
inline constexpr std::uint64_t kGoldenStep = 0x9E3779B97F4A7C15;

/// The 64-bit finalizer of MurmurHash3 (Appleby, public domain): a bijection in which every input
/// bit moves every output bit with probability about one half.
constexpr std::uint64_t Mix64(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  x ^= x >> 33;
  return x;
}

}  // namespace contentseen
