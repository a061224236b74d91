#include "crawler/io/utf8.h"

#include "base/check.h"

namespace crawler {

CodePoint FirstCodePoint(std::string_view text) {
  CHECK(!text.empty());
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  CodePoint invalid{lead, 1, false};
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return invalid;
  char32_t value = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return invalid;
    value = (value << 6) | (byte(i) & 0x3fU);
  }
  bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (overlong || surrogate || value > 0x10ffff) return invalid;
  return {value, length, true};
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.substr(text.starts_with(kMark) ? kMark.size() : 0);
}

std::string_view Beginning(std::string_view text, std::uint64_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  auto end = static_cast<std::size_t>(bytes_max);
  // A continuation byte at the cut: go back to the lead byte (at most 3 steps in UTF-8).
  for (int i = 0; i < 3 && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80;
       ++i) {
    --end;
  }
  return text.substr(0, end);
}

bool IsUnsafeToPrint(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) ||       // C0, DEL, C1
         c == 0x061c || c == 0x200e || c == 0x200f ||  // Arabic, left and right marks
         (c >= 0x2028 && c <= 0x202e) ||               // separators, embeddings, overrides
         (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;  // isolates, BOM
}

}  // namespace crawler
