#include "parser/elements.h"

#include <algorithm>
#include <cstddef>

#include "base/ascii.h"
#include "base/check.h"

namespace parser {
namespace {

using E = Element;
using D = Display;
using C = Content;

constexpr ElementTraits Inline(std::string_view name, E element) { return {name, element}; }

constexpr ElementTraits Formatting(std::string_view name, E element) {
  ElementTraits traits{name, element};
  traits.formatting = true;
  return traits;
}

constexpr ElementTraits Block(std::string_view name, E element, BlockTag tag = BlockTag::kOther) {
  return {name, element, D::kBlock, C::kNormal, tag};
}

constexpr ElementTraits Landmark(std::string_view name, E element, BlockRole role) {
  return {name, element, D::kBlock, C::kNormal, BlockTag::kOther, role};
}

constexpr ElementTraits Shown(std::string_view name, E element, D display,
                              C content = C::kNormal) {
  return {name, element, display, content};
}

constexpr std::array kTraits = {
    Inline("", E::kUnknown),
    Formatting("a", E::kA),
    Block("address", E::kAddress),
    Shown("annotation", E::kAnnotation, D::kSkipped),
    Shown("annotation-xml", E::kAnnotationXml, D::kSkipped),
    Shown("applet", E::kApplet, D::kMuted),
    Shown("area", E::kArea, D::kInline, C::kVoid),
    Landmark("article", E::kArticle, BlockRole::kArticle),
    Landmark("aside", E::kAside, BlockRole::kAside),
    Shown("audio", E::kAudio, D::kMuted),
    Formatting("b", E::kB),
    Shown("base", E::kBase, D::kInline, C::kVoid),
    Shown("basefont", E::kBasefont, D::kInline, C::kVoid),
    Shown("bgsound", E::kBgsound, D::kInline, C::kVoid),
    Formatting("big", E::kBig),
    Block("blockquote", E::kBlockquote, BlockTag::kQuotation),
    Block("body", E::kBody),
    Shown("br", E::kBr, D::kReplaced, C::kVoid),
    Block("button", E::kButton, BlockTag::kControl),
    Shown("canvas", E::kCanvas, D::kMuted),
    Block("caption", E::kCaption, BlockTag::kTableCell),
    Block("center", E::kCenter),
    Formatting("code", E::kCode),
    Shown("col", E::kCol, D::kInline, C::kVoid),
    Block("colgroup", E::kColgroup),
    Shown("datalist", E::kDatalist, D::kMuted),
    Block("dd", E::kDd, BlockTag::kListItem),
    Shown("defs", E::kDefs, D::kInline),
    Shown("desc", E::kDesc, D::kInline),
    Block("details", E::kDetails),
    Landmark("dialog", E::kDialog, BlockRole::kDialog),
    Block("dir", E::kDir),
    Block("div", E::kDiv),
    Block("dl", E::kDl),
    Block("dt", E::kDt, BlockTag::kListItem),
    Formatting("em", E::kEm),
    Shown("embed", E::kEmbed, D::kReplaced, C::kVoid),
    Block("fieldset", E::kFieldset),
    Block("figcaption", E::kFigcaption),
    Block("figure", E::kFigure),
    Formatting("font", E::kFont),
    Landmark("footer", E::kFooter, BlockRole::kFooter),
    Block("foreignobject", E::kForeignObject),
    Block("form", E::kForm),
    Shown("frame", E::kFrame, D::kInline, C::kVoid),
    Block("frameset", E::kFrameset),
    Block("h1", E::kH1, BlockTag::kHeading),
    Block("h2", E::kH2, BlockTag::kHeading),
    Block("h3", E::kH3, BlockTag::kHeading),
    Block("h4", E::kH4, BlockTag::kHeading),
    Block("h5", E::kH5, BlockTag::kHeading),
    Block("h6", E::kH6, BlockTag::kHeading),
    Block("head", E::kHead),
    Landmark("header", E::kHeader, BlockRole::kHeader),
    Block("hgroup", E::kHgroup),
    Shown("hr", E::kHr, D::kBlock, C::kVoid),
    Block("html", E::kHtml),
    Formatting("i", E::kI),
    Shown("iframe", E::kIframe, D::kSkipped, C::kRawText),
    Shown("image", E::kImage, D::kReplaced, C::kVoid),
    Shown("img", E::kImg, D::kReplaced, C::kVoid),
    Shown("input", E::kInput, D::kReplaced, C::kVoid),
    Shown("isindex", E::kIsindex, D::kReplaced, C::kVoid),
    Shown("keygen", E::kKeygen, D::kReplaced, C::kVoid),
    Block("legend", E::kLegend, BlockTag::kControl),
    Block("li", E::kLi, BlockTag::kListItem),
    Shown("link", E::kLink, D::kInline, C::kVoid),
    Block("listing", E::kListing, BlockTag::kPreformatted),
    Landmark("main", E::kMain, BlockRole::kMain),
    Inline("malignmark", E::kMalignmark),
    Block("marquee", E::kMarquee),
    Inline("math", E::kMath),
    Block("menu", E::kMenu),
    Shown("meta", E::kMeta, D::kInline, C::kVoid),
    Shown("metadata", E::kMetadata, D::kInline),
    Inline("mglyph", E::kMglyph),
    Inline("mi", E::kMi),
    Inline("mn", E::kMn),
    Inline("mo", E::kMo),
    Inline("ms", E::kMs),
    Inline("mtext", E::kMtext),
    Landmark("nav", E::kNav, BlockRole::kNav),
    Formatting("nobr", E::kNobr),
    Shown("noembed", E::kNoembed, D::kSkipped, C::kRawText),
    Shown("noframes", E::kNoframes, D::kSkipped, C::kRawText),
    Shown("noscript", E::kNoscript, D::kSkipped, C::kRawText),
    Inline("object", E::kObject),
    Block("ol", E::kOl),
    Block("optgroup", E::kOptgroup),
    Block("option", E::kOption),
    Block("p", E::kP, BlockTag::kParagraph),
    Shown("param", E::kParam, D::kInline, C::kVoid),
    Shown("plaintext", E::kPlaintext, D::kBlock, C::kPlaintext),
    Block("pre", E::kPre, BlockTag::kPreformatted),
    Shown("rp", E::kRp, D::kMuted),
    Inline("rt", E::kRt),
    Inline("ruby", E::kRuby),
    Formatting("s", E::kS),
    Shown("script", E::kScript, D::kSkipped, C::kScript),
    Block("search", E::kSearch),
    Block("section", E::kSection),
    Shown("select", E::kSelect, D::kMuted),
    Formatting("small", E::kSmall),
    Shown("source", E::kSource, D::kInline, C::kVoid),
    Inline("span", E::kSpan),
    Formatting("strike", E::kStrike),
    Formatting("strong", E::kStrong),
    Shown("style", E::kStyle, D::kSkipped, C::kRawText),
    Inline("sub", E::kSub),
    Block("summary", E::kSummary),
    Inline("sup", E::kSup),
    Inline("svg", E::kSvg),
    Shown("symbol", E::kSymbol, D::kInline),
    Block("table", E::kTable),
    Block("tbody", E::kTbody),
    Block("td", E::kTd, BlockTag::kTableCell),
    Shown("template", E::kTemplate, D::kSkipped),
    Inline("text", E::kText),
    Shown("textarea", E::kTextarea, D::kMuted, C::kRawText),
    Block("tfoot", E::kTfoot),
    Block("th", E::kTh, BlockTag::kTableCell),
    Block("thead", E::kThead),
    Shown("title", E::kTitle, D::kSkipped, C::kRawText),
    Block("tr", E::kTr),
    Shown("track", E::kTrack, D::kInline, C::kVoid),
    Formatting("tt", E::kTt),
    Formatting("u", E::kU),
    Block("ul", E::kUl),
    Inline("var", E::kVar),
    Shown("video", E::kVideo, D::kMuted),
    Shown("wbr", E::kWbr, D::kInline, C::kVoid),
    ElementTraits{"xmp", E::kXmp, D::kBlock, C::kRawText, BlockTag::kPreformatted},
};

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    if (kTraits[i].element != static_cast<Element>(i)) return false;
  }
  return kTraits.size() == static_cast<std::size_t>(Element::kCount);
}
static_assert(InOrder(), "kTraits is indexed by Element");

constexpr std::size_t kSlots = 512;

constexpr std::size_t SlotOf(std::string_view name) {
  // Setting the 0x20 bit folds the case of letters; what it does to others does not matter here.
  std::uint32_t hash = static_cast<std::uint32_t>(name.size());
  for (const char c : name) {
    hash = (hash ^ (static_cast<unsigned char>(c) | 0x20u)) * 0x01000193u;
  }
  return (hash ^ hash >> 15) % kSlots;
}

/// Open addressing; 0 is a free slot (kUnknown is never looked for).
constexpr std::array<std::uint8_t, kSlots> kSlotTable = [] {
  std::array<std::uint8_t, kSlots> slots{};
  for (std::size_t i = 1; i < kTraits.size(); ++i) {
    std::size_t slot = SlotOf(kTraits[i].name);
    while (slots[slot] != 0) slot = (slot + 1) % kSlots;
    slots[slot] = static_cast<std::uint8_t>(i);
  }
  return slots;
}();

constexpr std::size_t kNameBytesMax = 14;  // annotation-xml

}  // namespace

const ElementTraits& TraitsOf(Element element) {
  CHECK(element < Element::kCount);
  return kTraits[static_cast<std::size_t>(element)];
}

const ElementTraits& TraitsOf(std::string_view name) {
  if (name.size() > kNameBytesMax) return kTraits[0];
  for (std::size_t slot = SlotOf(name); kSlotTable[slot] != 0; slot = (slot + 1) % kSlots) {
    const ElementTraits& traits = kTraits[kSlotTable[slot]];
    if (base::EqualsIgnoreCase(traits.name, name)) return traits;
  }
  return kTraits[0];
}

std::optional<Attribute> AttributeNamed(std::string_view name) {
  struct Known {
    std::string_view name;
    Attribute attribute;
  };
  constexpr std::array kKnown = {
      Known{"href", Attribute::kHref},        Known{"rel", Attribute::kRel},
      Known{"style", Attribute::kStyle},      Known{"content", Attribute::kContent},
      Known{"hidden", Attribute::kHidden},    Known{"http-equiv", Attribute::kHttpEquiv},
      Known{"lang", Attribute::kLang},        Known{"name", Attribute::kName},
      Known{"open", Attribute::kOpen},        Known{"role", Attribute::kRole},
      Known{"src", Attribute::kSrc},          Known{"type", Attribute::kType},
      Known{"xml:lang", Attribute::kXmlLang},
  };
  for (const Known& known : kKnown) {
    if (known.name.size() == name.size() && known.name[0] == base::ToLower(name[0]) &&
        base::EqualsIgnoreCase(known.name, name)) {
      return known.attribute;
    }
  }
  return std::nullopt;
}

bool StyleHides(std::string_view style) {
  bool no_display = false;
  bool invisible = false;
  while (!style.empty()) {
    const std::string_view declaration = style.substr(0, style.find(';'));
    style.remove_prefix(std::min(style.size(), declaration.size() + 1));
    const std::size_t colon = declaration.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view property = base::Trim(declaration.substr(0, colon));
    std::string_view value = declaration.substr(colon + 1);
    value = base::Trim(value.substr(0, value.find('!')));  // !important
    if (base::EqualsIgnoreCase(property, "display")) {
      no_display = base::EqualsIgnoreCase(value, "none");
    } else if (base::EqualsIgnoreCase(property, "visibility")) {
      invisible =
          base::EqualsIgnoreCase(value, "hidden") || base::EqualsIgnoreCase(value, "collapse");
    }
  }
  return no_display || invisible;
}

BlockRole LandmarkOf(std::string_view role) {
  struct Known {
    std::string_view name;
    BlockRole role;
  };
  constexpr std::array kKnown = {
      Known{"main", BlockRole::kMain},           Known{"navigation", BlockRole::kNav},
      Known{"banner", BlockRole::kHeader},       Known{"contentinfo", BlockRole::kFooter},
      Known{"complementary", BlockRole::kAside}, Known{"article", BlockRole::kArticle},
      Known{"dialog", BlockRole::kDialog},       Known{"alertdialog", BlockRole::kDialog},
  };
  const std::string_view first = base::NextWord(&role);
  for (const Known& known : kKnown) {
    if (base::EqualsIgnoreCase(known.name, first)) return known.role;
  }
  return BlockRole::kOther;
}

}  // namespace parser
