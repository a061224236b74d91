#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "contentseen/mix.h"
#include "contentseen/text/tokens.h"

namespace contentseen {

static_assert(
    std::endian::native == std::endian::little,
    "tokens are hashed as little-endian machines read them: on another, each token would "
    "hash with what stands beside it, and no fingerprint would mean anything");

/// Hashes tokens of one text under a key. Those of up to 16 bytes, nearly all, without a branch on
/// their length: both halves, zeros behind the token, are multiplied to 128 bits and folded (as
/// wyhash and XXH3 do); longer ones by XXH3.
///
/// Thread safety: a value. Cost: 2 ns a token.
class TokenHash {
 public:
  TokenHash(std::string_view text, std::uint64_t key)
      : text_(text), key_(key), low_key_(Mix64(key + 1)), high_key_(Mix64(key + 2)) {}

  /// REQUIRES: `token` lies in the text.
  std::uint64_t operator()(const Token& token) const {
    // Sixteen bytes may be read, whatever follows the token.
    if (token.size > kShortBytes || token.begin + kShortBytes > text_.size()) [[unlikely]] {
      return Slowly(token);
    }
    const char* const at = text_.data() + token.begin;
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::memcpy(&low, at, 8);
    std::memcpy(&high, at + 8, 8);
    const Halves& halves = kHalves[token.size];
    return Fold(low & halves.low, high & halves.high, token.size);
  }

 private:
  static constexpr std::uint32_t kShortBytes = 16;
  // The bytes of 16 that belong to a token of this size.
  struct Halves {
    std::uint64_t low;
    std::uint64_t high;
  };
  static constexpr std::array<Halves, kShortBytes + 1> kHalves = [] {
    std::array<Halves, kShortBytes + 1> halves{};
    for (std::size_t size = 0; size <= kShortBytes; ++size) {
      for (std::size_t i = 0; i < size; ++i) {
        (i < 8 ? halves[size].low : halves[size].high) |= std::uint64_t{0xFF} << 8 * (i % 8);
      }
    }
    return halves;
  }();

  std::uint64_t Fold(std::uint64_t low, std::uint64_t high, std::uint64_t size) const {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{low ^ low_key_} * (high ^ high_key_ ^ size);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  // Of a long token, or one near the end of the text.
  std::uint64_t Slowly(const Token& token) const;

  std::string_view text_;
  std::uint64_t key_;
  std::uint64_t low_key_;
  std::uint64_t high_key_;
};

}  // namespace contentseen
