#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace base {

/// The value of a hex digit of either case, -1 for any other character.
constexpr int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Lower-case hex digits, two a byte.
inline std::string ToHex(std::span<const std::uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}
inline std::string ToHex(std::string_view bytes) {
  return ToHex(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

/// Fills `bytes` from hex digits of either case; false unless there are exactly two a byte.
inline bool FromHex(std::string_view hex, std::span<std::uint8_t> bytes) {
  if (hex.size() != bytes.size() * 2) return false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = HexValue(hex[2 * i]);
    const int low = HexValue(hex[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return true;
}

/// Appends "%AB", as a byte is escaped in a URL (RFC 3986, section 2.1).
inline void AppendPercentEscape(unsigned char byte, std::string& out) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const char escape[] = {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  out.append(escape, sizeof escape);
}

}  // namespace base
