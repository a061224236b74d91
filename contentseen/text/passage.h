#pragma once

#include <cstdint>

namespace contentseen {

/// A piece of a page's text that belongs together (a paragraph, a link list), and how likely it is
/// no content of the page's own.
struct Passage {
  /// Bytes from the start of the text, and how many.
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
  /// The piece is navigation, header, footer, a notice ...: 0 surely not, 255 surely.
  std::uint8_t boilerplate = 0;

  friend bool operator==(const Passage&, const Passage&) = default;
};

}  // namespace contentseen
