#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontier/url.h"

namespace frontier {

/// The byte that the percent escape at `text[at]` stands for, nothing where none stands there.
std::optional<unsigned char> EscapeAt(std::string_view text, std::size_t at);

/// Where text stands in a URL; it decides what must be escaped there.
enum class UrlPart { kPath, kQuery };

/// Appends `raw` to `out` with escaped what must be (WHATWG's path and special-query
/// percent-encode sets). With `normalize`, escapes of unreserved characters are resolved and hex
/// digits are upper case. A `%` that begins no escape stays (as WHATWG), and nothing is resolved
/// that would make it begin one, so that doing this twice is doing it once.
void AppendEscaped(std::string_view raw, UrlPart part, bool normalize, std::string& out);

/// Appends the canonical form of a path: begins with `/`, backslashes are slashes, session ids are
/// dropped as `rules` say, then `.` and `..` (also as %2e) are resolved; the rest is as by
/// AppendEscaped. An empty `raw` is `/`. `raw` must begin with a slash or backslash, or be empty.
void AppendPath(std::string_view raw, const UrlRules& rules, std::string& out);

/// True when `name` is one of `patterns`, or begins with one that ends in `*`.
bool NameMatches(std::string_view name, const std::vector<std::string>& patterns);

/// Removes from the query `out.substr(begin)` (without `?`) the parameters named by `patterns`.
void DropParameters(const std::vector<std::string>& patterns, std::size_t begin, std::string& out);

}  // namespace frontier
