#pragma once

#include <cstdint>

namespace contentseen {

/// A piece of a page's text that belongs together (a paragraph, a link list), and how likely it is
/// no content of the page's own. It goes on to the next one, or to the end of the text.
struct Passage {
  /// Bytes from the start of the text.
  std::uint32_t begin = 0;
  /// The piece is navigation, header, footer, a notice ...: 0 surely not, 255 surely. In between
  /// it is a guess: a list of links may be the site's, or all that there is on the page. 254 is
  /// for what says that it is navigation where the page's own is expected.
  std::uint8_t boilerplate = 0;

  friend bool operator==(const Passage&, const Passage&) = default;
};

}  // namespace contentseen
