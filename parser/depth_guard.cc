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

bool IsList(Element element) {
  return element == Element::kUl || element == Element::kOl || element == Element::kDl ||
         element == Element::kMenu || element == Element::kDir;
}

bool IsHeading(Element element) { return element >= Element::kH1 && element <= Element::kH6; }

}  // namespace

void DepthGuard::Reset() {
  open_.clear();
  count_.fill(0);
  table_parts_ = 0;
}

void DepthGuard::Push(Element element) {
  open_.push_back(element);
  ++count_[static_cast<std::size_t>(element)];
  if (TableRank(element) != 0) ++table_parts_;
}

void DepthGuard::Pop() {
  if (TableRank(open_.back()) != 0) --table_parts_;
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

/// Within the innermost table, closes all parts of the rank of `element` and below.
void DepthGuard::CloseTableParts(Element element) {
  if (table_parts_ == 0) return;
  for (std::size_t i = open_.size(); i-- > 0 && open_[i] != Element::kTable;) {
    const int rank = TableRank(open_[i]);
    if (rank > TableRank(element)) return;
    if (rank == 0) continue;
    while (open_.size() > i) Pop();
  }
}

/// Closes the item before in the same list.
void DepthGuard::CloseItem(Element item, Element other) {
  if (!IsOpen(item) && !IsOpen(other)) return;
  for (std::size_t i = open_.size(); i-- > 0;) {
    if (open_[i] == item || open_[i] == other) {
      while (open_.size() > i) Pop();
      return;
    }
    if (EndsScope(open_[i]) || IsList(open_[i])) return;
  }
}

/// Closes what the start tag of `element` closes.
void DepthGuard::CloseUnasked(Element element) {
  if (ClosesParagraph(element)) PopThrough(Element::kP, /*only_in_scope=*/true);
  if (TableRank(element) != 0) CloseTableParts(element);
  const auto close_last = [this](auto closes) {
    if (!open_.empty() && closes(open_.back())) Pop();
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
      close_last(is(Element::kOptgroup));
      break;
    case Element::kA:
    case Element::kNobr:
    case Element::kButton:
    case Element::kSelect:
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
  if (element == Element::kForm && IsOpen(Element::kForm)) return true;  // ignored in a form
  CloseUnasked(element);
  if (open_.size() >= depth_max_) return false;
  Push(element);
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
