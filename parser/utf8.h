#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parser {

/// Bytes of the longest well-formed UTF-8 prefix of `text`.
/// Thread safety: yes. Cost: ASCII at 16 bytes a step, else a byte at a time.
std::size_t WellFormedUtf8Prefix(std::string_view text);

/// Is all of `text` well-formed UTF-8 (Unicode 15, table 3-7)?
inline bool IsWellFormedUtf8(std::string_view text) {
  return WellFormedUtf8Prefix(text) == text.size();
}

/// Bytes at the start of `text` that are ASCII.
std::size_t AsciiPrefix(std::string_view text);

/// Appends `text` with U+FFFD in place of each maximal subpart of an ill-formed sequence
/// (Unicode 15, section 3.9, as the Encoding Standard's UTF-8 decoder does).
void AppendRepairedUtf8(std::string_view text, std::string* out);

/// Appends one code point. REQUIRES: a scalar value.
void AppendUtf8(char32_t code_point, std::string* out);

}  // namespace parser
