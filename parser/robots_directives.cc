#include "parser/robots_directives.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace parser {
namespace {

RobotsDirectives ParseDirective(std::string_view word) {
  if (base::EqualsIgnoreCase(word, "noindex")) return {.noindex = true, .nofollow = false};
  if (base::EqualsIgnoreCase(word, "nofollow")) return {.noindex = false, .nofollow = true};
  if (base::EqualsIgnoreCase(word, "none")) return {.noindex = true, .nofollow = true};
  return {};
}

/// May it name a crawler? A date behind a comma of its own has colons as well.
bool IsName(std::string_view word) {
  return !word.empty() && std::ranges::none_of(word, base::IsSpace);
}

/// Directives whose value follows a colon; what looks like "name:" otherwise names a crawler.
bool TakesValue(std::string_view word) {
  constexpr std::array<std::string_view, 4> kDirectives = {
      "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"};
  for (const std::string_view directive : kDirectives) {
    if (base::EqualsIgnoreCase(word, directive)) return true;
  }
  return false;
}

}  // namespace

RobotsDirectives ParseMetaRobots(std::string_view content) {
  RobotsDirectives all;
  while (!content.empty()) {
    std::size_t end = 0;
    while (end < content.size() && content[end] != ',' && !base::IsSpace(content[end])) ++end;
    all = all | ParseDirective(content.substr(0, end));
    content.remove_prefix(end == content.size() ? end : end + 1);
  }
  return all;
}

RobotsDirectives ParseXRobotsTag(std::string_view value, std::string_view product_token) {
  RobotsDirectives all;
  bool to_us = true;
  while (!value.empty()) {
    const std::size_t comma = value.find(',');
    std::string_view part = base::Trim(value.substr(0, comma));
    value.remove_prefix(comma == std::string_view::npos ? value.size() : comma + 1);
    const std::size_t colon = part.find(':');
    if (colon != std::string_view::npos) {
      const std::string_view name = base::Trim(part.substr(0, colon));
      if (TakesValue(name)) continue;
      if (IsName(name)) {
        to_us = base::EqualsIgnoreCase(name, product_token) || name == "*";
        part = base::Trim(part.substr(colon + 1));
      }
    }
    if (to_us) all = all | ParseMetaRobots(part);
  }
  return all;
}

}  // namespace parser
