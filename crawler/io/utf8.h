#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crawler {

/// One code point, or one byte that is not UTF-8.
struct CodePoint {
  char32_t value = 0;
  /// Bytes read, at least 1.
  std::size_t bytes = 1;
  bool valid = false;
};

/// Reads the code point at the beginning of `text`: shortest forms up to U+10FFFF only, no
/// surrogates (Unicode 15, table 3-7). One byte at a time is invalid.
///
/// REQUIRES: text is not empty. Thread safety: pure.
CodePoint FirstCodePoint(std::string_view text);

/// `text` without the byte order mark that some programs write before it.
///
/// Thread safety: pure.
std::string_view WithoutByteOrderMark(std::string_view text);

/// The beginning of `text` within `bytes_max`, not ending inside a UTF-8 sequence.
///
/// Thread safety: pure.
std::string_view Beginning(std::string_view text, std::uint64_t bytes_max);

/// C0 and C1 controls, DEL, bidirectional controls and separators of lines and paragraphs: what
/// can forge a line or mislead the eye on a terminal.
bool IsUnsafeToPrint(char32_t c);

}  // namespace crawler
