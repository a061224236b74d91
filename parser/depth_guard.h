#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parser/elements.h"

namespace parser {

/// How deep Gumbo's tree will get, estimated from the tags alone: a stack of open elements with
/// the rules of tree construction that close elements unasked (HTML Standard, section 13.2.6.4.7:
/// <p> before blocks, <li>, table parts, ...). It errs to the high side where those rules are
/// finer; pages of the web stay below 100 either way.
///
/// Thread safety: none.
/// Cost: a few comparisons a tag, 512 bytes scanned in the worst case.
class DepthGuard {
 public:
  explicit DepthGuard(std::size_t depth_max) : depth_max_(depth_max) { open_.reserve(depth_max); }

  void Reset();
  /// A start tag. False when it would nest deeper than depth_max.
  bool Open(const ElementTraits& traits);
  /// An end tag.
  void Close(const ElementTraits& traits);

  bool IsOpen(Element element) const { return count_[static_cast<std::size_t>(element)] != 0; }
  std::size_t depth() const { return open_.size(); }

 private:
  void Push(Element element);
  void Pop();
  void PopThrough(Element element, bool only_in_scope);
  void CloseTableParts(Element element);
  void CloseItem(Element item, Element other);
  void CloseUnasked(Element element);

  const std::size_t depth_max_;
  std::vector<Element> open_;
  /// Open elements by kind; and those that are parts of tables.
  std::array<std::uint32_t, static_cast<std::size_t>(Element::kCount)> count_{};
  std::uint32_t table_parts_ = 0;
};

}  // namespace parser
