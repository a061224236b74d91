#pragma once

#include <string_view>

#include "parser/document_builder.h"

namespace parser {

/// Reads a page without building a tree, for pages on which Gumbo was given up: one linear pass
/// over its tags hands text, title and links to `builder`. Nothing nests: landmarks and hidden
/// elements are not known, only elements whose text never shows are left out. Such an element
/// ends at its own end tag or at one of an element around it.
///
/// In SVG and MathML, which last from their start tag to their end tag, and in XHTML (`xml`)
/// "<script/>" is a whole element, and CDATA is text. Raw text of HTML (<style>, <title>) whose
/// end tag never comes is none: what follows is the page.
///
/// REQUIRES: well-formed UTF-8.
/// Thread safety: yes, with a builder of one's own. Cost: linear in time, constant in memory.
void PlainScan(std::string_view html, bool xml, DocumentBuilder* builder);

/// Hands text/plain to `builder`: blank lines separate blocks.
void PlainText(std::string_view text, DocumentBuilder* builder);

}  // namespace parser
