#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parser {

/// Appends `text` with character references decoded: numeric ones as the HTML Standard does
/// (section 13.2.5.80), named ones those of HTML 4 for Latin-1 and for punctuation, which is what
/// the plain scan of a hostile page needs; Gumbo knows all 2,231. Unknown ones stay as written.
///
/// Thread safety: yes. Cost: linear.
void AppendDecoded(std::string_view text, std::string* out);

/// Reads "#123;" or "#x7B;" at the start of `text`, behind the '&'; beyond U+10FFFF `number` is
/// some number beyond. Returns the bytes read, 0 for no reference.
///
/// Thread safety: yes. Cost: linear in the digits.
std::size_t ReadNumber(std::string_view text, char32_t* number);

/// How much of `text`, which begins with '&', belongs to a character reference at most: what
/// follows has no influence on what it means. At least 1.
///
/// Thread safety: yes. Cost: linear in that.
std::size_t ReferenceLength(std::string_view text);

/// Is `reference`, the whole of one, white space of ASCII?
///
/// Thread safety: yes. Cost: linear.
bool IsSpaceReference(std::string_view reference);

/// `html` with each numeric reference beyond U+10FFFF written as "&#xFFFD;", which is what it
/// means (HTML Standard, section 13.2.5.80) and what Gumbo, whose sum of digits overflows, makes
/// garbage of. `buffer` holds the copy where there is such a reference.
///
/// Thread safety: yes. Cost: a search for "&#".
std::string_view WithoutWildReferences(std::string_view html, std::string* buffer);

}  // namespace parser
