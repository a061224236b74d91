#include "frontier/url_escape.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/ascii.h"
#include "base/check.h"
#include "base/hex.h"
#include "frontier/session_ids.h"

namespace frontier {
namespace {

constexpr bool IsUnreserved(unsigned char c) {
  return base::IsAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

constexpr std::uint8_t kInPath = 1;
constexpr std::uint8_t kInQuery = 2;

// By byte: the parts of a URL in which it must be escaped.
constexpr std::array<std::uint8_t, 256> kMustEscape = [] {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t c = 0; c < 256; ++c) {
    if (c <= 0x20 || c >= 0x7F) table[c] = kInPath | kInQuery;
  }
  for (char c : {'"', '#', '<', '>'}) table[static_cast<unsigned char>(c)] = kInPath | kInQuery;
  for (char c : {'?', '^', '`', '{', '}'}) table[static_cast<unsigned char>(c)] = kInPath;
  table['\''] = kInQuery;
  return table;
}();

bool IsSlash(char c) { return c == '/' || c == '\\'; }

/// Takes a "." or "%2e" from the front of `segment`, if one is there.
bool TakeDot(std::string_view& segment) {
  std::size_t size = 0;
  if (segment.substr(0, 1) == ".") {
    size = 1;
  } else if (segment.size() >= 3 && EscapeAt(segment, 0) == '.') {
    size = 3;
  }
  segment.remove_prefix(size);
  return size != 0;
}

/// 1 for ".", 2 for "..", 0 for any other segment.
int DotsOf(std::string_view segment) {
  int dots = 0;
  while (dots < 2 && TakeDot(segment)) ++dots;
  return segment.empty() ? dots : 0;
}

}  // namespace

std::optional<unsigned char> EscapeAt(std::string_view text, std::size_t at) {
  if (text.size() < at + 3 || text[at] != '%') return std::nullopt;
  int high = base::HexValue(text[at + 1]);
  int low = base::HexValue(text[at + 2]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<unsigned char>(high * 16 + low);
}

void AppendEscaped(std::string_view raw, UrlPart part, bool normalize, std::string& out) {
  const std::uint8_t bit = part == UrlPart::kPath ? kInPath : kInQuery;
  // One past the last place in `out` where a digit would make a lone '%' begin an escape.
  std::size_t lone_reach = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    auto byte = static_cast<unsigned char>(raw[i]);
    if (byte == '%') {
      std::optional<unsigned char> escaped = EscapeAt(raw, i);
      if (!escaped) {
        out.push_back('%');
        lone_reach = out.size() + 2;
        continue;
      }
      if (!normalize) {
        out.append(raw.substr(i, 3));
      } else if (IsUnreserved(*escaped) && out.size() >= lone_reach) {
        out.push_back(static_cast<char>(*escaped));
      } else {
        base::AppendPercentEscape(*escaped, out);
      }
      i += 2;
    } else if ((kMustEscape[byte] & bit) != 0) {
      base::AppendPercentEscape(byte, out);
    } else {
      out.push_back(static_cast<char>(byte));
      // Behind anything else a digit makes none; and what stands behind '&' must not depend on a
      // parameter that may be dropped.
      if (base::HexValue(raw[i]) < 0) lone_reach = 0;
    }
  }
}

void AppendPath(std::string_view raw, const UrlRules& rules, std::string& out) {
  CHECK(raw.empty() || IsSlash(raw.front()));
  const std::size_t root = out.size();
  out.push_back('/');
  if (raw.empty()) return;
  raw.remove_prefix(1);
  // `out` ends in a slash whenever a segment is about to be written.
  while (true) {
    std::size_t end = raw.find_first_of("/\\");
    bool last = end == std::string_view::npos;
    std::string_view segment = raw.substr(0, end);
    const std::size_t begin = out.size();
    AppendEscaped(segment, UrlPart::kPath, rules.normalize_escapes, out);
    if (rules.drop_session_ids) DropSessionIdsOfSegment(begin, out);
    int dots = DotsOf(std::string_view(out).substr(begin));
    if (dots != 0) out.erase(begin);
    if (dots == 2 && out.size() > root + 1) {
      out.erase(out.rfind('/', out.size() - 2) + 1);
    } else if (dots == 0 && !last) {
      out.push_back('/');
    }
    if (last) return;
    raw.remove_prefix(end + 1);
  }
}

bool NameMatches(std::string_view name, const std::vector<std::string>& patterns) {
  for (std::string_view pattern : patterns) {
    if (!pattern.empty() && pattern.back() == '*') {
      pattern.remove_suffix(1);
      if (name.substr(0, pattern.size()) == pattern) return true;
    } else if (name == pattern) {
      return true;
    }
  }
  return false;
}

void DropParameters(const std::vector<std::string>& patterns, std::size_t begin,
                    std::string& out) {
  std::size_t kept_end = begin;
  bool first_kept = true;
  for (std::size_t at = begin; at <= out.size();) {
    std::size_t end = std::min(out.find('&', at), out.size());
    std::string_view parameter = std::string_view(out).substr(at, end - at);
    if (!NameMatches(parameter.substr(0, parameter.find('=')), patterns)) {
      if (!first_kept) out[kept_end++] = '&';
      first_kept = false;
      std::copy(out.data() + at, out.data() + end, out.data() + kept_end);
      kept_end += end - at;
    }
    at = end + 1;
  }
  out.erase(kept_end);
}

}  // namespace frontier
