#pragma once

#include <cstdint>

#include "parser/document.h"

namespace parser {

inline constexpr std::uint8_t kSurelyBoilerplate = 255;
inline constexpr std::uint8_t kLikelyBoilerplate = 254;

/// How likely a block is no content of its page's own, by structure and text density alone: 0
/// surely content, 255 surely not. From 128 on it is more likely not.
///
///     for (const TextBlock& block : page.blocks)
///       if (BoilerplateOf(block) < 128) main_text += TextOf(page, block);
///
/// Landmarks say it outright, by 255 (navigation, the site's header and footer, aside, dialogs,
/// controls). Navigation, aside and dialogs within main or an article are 254 only: the menu of
/// many a site stands there, and so does the list that a page of an A-Z index is there for, or
/// what a page of a gallery opens. Where there is a
/// main, other text outside of it and of any article is 128 or more: "content that is repeated
/// across a set of documents" (the HTML standard on main), as the wall that asks for consent.
/// Elsewhere the link density tells, by 253 at most, since a list of links may be all that there
/// is on a page: Kohlschuetter, Fankhauser and Nejdl (WSDM 2010) found that it tells most of all
/// features, and 1/3 its threshold; it is the same in every language, which a count of words is
/// not. A heading is not judged by it: many a page makes each a link to itself.
///
/// Thread safety: yes.
std::uint8_t BoilerplateOf(const TextBlock& block);

}  // namespace parser
