#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace contentseen {

/// Of a longer text only this many bytes are judged. Chosen so that offsets into the normalised
/// text (at most 11 times as long) fit 32 bits.
inline constexpr std::size_t kTextBytesMax = std::size_t{256} << 20;

/// The form in which texts are compared: NFKC_Casefold (Unicode Standard Annex 44: compatibility
/// characters replaced, case folded, default ignorables such as soft hyphens removed, composed),
/// then every run of white space and control characters one space, none at either end.
///
///     NormalizeText("  The\u00a0CAT\n sat ");   // "the cat sat"
///
/// Promises: never throws on any bytes (ill-formed UTF-8 becomes one U+FFFD per maximal subpart,
/// Unicode Standard 3.9); normalising twice equals normalising once. Of more than kCombiningRunMax
/// code points that combine with one another the surplus is dropped, so that hostile input stays
/// linear.
///
/// Thread safety: yes. Cost: ASCII about 1 ns a byte or less, other scripts a table look-up a
/// code point; what the table does not know alone (combining sequences, ligatures) goes to ICU.
std::string NormalizeText(std::string_view text);

/// The same into `out`, which is overwritten and whose memory is reused. REQUIRES: `text` does not
/// lie in it.
void NormalizeText(std::string_view text, std::string* out);

inline constexpr std::size_t kCombiningRunMax = 128;

}  // namespace contentseen
