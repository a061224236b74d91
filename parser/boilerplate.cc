#include "parser/boilerplate.h"

#include <algorithm>

namespace parser {
namespace {

// A link density of 1/3 comes out as 128.
constexpr std::uint64_t kDensityScale = 3 * 128;
// All links and no more: the site's menu, or the list that the page is there for.
constexpr std::uint64_t kLinksMost = kLikelyBoilerplate - 1;

bool IsBesideMain(BlockRole role) { return role == BlockRole::kNav || role == BlockRole::kAside; }

bool IsOfTheSite(BlockRole role) {
  return role == BlockRole::kHeader || role == BlockRole::kFooter || role == BlockRole::kDialog;
}

}  // namespace

std::uint8_t BoilerplateOf(const TextBlock& block) {
  if (IsOfTheSite(block.role) || block.tag == BlockTag::kControl) return kSurelyBoilerplate;
  if (IsBesideMain(block.role)) return block.in_main ? kLikelyBoilerplate : kSurelyBoilerplate;
  if (block.tag == BlockTag::kHeading || block.length == 0) return 0;
  return static_cast<std::uint8_t>(
      std::min(kLinksMost, kDensityScale * block.link_bytes / block.length));
}

}  // namespace parser
