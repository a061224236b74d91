#include "parser/depth_guard.h"

namespace parser {
namespace {

/// Elements that the search for an element to close does not leave ("has an element in scope").
bool EndsScope(Element element) {
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
    case Element::kForeignObject:
    case Element::kButton:
      return true;
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
    case Element::kDialog:
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

}  // namespace

void DepthGuard::Reset() {
  open_.clear();
  count_.fill(0);
}

void DepthGuard::Pop() {
  --count_[static_cast<std::size_t>(open_.back())];
  open_.pop_back();
}

/// Closes the innermost `element` and all in it.
void DepthGuard::PopThrough(Element element, bool only_in_scope) {
  if (!IsOpen(element)) return;
  for (std::size_t i = open_.size(); i-- > 0;) {
    if (open_[i] == element) {
      while (open_.size() > i) Pop();
      return;
    }
    if (only_in_scope && EndsScope(open_[i])) return;
  }
}

/// Closes what the start tag of `element` closes.
void DepthGuard::CloseUnasked(Element element) {
  if (ClosesParagraph(element)) PopThrough(Element::kP, /*only_in_scope=*/true);
  if (const int rank = TableRank(element); rank != 0) {
    // Within the innermost table, all parts of this rank and below end.
    for (std::size_t i = open_.size(); i-- > 0 && open_[i] != Element::kTable;) {
      if (const int other = TableRank(open_[i]); other != 0 && other <= rank) {
        while (open_.size() > i) Pop();
      } else if (other > rank) {
        break;
      }
    }
    return;
  }
  if (open_.empty()) return;
  switch (element) {
    case Element::kLi:
    case Element::kDd:
    case Element::kDt: {
      const bool item = element == Element::kLi;
      for (std::size_t i = open_.size(); i-- > 0;) {
        const Element other = open_[i];
        if (item ? other == Element::kLi : other == Element::kDd || other == Element::kDt) {
          while (open_.size() > i) Pop();
          break;
        }
        if (EndsScope(other) || other == Element::kUl || other == Element::kOl ||
            other == Element::kDl || other == Element::kMenu || other == Element::kDir) {
          break;
        }
      }
      break;
    }
    case Element::kOption:
    case Element::kOptgroup:
      if (open_.back() == Element::kOption) Pop();
      if (element == Element::kOptgroup && !open_.empty() && open_.back() == element) Pop();
      break;
    case Element::kA:
    case Element::kNobr:
    case Element::kButton:
      PopThrough(element, /*only_in_scope=*/true);
      break;
    default:
      break;
  }
}

bool DepthGuard::Open(const ElementTraits& traits) {
  const Element element = traits.element;
  if (traits.content == Content::kVoid) return true;
  if (element == Element::kHtml || element == Element::kHead || element == Element::kBody) {
    return true;  // there is one of each, whatever the page says
  }
  CloseUnasked(element);
  if (open_.size() >= depth_max_) return false;
  open_.push_back(element);
  ++count_[static_cast<std::size_t>(element)];
  return true;
}

void DepthGuard::Close(const ElementTraits& traits) {
  const Element element = traits.element;
  if (!IsOpen(element)) return;
  if (!traits.formatting) {
    const bool part_of_table = element == Element::kTable || TableRank(element) != 0;
    PopThrough(element, /*only_in_scope=*/!part_of_table);
    return;
  }
  // What was opened in a formatting element stays open without it ("adoption agency").
  for (std::size_t i = open_.size(); i-- > 0;) {
    if (open_[i] == element) {
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
      --count_[static_cast<std::size_t>(element)];
      return;
    }
    if (EndsScope(open_[i])) return;
  }
}

}  // namespace parser
