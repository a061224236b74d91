#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace contentseen {

/// 128 bits that name a byte string inside one process or store: a table key.
struct Key128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend auto operator<=>(const Key128&, const Key128&) = default;
};

/// A SHA-256 value: two byte strings with one digest are the same bytes, also when somebody tries
/// to make it otherwise. All zero bytes stand for "no digest".
///
///     Digest digest = Sha256(body);
///     log << digest.Hex();
///
/// Thread safety: a value. Cost: 32 bytes.
struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  friend auto operator<=>(const Digest&, const Digest&) = default;

  /// Sixty-four lower-case hex digits.
  std::string Hex() const;
  /// The inverse; upper case is accepted too. Nothing for any other text.
  static std::optional<Digest> FromHex(std::string_view hex);

  /// The first 128 bits, as a table key: finding a second text for a given key takes 2^128 trials,
  /// any two colliding texts (which could only hide one another) 2^64.
  Key128 Key() const {
    Key128 key;
    std::memcpy(&key.high, bytes.data(), sizeof key.high);
    std::memcpy(&key.low, bytes.data() + sizeof key.high, sizeof key.low);
    return key;
  }
  /// No digest was computed.
  bool IsNone() const { return *this == Digest{}; }
  /// The digest of zero bytes. Empty pages are a class of their own: nothing is ever grouped
  /// because all of it is empty.
  bool IsOfNothing() const;
};

/// Whether OpenSSL offers "SHA256", "MD5" or "SHA1" as this machine configures it; fails with a
/// sentence where it does not (FIPS mode knows no MD5). ContentSeen::Create() and MakeDetector()
/// ask for what they need.
base::Status OffersDigest(const char* algorithm);

/// SHA-256 of `bytes` (FIPS 180-4, through OpenSSL). REQUIRES, as those below: OffersDigest().
///
/// Thread safety: yes; each thread keeps one context. Cost: about 150 ns and 0.7 ns a byte.
Digest Sha256(std::string_view bytes);

/// MD5 and SHA-1 (RFC 1321, RFC 3174), for methods that are defined with them: whoever wants to
/// can make two texts with one value.
std::array<std::uint8_t, 16> Md5(std::string_view bytes);
std::array<std::uint8_t, 20> Sha1(std::string_view bytes);

/// The first 128 bits of a digest, as a table key.
template <std::size_t kBytes>
Key128 KeyOf(const std::array<std::uint8_t, kBytes>& digest) {
  static_assert(kBytes >= sizeof(Key128));
  Key128 key;
  std::memcpy(&key.high, digest.data(), sizeof key.high);
  std::memcpy(&key.low, digest.data() + sizeof key.high, sizeof key.low);
  return key;
}

/// XXH3-128 of `bytes`: fast, and no protection against somebody who wants collisions. For keys
/// where a collision only costs time.
Key128 Xxh3Key(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace contentseen
