#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "parser/depth_guard.h"
#include "parser/elements.h"
#include "parser/text_references.h"

namespace parser {

/// What the prefilter may leave out.
struct PrefilterOptions {
  std::uint32_t depth_max = 512;
  std::uint32_t attributes_max = 256;
  /// Off: only what must not reach Gumbo is taken out (bodies of <noscript>, <isindex>, "</>");
  /// depth is guarded all the same.
  bool enabled = true;
};

/// Gives Gumbo fewer and harmless bytes: Gumbo's time goes by the byte (some 30 MB/s), and most
/// bytes of a page can reach neither its text nor its links.
///
/// Left out: comments; bodies of <script>, <style>, <iframe>, <noembed>, <noframes>, <textarea>;
/// attributes that nobody reads, repeated ones, and those beyond attributes_max; attributes of
/// end tags; white space beyond the first of a run. Stretches of text and long attribute values
/// are replaced by marks (text_references.h). What stays, stays byte for byte, so the tree has
/// the same elements and, marks put back, the same text (unless tags are so misnested around SVG
/// or MathML that these end elsewhere than the depth guard has it, or the tag before a body that is
/// left out is one that <frameset> or <select> ignores).
///
/// Always left out are bodies of <noscript>: a browser that runs scripts sees one string there,
/// while Gumbo, for which scripts are off, lets an <img> in <head><noscript> end the head.
///
/// Always written as common text are CDATA sections: Gumbo stops the program at one that a table
/// has in <math><mtext> ("handle_in_table: Assertion failed").
///
///     Prefilter prefilter({});
///     if (prefilter.Run(html, false)) tree.Build(prefilter.output(), 200ms);
///     tree.Walk(prefilter.references(), &builder);
///
/// Thread safety: none.
/// Ownership: the output lives until the next Run(); a NUL follows it. References point into the
/// input.
/// Cost: linear, several hundred MB/s; memory as the longest output so far.
class Prefilter {
 public:
  explicit Prefilter(const PrefilterOptions& options);

  /// Filters `html`. In XHTML (`xml`) "<script/>" is a whole element, and CDATA is text. False
  /// when elements nest deeper than depth_max: the output is of no use then.
  bool Run(std::string_view html, bool xml);
  const TextReferences& references() const { return references_; }
  std::string_view output() const { return {buffer_.get(), size_}; }

 private:
  char* Room(std::size_t bytes);
  void Put(std::string_view bytes);
  void PutMarkup(std::string_view bytes);
  void PutText(std::string_view text);
  void PutTextOrMark(std::string_view text);
  void PutWords(std::string_view text);
  void PutAttribute(const class TagReader& tag);
  void TakeText(std::size_t end);
  void TakeMarkupDeclaration(bool xml);
  void TakeCdata();
  bool TakeStartTag(bool xml);
  void TakeEndTag();
  void PutEndTag(std::string_view name, const ElementTraits& traits);
  void TakeBody(const ElementTraits& traits);
  void PutBody(std::string_view body, Element element);
  bool PutAttributes(class TagReader* tag, const ElementTraits& traits);
  bool IsRead(const ElementTraits& traits, std::string_view name, std::string_view value,
              std::uint32_t* seen) const;
  void PutGap();
  void LeaveOut(std::size_t end);
  void SkipLineEnd();

  const PrefilterOptions options_;
  DepthGuard depth_;
  std::string_view html_;
  std::size_t at_ = 0;
  TextReferences references_;
  /// Text may be replaced by marks: none of them means something else here.
  bool marking_ = false;
  /// The page has had an element of SVG or MathML.
  bool had_foreign_ = false;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  /// Where the last tag or comment ends in the output; what is behind it is text.
  std::size_t markup_end_ = 0;
};

}  // namespace parser
