#pragma once

#include <cstddef>
#include <string_view>

#include "parser/elements.h"

namespace parser {

/// Reads one tag the way the HTML tokeniser does (HTML Standard, sections 13.2.5.6 to 13.2.5.40),
/// without decoding anything.
///
///     TagReader tag(html, at);                // html[at] == '<', then a letter or "/" and one
///     while (tag.NextAttribute()) Use(tag.attribute_name(), tag.raw_value());
///     at = tag.end();                         // past '>', or html.size() when it never came
///
/// Thread safety: none. Ownership: views into `html`.
class TagReader {
 public:
  TagReader(std::string_view html, std::size_t at);

  std::string_view name() const { return name_; }
  /// Moves to the next attribute; false at the end of the tag.
  bool NextAttribute();
  std::string_view attribute_name() const { return attribute_name_; }
  /// Without quotes, character references as they stand.
  std::string_view raw_value() const { return raw_value_; }
  /// Name, '=' and value as they stand, quotes and all.
  std::string_view attribute_text() const { return attribute_text_; }

  /// The following are known after NextAttribute() has returned false.
  std::size_t end() const { return at_; }
  /// The tag ends in '>'; an incomplete one is no tag.
  bool complete() const { return complete_; }
  bool self_closing() const { return self_closing_; }

 private:
  void ReadValue();

  std::string_view html_;
  std::size_t at_;
  std::string_view name_;
  std::string_view attribute_name_;
  std::string_view raw_value_;
  std::string_view attribute_text_;
  bool complete_ = false;
  bool self_closing_ = false;
};

/// What is between them is text where CDATA sections are known: in SVG, MathML and XML.
inline constexpr std::string_view kCdataBegin = "<![CDATA[";
inline constexpr std::string_view kCdataEnd = "]]>";

/// Where the comment that begins at html[at] (with "<!--") ends: past it, or html.size().
std::size_t EndOfComment(std::string_view html, std::size_t at);

/// Where the raw text that begins at html[at] ends: at the "</name" that closes it, or
/// html.size(). REQUIRES: traits.content is not kNormal or kVoid.
std::size_t EndOfRawText(std::string_view html, std::size_t at, const ElementTraits& traits);

}  // namespace parser
