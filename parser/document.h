#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parser {

/// Where in a page a link stood.
enum class LinkKind : std::uint8_t {
  kAnchor,       // <a href>, also SVG's
  kArea,         // <area href>
  kFrame,        // <frame src>
  kIframe,       // <iframe src>
  kNext,         // <link rel=next>
  kPrev,         // <link rel=prev>
  kAlternate,    // <link rel=alternate> to a page: another language or medium
  kMetaRefresh,  // <meta http-equiv=refresh content="5; url=...">
};

/// "a", "area", "frame", "iframe", "next", "prev", "alternate", "meta-refresh".
std::string_view Name(LinkKind kind);

/// A reference as the page spells it: not resolved, not checked. White space around it and its
/// fragment are gone (neither is ever sent); never empty.
struct Link {
  /// As it stands, but for a query with characters beyond ASCII: that is in the page's encoding,
  /// percent-encoded.
  std::string href;
  LinkKind kind = LinkKind::kAnchor;
  /// Every occurrence of this href on the page carries rel=nofollow.
  bool nofollow = false;

  friend bool operator==(const Link&, const Link&) = default;
};

/// The landmark a piece of text stands in: the innermost of nav, header, footer, aside, main and
/// article around it, by element or by ARIA role (navigation, banner, contentinfo, complementary,
/// main, article); or a dialog (alertdialog), which is a window over the page. The <header> and
/// <footer> of a main, article or section are parts of it.
enum class BlockRole : std::uint8_t {
  kOther,
  kMain,
  kArticle,
  kNav,
  kHeader,
  kFooter,
  kAside,
  kDialog,
};

/// The innermost of these around a piece of text.
enum class BlockTag : std::uint8_t {
  kOther,
  kParagraph,
  kHeading,
  kListItem,   // li, dt, dd
  kTableCell,  // td, th, caption
  kPreformatted,
  kQuotation,
  kControl,  // button, legend
};

/// "other", "main", "article", "nav", "header", "footer", "aside", "dialog".
std::string_view Name(BlockRole role);
/// "other", "paragraph", "heading", "list-item", "table-cell", "preformatted", "quotation",
/// "control".
std::string_view Name(BlockTag tag);

/// A run of visible text between two block boundaries. Blocks are in document order, never empty,
/// and cover Document::text but for the one '\n' between neighbours.
struct TextBlock {
  /// Bytes from the start of Document::text.
  std::uint32_t offset = 0;
  /// Bytes.
  std::uint32_t length = 0;
  /// Bytes of it inside <a href>: link density is link_bytes / length, in any script.
  std::uint32_t link_bytes = 0;
  /// Runs without white space; those that begin inside <a href>.
  std::uint32_t words = 0;
  std::uint32_t link_words = 0;
  BlockRole role = BlockRole::kOther;
  BlockTag tag = BlockTag::kOther;
  /// A main or an article is around the text, and around its landmark too, and no dialog between.
  bool in_main = false;
  /// The page has a main, and the text stands outside of it and of any article.
  bool outside_main = false;
  /// Elements around the text, <html> counted as 1; 0 when the page was not parsed to a tree.
  std::uint16_t depth = 0;

  friend bool operator==(const TextBlock&, const TextBlock&) = default;
};

/// How the encoding of a page became known, in the order in which they are asked.
enum class CharsetSource : std::uint8_t {
  kByteOrderMark,
  kHttpHeader,
  kMeta,      // <meta charset>, <meta http-equiv=content-type> or an XML declaration
  kValidity,  // nothing declared, and the bytes are well-formed UTF-8
  kDetected,  // nothing declared: guessed from the bytes
  kDefault,   // nothing declared, nothing recognised: windows-1252
};

/// "bom", "http", "meta", "utf-8-validity", "detected", "default".
std::string_view Name(CharsetSource source);

/// How far the parse went.
enum class ParseOutcome : std::uint8_t {
  kFull,      // a tree was built and walked
  kFallback,  // given up; text, title and links come from a plain scan of the tags
};

/// Why a parse was given up.
enum class FallbackReason : std::uint8_t {
  kNone,
  kMemory,  // the tree outgrew ParseOptions::memory_bytes_max
  kTime,    // it took more than ParseOptions::cpu_time_max
  kDepth,   // elements nested deeper than ParseOptions::depth_max
  kSize,    // more bytes of markup, text left out, than ParseOptions::tree_input_bytes_max
  kFault,   // an assertion of Gumbo's own failed
};

/// "none", "memory", "time", "depth", "size", "fault".
std::string_view Name(FallbackReason reason);

/// What a page says: its text, its links, and its wishes about robots. A value.
///
/// Everything is well-formed UTF-8; in text and title, controls and non-characters are U+FFFD
/// (as Gumbo reads them). Nothing here has been resolved against the page's URL.
struct Document {
  /// Of the first HTML <title> (not an SVG one), white space collapsed.
  std::string title;
  /// BCP 47 tag as the root element gives it, e.g. "de-CH"; empty when absent.
  std::string lang;
  /// Of the first <base href>, trimmed; empty when absent.
  std::string base_href;
  /// Of the first <link rel=canonical href>, trimmed; empty when absent.
  std::string canonical_href;

  /// Distinct hrefs in document order, at most ParseOptions::links_max. The one kMetaRefresh may
  /// stand beside another link of the same href: what follows of itself may be chosen, too.
  std::vector<Link> links;
  /// Occurrences of hrefs that found no room in `links` or were longer than href_bytes_max.
  std::uint32_t links_dropped = 0;

  /// From <meta name=robots> and <meta name=PRODUCT-TOKEN>, the most restrictive of all.
  bool noindex = false;
  bool nofollow = false;

  /// The visible text: white space collapsed to one ' ' within a block, one '\n' between blocks.
  std::string text;
  std::vector<TextBlock> blocks;

  /// WHATWG name of the encoding the page was read in, e.g. "UTF-8", "windows-1252", "EUC-KR".
  std::string_view charset = "UTF-8";
  CharsetSource charset_source = CharsetSource::kDefault;

  ParseOutcome outcome = ParseOutcome::kFull;
  FallbackReason fallback_reason = FallbackReason::kNone;
  /// Bytes of memory the tree took (also when it was given up).
  std::uint64_t tree_bytes = 0;
};

}  // namespace parser
