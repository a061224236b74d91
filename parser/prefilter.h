#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "parser/depth_guard.h"
#include "parser/elements.h"
#include "parser/text_references.h"

namespace parser {

/// What the prefilter may leave out.
struct PrefilterOptions {
  std::uint32_t depth_max = 512;
  std::uint32_t attributes_max = 256;
  /// Off: only what is always left out is (below); depth is guarded all the same.
  bool enabled = true;
};

/// Gives Gumbo fewer and harmless bytes: Gumbo's time goes by the byte (some 30 MB/s), and most
/// bytes of a page can reach neither its text nor its links.
///
/// Left out: comments; bodies of <script>, <style>, <iframe>, <noembed>, <noframes>, <textarea>;
/// attributes that nobody reads, repeated ones, and those beyond attributes_max; attributes of
/// end tags; white space beyond the first of a run. Stretches of text and long attribute values
/// are replaced by marks (text_references.h). What stays, stays byte for byte, so the tree has
/// the same elements and, marks put back, the same text. Otherwise it may be
///   * where tags are so misnested around SVG or MathML that these end elsewhere than the depth
///     guard has it;
///   * behind a tag that <frameset> or <select> ignores and that begins raw text elsewhere;
///   * where more than three formatting elements stand in one another that only attributes tell
///     apart: of such as are alike Gumbo opens three again ("Noah's Ark", section 13.2.4.3).
///
/// Always left out, or written otherwise, is what Gumbo is not to see:
///   * bodies of <noscript>: a browser that runs scripts sees one string there, while Gumbo, for
///     which scripts are off, lets an <img> in <head><noscript> end the head;
///   * <isindex>, of which it makes a form; "</>";
///   * in SVG and MathML, CDATA sections (as common text), and the names of table parts and
///     <select> (others), at which it may stop the program; "<g/>" (as "<g></g>");
///   * raw text that it might take for markup where it ignored the start tag: '<' in <title> and
///     <textarea> is a reference, <xmp> and <plaintext> are <pre>.
/// Text that stays gets a comment every few kilobytes, and "</form>" one before it.
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
  /// when elements nest deeper than depth_max, or telling it is too dear: the output is of no use
  /// then.
  bool Run(std::string_view html, bool xml);
  const TextReferences& references() const { return references_; }
  std::string_view output() const { return {buffer_.get(), size_}; }

 private:
  char* Room(std::size_t bytes);
  void Put(std::string_view bytes);
  void PutMarkup(std::string_view bytes);
  void PutText(std::string_view text);
  bool PutMark(std::string_view text, std::string_view core);
  void PutWords(std::string_view text);
  void PutAttribute(const class TagReader& tag);
  void PutCharacters(std::string_view text);
  void PutSolid(std::string_view text);
  void BreakText(bool solid);
  void TakeText(std::size_t end);
  void TakeMarkupDeclaration(bool xml);
  void TakeCdata();
  bool TakeStartTag(bool xml);
  std::optional<std::string_view> ReadEndTag();
  void TakeEndTag();
  void PutEndTag(std::string_view name, const ElementTraits& traits);
  void TakeBody(const ElementTraits& traits);
  void TakeVerbatim(const ElementTraits& traits);
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
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  /// Where the last tag or comment ends in the output; what is behind it is text.
  std::size_t markup_end_ = 0;
  /// Where the last text ends that is not white space.
  std::size_t solid_end_ = 0;
};

}  // namespace parser
