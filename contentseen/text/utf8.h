#pragma once

#include <cstdint>

namespace contentseen {

inline constexpr char32_t kReplacement = 0xFFFD;

/// The code point at `p`, which moves behind it. Ill-formed bytes give U+FFFD, one for each
/// maximal subpart (Unicode Standard 3.9, table 3-7 and "U+FFFD Substitution of Maximal
/// Subparts"). REQUIRES: p < end.
inline char32_t DecodeUtf8(const unsigned char*& p, const unsigned char* end) {
  const unsigned lead = *p++;
  if (lead < 0x80) return lead;
  if (lead < 0xC2 || lead > 0xF4) return kReplacement;
  const int more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  // The second byte's range keeps out overlong forms, surrogates and values above U+10FFFF.
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  char32_t code_point = lead & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) {
    if (p == end || *p < low || *p > high) return kReplacement;
    code_point = code_point << 6 | (*p++ & 0x3F);
    low = 0x80;
    high = 0xBF;
  }
  return code_point;
}

/// Writes a code point that is no surrogate; returns the place behind it. Needs 4 bytes of room.
inline char* EncodeUtf8(char32_t c, char* out) {
  if (c < 0x80) {
    *out++ = static_cast<char>(c);
  } else if (c < 0x800) {
    *out++ = static_cast<char>(0xC0 | c >> 6);
    *out++ = static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    *out++ = static_cast<char>(0xE0 | c >> 12);
    *out++ = static_cast<char>(0x80 | (c >> 6 & 0x3F));
    *out++ = static_cast<char>(0x80 | (c & 0x3F));
  } else {
    *out++ = static_cast<char>(0xF0 | c >> 18);
    *out++ = static_cast<char>(0x80 | (c >> 12 & 0x3F));
    *out++ = static_cast<char>(0x80 | (c >> 6 & 0x3F));
    *out++ = static_cast<char>(0x80 | (c & 0x3F));
  }
  return out;
}

}  // namespace contentseen
