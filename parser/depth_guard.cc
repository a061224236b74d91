#include "parser/depth_guard.h"

#include "base/ascii.h"

namespace parser {
namespace {

/// HTML elements that the search for an open `wanted` does not leave ("has an element in scope";
/// for a <p>, "in button scope").
bool EndsHtmlScope(Element element, Element wanted) {
  switch (element) {
    case Element::kApplet:
    case Element::kCaption:
    case Element::kHtml:
    case Element::kMarquee:
    case Element::kObject:
    case Element::kTable:
    case Element::kTd:
    case Element::kTemplate:
    case Element::kTh:
      return true;
    case Element::kButton:
      return wanted == Element::kP;
    default:
      return false;
  }
}

/// Block elements whose start tag closes an open <p>.
bool ClosesParagraph(Element element) {
  switch (element) {
    case Element::kAddress:
    case Element::kArticle:
    case Element::kAside:
    case Element::kBlockquote:
    case Element::kCenter:
    case Element::kDd:
    case Element::kDetails:
    case Element::kDir:
    case Element::kDiv:
    case Element::kDl:
    case Element::kDt:
    case Element::kFieldset:
    case Element::kFigcaption:
    case Element::kFigure:
    case Element::kFooter:
    case Element::kForm:
    case Element::kH1:
    case Element::kH2:
    case Element::kH3:
    case Element::kH4:
    case Element::kH5:
    case Element::kH6:
    case Element::kHeader:
    case Element::kHgroup:
    case Element::kHr:
    case Element::kLi:
    case Element::kListing:
    case Element::kMain:
    case Element::kMenu:
    case Element::kNav:
    case Element::kOl:
    case Element::kP:
    case Element::kPlaintext:
    case Element::kPre:
    case Element::kSection:
    case Element::kSummary:
    case Element::kTable:
    case Element::kUl:
    case Element::kXmp:
      return true;
    default:
      return false;
  }
}

/// Names that Gumbo does not know are all one to it.
Element AsGumboKnows(Element element) {
  return element == Element::kDialog || element == Element::kSearch ? Element::kUnknown : element;
}

/// Elements whose end tag closes nothing from within those that are not of them ("any other end
/// tag" and the "special" elements).
bool IsOrdinary(const ElementTraits& traits) {
  switch (traits.element) {
    case Element::kLegend:
    case Element::kMain:  // to Gumbo
    case Element::kOptgroup:
    case Element::kOption:
      return true;
    case Element::kApplet:
    case Element::kButton:
    case Element::kObject:
    case Element::kSelect:
    case Element::kTemplate:
      return false;
    default:
      return traits.display != Display::kBlock && traits.content == Content::kNormal;
  }
}

/// HTML elements whose start tag ends SVG and MathML (section 13.2.6.5).
bool EndsForeign(Element element, bool means_html) {
  switch (element) {
    case Element::kB:
    case Element::kBig:
    case Element::kBlockquote:
    case Element::kBody:
    case Element::kBr:
    case Element::kCenter:
    case Element::kCode:
    case Element::kDd:
    case Element::kDiv:
    case Element::kDl:
    case Element::kDt:
    case Element::kEm:
    case Element::kEmbed:
    case Element::kH1:
    case Element::kH2:
    case Element::kH3:
    case Element::kH4:
    case Element::kH5:
    case Element::kH6:
    case Element::kHead:
    case Element::kHr:
    case Element::kI:
    case Element::kImg:
    case Element::kLi:
    case Element::kListing:
    case Element::kMenu:
    case Element::kMeta:
    case Element::kNobr:
    case Element::kOl:
    case Element::kP:
    case Element::kPre:
    case Element::kRuby:
    case Element::kS:
    case Element::kSmall:
    case Element::kSpan:
    case Element::kStrike:
    case Element::kStrong:
    case Element::kSub:
    case Element::kSup:
    case Element::kTable:
    case Element::kTt:
    case Element::kU:
    case Element::kUl:
    case Element::kVar:
      return true;
    case Element::kFont:
      return means_html;
    default:
      return false;
  }
}

/// Parts of a table, the outer the higher; 0 for others.
int TableRank(Element element) {
  switch (element) {
    case Element::kTd:
    case Element::kTh:
      return 1;
    case Element::kTr:
      return 2;
    case Element::kTbody:
    case Element::kThead:
    case Element::kTfoot:
    case Element::kCaption:
    case Element::kColgroup:
      return 3;
    default:
      return 0;
  }
}

bool IsHeading(Element element) { return element >= Element::kH1 && element <= Element::kH6; }

}  // namespace

void DepthGuard::Reset() {
  steps_ = 0;
  open_.clear();
  count_.fill(0);
}

bool DepthGuard::EndsScope(const OpenElement& open, Element wanted) {
  return open.space == Space::kHtml ? EndsHtmlScope(open.element, wanted) : open.takes_html;
}

/// Is it what the standard calls special?
bool DepthGuard::IsSpecial(const OpenElement& open) {
  return open.space == Space::kHtml ? !IsOrdinary(TraitsOf(open.element)) : open.takes_html;
}

bool DepthGuard::IsFormatting(const OpenElement& open) {
  return open.space == Space::kHtml && TraitsOf(open.element).formatting;
}

/// The search for the item before in a list ends at all special elements but three.
bool DepthGuard::EndsItemSearch(const OpenElement& open) {
  const bool three = open.element == Element::kAddress || open.element == Element::kDiv ||
                     open.element == Element::kP;
  return IsSpecial(open) && !(three && open.space == Space::kHtml);
}

bool DepthGuard::TakesHtml(Element element, Space space, bool means_html) {
  switch (element) {
    case Element::kForeignObject:
    case Element::kDesc:
    case Element::kTitle:
      return space != Space::kMath;
    case Element::kMi:
    case Element::kMn:
    case Element::kMo:
    case Element::kMs:
    case Element::kMtext:
      return space != Space::kSvg;
    case Element::kAnnotationXml:
      return space == Space::kHtml || (space == Space::kMath && means_html);
    default:
      return space == Space::kHtml;
  }
}

DepthGuard::Space DepthGuard::SpaceOf(Element element, bool means_html) const {
  if (TakesForeign() && !EndsForeign(element, means_html)) {
    const bool svg_in_math =
        element == Element::kSvg && open_.back().element == Element::kAnnotationXml;
    return svg_in_math ? Space::kSvg : open_.back().space;
  }
  const bool glyph = element == Element::kMglyph || element == Element::kMalignmark;
  if (glyph && InForeign() && open_.back().space == Space::kMath) {
    return open_.back().element == Element::kAnnotationXml ? Space::kHtml : Space::kMath;
  }
  if (element == Element::kSvg) return Space::kSvg;
  return element == Element::kMath ? Space::kMath : Space::kHtml;
}

void DepthGuard::Push(const OpenElement& open) {
  open_.push_back(open);
  ++count_[static_cast<std::size_t>(open.element)];
}

void DepthGuard::Pop() {
  --count_[static_cast<std::size_t>(open_.back().element)];
  open_.pop_back();
}

void DepthGuard::PopTo(std::size_t depth) {
  while (open_.size() > depth) Pop();
}

/// Closes one, without those in it.
void DepthGuard::Remove(std::size_t i) {
  --count_[static_cast<std::size_t>(open_[i].element)];
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
}

/// Closes the innermost `element` and all in it.
void DepthGuard::PopThrough(Element element, bool only_in_scope) {
  if (!IsOpen(element)) return;
  for (std::size_t i = open_.size(); i-- > 0;) {
    if (At(i).element == element) return PopTo(i);
    if (open_[i].element == Element::kTemplate) return;
    if (only_in_scope && EndsScope(At(i), element)) return;
  }
}

/// Before a part of a table is opened: within the innermost table closes all parts of its rank and
/// below, and what stands beside them, where nothing may ("clear the stack back to a table
/// context", section 13.2.6.4.9). Formatting elements stay, for what follows stands in them again.
void DepthGuard::CloseTableParts(Element element) {
  const auto begins = [element](const OpenElement& open) {
    return open.element == Element::kTable || open.element == Element::kTemplate ||
           TableRank(open.element) > TableRank(element);
  };
  std::size_t context = open_.size();
  while (context > 0 && !begins(At(context - 1))) {
    --context;
    if (TableRank(open_[context].element) != 0) PopTo(context);
  }
  for (std::size_t i = open_.size(); i-- > context;) {
    if (!IsFormatting(At(i))) Remove(i);
  }
}

/// Closes the item before in the same list.
void DepthGuard::CloseItem(Element item, Element other) {
  if (!IsOpen(item) && !IsOpen(other)) return;
  for (std::size_t i = open_.size(); i-- > 0;) {
    if (open_[i].element == item || open_[i].element == other) return PopTo(i);
    if (EndsItemSearch(At(i))) return;
  }
}

/// Closes what the start tag of `element` closes.
void DepthGuard::CloseUnasked(Element element) {
  if (ClosesParagraph(element)) PopThrough(Element::kP, /*only_in_scope=*/true);
  if (TableRank(element) != 0) CloseTableParts(element);
  const auto close_last = [this](auto closes) {
    if (!open_.empty() && closes(open_.back().element)) Pop();
  };
  const auto is = [](Element wanted) { return [wanted](Element last) { return last == wanted; }; };
  if (IsHeading(element)) close_last(IsHeading);
  switch (element) {
    case Element::kLi:
      CloseItem(Element::kLi, Element::kLi);
      break;
    case Element::kDd:
    case Element::kDt:
      CloseItem(Element::kDd, Element::kDt);
      break;
    case Element::kOption:
      close_last(is(Element::kOption));
      break;
    case Element::kOptgroup:
      close_last(is(Element::kOption));
      if (IsOpen(Element::kSelect)) close_last(is(Element::kOptgroup));
      break;
    case Element::kA:
    case Element::kNobr:
      CloseFormatting(element);
      break;
    case Element::kButton:
    case Element::kSelect:
      PopThrough(element, /*only_in_scope=*/true);
      break;
    default:
      break;
  }
}

bool DepthGuard::Open(const ElementTraits& traits, bool means_html) {
  const Element element = AsGumboKnows(traits.element);
  const Space space = SpaceOf(element, means_html);
  if (space == Space::kHtml) {
    while (TakesForeign()) Pop();
    if (traits.content == Content::kVoid) {
      CloseUnasked(element);
      if (element == Element::kCol && IsOpen(Element::kTable)) {
        CloseTableParts(Element::kColgroup);
      }
      return true;
    }
    if (element == Element::kHtml || element == Element::kHead || element == Element::kBody) {
      return true;  // there is one of each, whatever the page says
    }
    const bool in_form = IsOpen(Element::kForm) && !IsOpen(Element::kTemplate);
    if (element == Element::kForm && in_form) return true;  // ignored
    const bool in_table = IsOpen(Element::kTable) || IsOpen(Element::kTemplate);
    if (TableRank(element) != 0 && !in_table) return true;  // ignored as well
    CloseUnasked(element);
  }
  if (open_.size() >= depth_max_) return false;
  Push({element, space, TakesHtml(element, space, means_html)});
  return true;
}

bool DepthGuard::ClosesForeign(Element element) const {
  for (std::size_t i = open_.size(); i-- > 0 && open_[i].space != Space::kHtml;) {
    if (open_[i].element == element) return true;
  }
  return false;
}

void DepthGuard::Close(const ElementTraits& traits) {
  const Element element = AsGumboKnows(traits.element);
  if (IsHeading(element)) return CloseHeading();
  if (!IsOpen(element)) return;
  for (std::size_t i = open_.size(); i-- > 0 && open_[i].space != Space::kHtml;) {
    if (At(i).element == element) return PopTo(i);  // nothing more is asked in SVG and MathML
  }
  if (traits.formatting) return CloseFormatting(element);
  if (element == Element::kForm && !IsOpen(Element::kTemplate)) {
    // It goes alone, whatever stands in it.
    for (std::size_t i = open_.size(); i-- > 0;) {
      if (open_[i].element == element) return Remove(i);
      if (EndsScope(At(i), element)) return;
    }
    return;
  }
  const bool part_of_table = element == Element::kTable || TableRank(element) != 0;
  // (Gumbo knows <main> by its tags, but not as special.)
  if (!IsOrdinary(TraitsOf(element)) || element == Element::kMain) {
    return PopThrough(element, /*only_in_scope=*/!part_of_table);
  }
  for (std::size_t i = open_.size(); i-- > 0;) {
    if (open_[i].element == element) return PopTo(i);
    if (IsSpecial(At(i))) return;
  }
}

/// The end tag of any heading closes the innermost one.
void DepthGuard::CloseHeading() {
  for (std::size_t i = open_.size(); i-- > 0;) {
    if (open_[i].space == Space::kHtml && IsHeading(open_[i].element)) return PopTo(i);
    if (EndsScope(At(i), Element::kH1)) return;
  }
}

/// The "adoption agency": of what was opened in a formatting element, up to the first special
/// element, only other formatting elements stay, or are opened again; that one and all in it
/// stays.
void DepthGuard::CloseFormatting(Element element) {
  if (!IsOpen(element)) return;
  std::size_t i = open_.size();
  while (i > 0 && open_[i - 1].element != element) {
    if (EndsScope(At(--i), element)) return;
  }
  if (i == 0) return;
  Remove(--i);
  while (i < open_.size() && !IsSpecial(At(i))) {
    IsFormatting(open_[i]) ? void(++i) : Remove(i);
  }
}

bool MeansHtml(Element element, std::string_view name, std::string_view value) {
  if (element == Element::kFont) {
    return base::EqualsIgnoreCase(name, "color") || base::EqualsIgnoreCase(name, "face") ||
           base::EqualsIgnoreCase(name, "size");
  }
  return element == Element::kAnnotationXml && base::EqualsIgnoreCase(name, "encoding") &&
         (base::EqualsIgnoreCase(value, "text/html") ||
          base::EqualsIgnoreCase(value, "application/xhtml+xml"));
}

}  // namespace parser
