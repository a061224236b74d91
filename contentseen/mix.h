#pragma once

#include <cstdint>

namespace contentseen {

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
