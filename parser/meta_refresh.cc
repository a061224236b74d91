#include "parser/meta_refresh.h"

#include "base/ascii.h"

namespace parser {
namespace {

void SkipSpaces(std::string_view* text) {
  while (!text->empty() && base::IsSpace(text->front())) text->remove_prefix(1);
}

/// Skips "url", white space, '=' and white space, or nothing when any of them is missing.
void SkipUrlEquals(std::string_view* text) {
  std::string_view rest = *text;
  if (!base::StartsWithIgnoreCase(rest, "url")) return;
  rest.remove_prefix(3);
  SkipSpaces(&rest);
  if (!rest.starts_with('=')) return;
  rest.remove_prefix(1);
  SkipSpaces(&rest);
  *text = rest;
}

}  // namespace

std::optional<MetaRefresh> ParseMetaRefresh(std::string_view content) {
  constexpr std::uint32_t kSecondsMax = 100'000'000;
  SkipSpaces(&content);
  if (content.empty() || (!base::IsDigit(content[0]) && content[0] != '.')) return std::nullopt;
  MetaRefresh refresh;
  while (!content.empty() && base::IsDigit(content[0])) {
    const auto digit = static_cast<std::uint32_t>(content[0] - '0');
    if (refresh.seconds < kSecondsMax) refresh.seconds = refresh.seconds * 10 + digit;
    content.remove_prefix(1);
  }
  while (!content.empty() && (base::IsDigit(content[0]) || content[0] == '.')) {
    content.remove_prefix(1);
  }
  if (content.empty()) return refresh;
  if (content[0] != ';' && content[0] != ',' && !base::IsSpace(content[0])) return std::nullopt;
  SkipSpaces(&content);
  if (content.starts_with(';') || content.starts_with(',')) content.remove_prefix(1);
  SkipSpaces(&content);
  SkipUrlEquals(&content);
  if (content.starts_with('"') || content.starts_with('\'')) {
    const std::size_t end = content.find(content[0], 1);
    content = content.substr(1, end == std::string_view::npos ? end : end - 1);
  }
  refresh.url = content;
  return refresh;
}

}  // namespace parser
