#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/document.h"
#include "parser/elements.h"
#include "parser/html_parser.h"

namespace parser {

/// Puts a Document together from elements and text in document order, whoever reads them: the
/// walk over Gumbo's tree or the plain scan.
///
///     builder.Enter(traits, attributes);
///     builder.Text("Hello ");
///     builder.Leave();
///     Document page = builder.Finish();
///
/// Thread safety: none.
/// Ownership: `options` is kept by reference; views are read before a method returns.
/// Cost: linear; memory as the Document plus one frame for each open element.
class DocumentBuilder {
 public:
  explicit DocumentBuilder(const ParseOptions& options);

  /// An element opens; everything up to Leave() is in it. Its links and declarations are taken,
  /// but not those of one that was given before and is opened `again`.
  void Enter(const ElementTraits& traits, const AttributeSet& attributes, bool again = false);
  void Leave();
  /// Nothing in the innermost element counts: whoever reads may leave it out.
  bool Skipping() const { return frames_.back().skipped; }

  /// Text of the page, character references decoded. White space is collapsed here.
  void Text(std::string_view text);
  /// The text of an HTML <title>; the first one counts.
  void Title(std::string_view text);

  Document Finish();

 private:
  struct Frame {
    Display display = Display::kInline;
    BlockTag tag = BlockTag::kOther;
    BlockRole role = BlockRole::kOther;
    bool muted = false;    // by itself or by an element around it
    bool skipped = false;  // the same
    bool in_link = false;
    bool of_main = false;  // in main
    bool in_main = false;  // in main or an article
    bool in_part = false;  // in a part of the page that may have a header and footer of its own
  };
  enum class Gap : std::uint8_t { kNone, kSpace, kBlock };

  void TakeDeclarations(Element element, const AttributeSet& attributes);
  void TakeLinkElement(const AttributeSet& attributes);
  void TakeMeta(const AttributeSet& attributes);
  std::uint32_t& LinkSlot(std::string_view href);
  void GrowLinkSlots();
  void AddLink(std::string_view href, LinkKind kind, bool nofollow);
  void Separate(Gap gap) { gap_ = gap_ < gap ? gap : gap_; }
  /// `words` with single spaces between, of which there are so many.
  void AppendWords(std::string_view words, std::uint32_t spaces);
  void OpenBlock();
  void CloseBlock();

  const ParseOptions& options_;
  Document document_;
  std::vector<Frame> frames_;
  /// Open addressing over document_.links but a refresh: index + 1, 0 is free; a power of two in
  /// size. By a keyed hash, so that no page can make its hrefs collide.
  std::vector<std::uint32_t> link_slots_;
  Gap gap_ = Gap::kBlock;
  bool last_in_link_ = false;
  bool seen_title_ = false;
  bool seen_main_ = false;
  bool seen_base_ = false;
  bool seen_html_ = false;
  bool seen_canonical_ = false;
  bool seen_refresh_ = false;
};

}  // namespace parser
