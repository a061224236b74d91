#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace parser {

/// A secret of 128 bits.
struct SipKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// Drawn at random, once a process: nobody outside can know it.
const SipKey& ProcessSipKey();

/// SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): who does not
/// know the key cannot choose texts that collide. For hash tables of what pages say.
///
/// Thread safety: yes. Cost: about a nanosecond a byte.
inline std::uint64_t SipHash(const SipKey& key, std::string_view text) {
  std::uint64_t v0 = key.low ^ 0x736f6d6570736575;
  std::uint64_t v1 = key.high ^ 0x646f72616e646f6d;
  std::uint64_t v2 = key.low ^ 0x6c7967656e657261;
  std::uint64_t v3 = key.high ^ 0x7465646279746573;
  const auto round = [&] {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  };
  const auto take = [&](std::uint64_t word) {
    v3 ^= word;
    round();
    v0 ^= word;
  };
  std::uint64_t last = std::uint64_t{text.size()} << 56;
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    take(word);
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    last |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
  }
  take(last);
  v2 ^= 0xff;
  for (int i = 0; i < 3; ++i) round();
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace parser
