#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "parser/elements.h"

namespace parser {

/// How deep Gumbo's tree will get, estimated from the tags alone: a stack of open elements with
/// the rules of tree construction that close elements unasked (HTML Standard, section 13.2.6.4.7:
/// <p> before blocks, <li>, table parts, ...), as Gumbo has them. It errs to the high side where
/// those rules are finer, and to the low side where formatting elements are opened again, or names
/// are not in elements.h: a tree so made costs time and memory, which have limits of their own.
/// Pages of the web stay below 100 either way.
///
/// By the same stack it tells where SVG and MathML ("foreign content", section 13.2.6.5) begin
/// and end: "<g/>" is a whole element there, <style> is one like others, and CDATA is text.
///
/// Thread safety: none.
/// Cost: a few comparisons a tag, all open elements scanned in the worst case; steps() counts.
class DepthGuard {
 public:
  explicit DepthGuard(std::size_t depth_max) : depth_max_(depth_max) { open_.reserve(depth_max); }

  void Reset();
  /// A start tag. False when it would nest deeper than depth_max. `means_html`: by its attributes
  /// (MeansHtml).
  bool Open(const ElementTraits& traits, bool means_html = false);
  /// An end tag.
  void Close(const ElementTraits& traits);

  bool IsOpen(Element element) const { return count_[static_cast<std::size_t>(element)] != 0; }
  std::size_t depth() const { return open_.size(); }
  /// What the tags since Reset() have cost: open elements looked at, one by one.
  std::uint64_t steps() const { return steps_; }

  /// Is the innermost open element one of SVG or MathML?
  bool InForeign() const { return !open_.empty() && open_.back().space != Space::kHtml; }
  /// Would the next start tag make an element of SVG or MathML, if it may? Not in <foreignObject>,
  /// <mtext> and the like.
  bool TakesForeign() const { return !open_.empty() && !open_.back().takes_html; }
  /// Would the end tag of `element` close one?
  bool ClosesForeign(Element element) const;
  /// Would the start tag of `element` make one?
  bool OpensForeign(Element element, bool means_html) const {
    return SpaceOf(element, means_html) != Space::kHtml;
  }

 private:
  /// The namespace of an element.
  enum class Space : std::uint8_t { kHtml, kSvg, kMath };
  struct OpenElement {
    Element element;
    Space space;
    /// Start tags in it make elements of HTML.
    bool takes_html;
  };

  const OpenElement& At(std::size_t i) {
    ++steps_;
    return open_[i];
  }
  static bool EndsScope(const OpenElement& open, Element wanted);
  static bool IsSpecial(const OpenElement& open);
  static bool IsFormatting(const OpenElement& open);
  static bool EndsItemSearch(const OpenElement& open);
  static bool TakesHtml(Element element, Space space, bool means_html);
  Space SpaceOf(Element element, bool means_html) const;
  void Push(const OpenElement& open);
  void Pop();
  void PopTo(std::size_t depth);
  void Remove(std::size_t i);
  void PopThrough(Element element, bool only_in_scope);
  void CloseTableParts(Element element);
  void CloseItem(Element item, Element other);
  void CloseUnasked(Element element);
  void CloseFormatting(Element element);
  void CloseHeading();

  const std::size_t depth_max_;
  std::uint64_t steps_ = 0;
  std::vector<OpenElement> open_;
  /// Open elements by kind.
  std::array<std::uint32_t, static_cast<std::size_t>(Element::kCount)> count_{};
};

/// Does this attribute make HTML of what would be SVG or MathML otherwise: a <font color>, what
/// stands in an <annotation-xml encoding="text/html">?
///
/// Thread safety: yes. Cost: a few comparisons.
bool MeansHtml(Element element, std::string_view name, std::string_view value);

}  // namespace parser
