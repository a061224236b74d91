#include "parser/document.h"

namespace parser {

std::string_view Name(LinkKind kind) {
  switch (kind) {
    case LinkKind::kAnchor:
      return "a";
    case LinkKind::kArea:
      return "area";
    case LinkKind::kFrame:
      return "frame";
    case LinkKind::kIframe:
      return "iframe";
    case LinkKind::kNext:
      return "next";
    case LinkKind::kPrev:
      return "prev";
    case LinkKind::kAlternate:
      return "alternate";
    case LinkKind::kMetaRefresh:
      break;
  }
  return "meta-refresh";
}

std::string_view Name(BlockRole role) {
  switch (role) {
    case BlockRole::kOther:
      break;
    case BlockRole::kMain:
      return "main";
    case BlockRole::kArticle:
      return "article";
    case BlockRole::kNav:
      return "nav";
    case BlockRole::kHeader:
      return "header";
    case BlockRole::kFooter:
      return "footer";
    case BlockRole::kAside:
      return "aside";
    case BlockRole::kDialog:
      return "dialog";
  }
  return "other";
}

std::string_view Name(BlockTag tag) {
  switch (tag) {
    case BlockTag::kOther:
      break;
    case BlockTag::kParagraph:
      return "paragraph";
    case BlockTag::kHeading:
      return "heading";
    case BlockTag::kListItem:
      return "list-item";
    case BlockTag::kTableCell:
      return "table-cell";
    case BlockTag::kPreformatted:
      return "preformatted";
    case BlockTag::kQuotation:
      return "quotation";
    case BlockTag::kControl:
      return "control";
  }
  return "other";
}

std::string_view Name(CharsetSource source) {
  switch (source) {
    case CharsetSource::kByteOrderMark:
      return "bom";
    case CharsetSource::kHttpHeader:
      return "http";
    case CharsetSource::kMeta:
      return "meta";
    case CharsetSource::kValidity:
      return "utf-8-validity";
    case CharsetSource::kDetected:
      return "detected";
    case CharsetSource::kDefault:
      break;
  }
  return "default";
}

std::string_view Name(FallbackReason reason) {
  switch (reason) {
    case FallbackReason::kNone:
      break;
    case FallbackReason::kMemory:
      return "memory";
    case FallbackReason::kTime:
      return "time";
    case FallbackReason::kDepth:
      return "depth";
    case FallbackReason::kSize:
      return "size";
    case FallbackReason::kFault:
      return "fault";
  }
  return "none";
}

}  // namespace parser
