#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "contentseen/mix.h"

namespace tests {

/// The hash of the published test vectors: FNV-1a of the bytes through MurmurHash3's finalizer.
inline std::uint64_t CanonicalHash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return contentseen::Mix64(hash);
}

struct SetPair {
  std::vector<std::uint64_t> a;
  std::vector<std::uint64_t> b;
};

/// Two sets of `elements` in their union, of which they share `shared`: resemblance shared /
/// elements.
inline SetPair Sets(std::uint64_t seed, std::size_t elements, std::size_t shared) {
  SetPair sets;
  for (std::size_t i = 0; i < elements; ++i) {
    const std::uint64_t x = contentseen::Mix64(contentseen::Mix64(seed + 1) + i);
    if (i < shared || i % 2 == 0) sets.a.push_back(x);
    if (i < shared || i % 2 == 1) sets.b.push_back(x);
  }
  return sets;
}

}  // namespace tests
