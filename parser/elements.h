#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "parser/document.h"

namespace parser {

/// The elements that anything here treats in a way of its own.
enum class Element : std::uint8_t {
  kUnknown,
  kA,
  kAddress,
  kAnnotation,
  kAnnotationXml,
  kApplet,
  kArea,
  kArticle,
  kAside,
  kAudio,
  kB,
  kBase,
  kBasefont,
  kBgsound,
  kBig,
  kBlockquote,
  kBody,
  kBr,
  kButton,
  kCanvas,
  kCaption,
  kCenter,
  kCode,
  kCol,
  kColgroup,
  kDatalist,
  kDd,
  kDefs,
  kDesc,
  kDetails,
  kDialog,
  kDir,
  kDiv,
  kDl,
  kDt,
  kEm,
  kEmbed,
  kFieldset,
  kFigcaption,
  kFigure,
  kFont,
  kFooter,
  kForeignObject,
  kForm,
  kFrame,
  kFrameset,
  kH1,
  kH2,
  kH3,
  kH4,
  kH5,
  kH6,
  kHead,
  kHeader,
  kHgroup,
  kHr,
  kHtml,
  kI,
  kIframe,
  kImage,
  kImg,
  kInput,
  kIsindex,
  kKeygen,
  kLegend,
  kLi,
  kLink,
  kListing,
  kMain,
  kMalignmark,
  kMarquee,
  kMath,
  kMenu,
  kMeta,
  kMetadata,
  kMglyph,
  kMi,
  kMn,
  kMo,
  kMs,
  kMtext,
  kNav,
  kNobr,
  kNoembed,
  kNoframes,
  kNoscript,
  kObject,
  kOl,
  kOptgroup,
  kOption,
  kP,
  kParam,
  kPlaintext,
  kPre,
  kRp,
  kRt,
  kRuby,
  kS,
  kScript,
  kSearch,
  kSection,
  kSelect,
  kSmall,
  kSource,
  kSpan,
  kStrike,
  kStrong,
  kStyle,
  kSub,
  kSummary,
  kSup,
  kSvg,
  kSymbol,
  kTable,
  kTbody,
  kTd,
  kTemplate,
  kText,
  kTextarea,
  kTfoot,
  kTh,
  kThead,
  kTitle,
  kTr,
  kTrack,
  kTt,
  kU,
  kUl,
  kVar,
  kVideo,
  kWbr,
  kXmp,
  kCount,
};

/// What an element does to the text in and around it.
enum class Display : std::uint8_t {
  kInline,    // nothing
  kBlock,     // its text is a block of its own
  kReplaced,  // stands between two words
  kMuted,     // its text is not shown, its links are links
  kSkipped,   // nothing in it counts
};

/// What is read after its start tag.
enum class Content : std::uint8_t {
  kNormal,
  kVoid,       // no content, no end tag
  kRawText,    // up to the end tag of its name
  kScript,     // the same, with the escapes of script data
  kPlaintext,  // to the end of the page
};

struct ElementTraits {
  std::string_view name;
  Element element = Element::kUnknown;
  Display display = Display::kInline;
  Content content = Content::kNormal;
  BlockTag tag = BlockTag::kOther;
  BlockRole role = BlockRole::kOther;
  /// A formatting element: its end tag does not close what was opened in it.
  bool formatting = false;
};

const ElementTraits& TraitsOf(Element element);

/// The traits of the element named `name`, ASCII case ignored; those of kUnknown for others.
/// Thread safety: yes. Cost: one hash and one comparison.
const ElementTraits& TraitsOf(std::string_view name);

/// The attributes that anything here reads.
enum class Attribute : std::uint8_t {
  kContent,
  kHidden,
  kHref,
  kHttpEquiv,
  kLang,
  kName,
  kOpen,
  kRel,
  kRole,
  kSrc,
  kStyle,
  kType,
  kXmlLang,
  kCount,
};

/// The attribute named `name`, ASCII case ignored, or nothing.
std::optional<Attribute> AttributeNamed(std::string_view name);

/// The attributes of one start tag that are read here. Views; the first of a name counts.
class AttributeSet {
 public:
  void Clear() { present_ = 0; }
  void Add(Attribute attribute, std::string_view value) {
    if (Has(attribute)) return;
    present_ |= Bit(attribute);
    values_[static_cast<std::size_t>(attribute)] = value;
  }
  bool Has(Attribute attribute) const { return (present_ & Bit(attribute)) != 0; }
  /// The value; "" when absent.
  std::string_view operator[](Attribute attribute) const {
    return Has(attribute) ? values_[static_cast<std::size_t>(attribute)] : std::string_view();
  }

 private:
  static std::uint32_t Bit(Attribute attribute) {
    return std::uint32_t{1} << static_cast<unsigned>(attribute);
  }
  std::uint32_t present_ = 0;
  std::array<std::string_view, static_cast<std::size_t>(Attribute::kCount)> values_;
};

/// Does the declaration list of a style attribute hide the element: display:none, or
/// visibility:hidden or collapse? The last declaration of a property counts.
bool StyleHides(std::string_view style);

/// The landmark of an ARIA role, kOther for other roles.
BlockRole LandmarkOf(std::string_view role);

}  // namespace parser
