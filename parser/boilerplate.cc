#include "parser/boilerplate.h"

#include <algorithm>

namespace parser {
namespace {

constexpr std::uint64_t kDoubtful = 128;
// A link density of 1/3 comes out as kDoubtful.
constexpr std::uint64_t kDensityScale = 3 * kDoubtful;
// All links and no more: the site's menu, or the list that the page is there for.
constexpr std::uint64_t kLinksMost = kLikelyBoilerplate - 1;

bool IsBesideMain(BlockRole role) {
  return role == BlockRole::kNav || role == BlockRole::kAside || role == BlockRole::kDialog;
}

bool IsOfTheSite(BlockRole role) {
  return role == BlockRole::kHeader || role == BlockRole::kFooter;
}

}  // namespace

std::uint8_t BoilerplateOf(const TextBlock& block) {
  if (IsOfTheSite(block.role) || block.tag == BlockTag::kControl) return kSurelyBoilerplate;
  if (IsBesideMain(block.role)) return block.in_main ? kLikelyBoilerplate : kSurelyBoilerplate;
  const bool by_density = block.tag != BlockTag::kHeading && block.length != 0;
  const std::uint64_t density = by_density ? kDensityScale * block.link_bytes / block.length : 0;
  const std::uint64_t least = block.outside_main ? kDoubtful : 0;
  return static_cast<std::uint8_t>(std::clamp(density, least, kLinksMost));
}

}  // namespace parser
