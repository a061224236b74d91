#include "crawler/warc/surt.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/hex.h"
#include "frontier/url_escape.h"

namespace crawler {
namespace {

// As long as there is an escape: %252541 is 'A'. Two escapes never overlap, so that the order in
// which they go does not matter: each goes as soon as its last byte is there.
std::string Unescaped(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (const char c : text) {
    plain += c;
    while (plain.size() >= 3) {
      const auto byte = frontier::EscapeAt(plain, plain.size() - 3);
      if (!byte) break;
      plain.resize(plain.size() - 2);
      plain.back() = static_cast<char>(*byte);
    }
  }
  return plain;
}

// All but visible ASCII, and of that '#' and '%'.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f && c != '#' && c != '%') {
      escaped += c;
    } else {
      base::AppendPercentEscape(byte, escaped);
    }
  }
  return escaped;
}

// `.` and `..` resolved, empty segments gone but for the last.
std::string NormalPath(std::string_view path) {
  std::vector<std::string_view> kept;
  for (std::size_t begin = path.find('/'); begin != std::string_view::npos;) {
    const std::size_t end = path.find('/', begin + 1);
    const std::string_view segment = path.substr(begin + 1, end - begin - 1);
    begin = end;
    if (segment == ".") continue;
    if (segment == ".." && !kept.empty()) {
      kept.pop_back();
    } else {
      kept.push_back(segment);
    }
  }
  std::string normal = "/";
  for (std::size_t i = 0; i < kept.size(); ++i) {
    normal += kept[i];
    if (i + 1 < kept.size() && !kept[i].empty()) normal += '/';
  }
  return normal;
}

bool IsRunOf(std::string_view text, std::size_t size, bool (*is)(char)) {
  return text.size() == size && std::all_of(text.begin(), text.end(), is);
}

// "(" 24 letters or digits ")", or one or more "x(" 24 of them ")" within "(" and ")".
bool IsSessionSegment(std::string_view segment) {
  constexpr std::size_t kId = 24;
  if (segment.size() < kId + 2 || segment.front() != '(' || segment.back() != ')') return false;
  segment = segment.substr(1, segment.size() - 2);
  if (IsRunOf(segment, kId, base::IsAlphanumeric)) return true;
  for (; !segment.empty(); segment.remove_prefix(kId + 3)) {
    if (segment.size() < kId + 3 || !base::IsAlpha(segment[0]) || segment[1] != '(' ||
        segment[kId + 2] != ')' || !IsRunOf(segment.substr(2, kId), kId, base::IsAlphanumeric)) {
      return false;
    }
  }
  return true;
}

// ASP.NET's cookieless sessions: /(S(4hqa0555fwsecu455xqckv45))/page.aspx. `path` is lower case.
std::string WithoutPathSession(std::string path) {
  for (std::size_t end = path.rfind('/'); end != std::string::npos && end > 0;) {
    const std::size_t begin = path.rfind('/', end - 1);
    if (begin == std::string::npos) return path;
    const std::string_view rest = std::string_view(path).substr(end + 1);
    const std::size_t page = rest.find(".aspx", 1);
    const bool has_page =
        page != std::string_view::npos && rest.substr(0, page).find('?') == std::string_view::npos;
    if (has_page && IsSessionSegment(std::string_view(path).substr(begin + 1, end - begin - 1))) {
      path.erase(begin + 1, end - begin);
      return path;
    }
    end = begin;
  }
  return path;
}

// A way to spell a session in a query: how many bytes it takes at the beginning of `text`, 0 for
// none. `text` is lower case.
using SessionSpelling = std::size_t (*)(std::string_view text);

template <std::size_t N>
std::size_t Named(std::string_view text, const char (&name)[N], std::size_t id_size) {
  constexpr std::size_t kName = N - 1;
  if (!text.starts_with(name)) return 0;
  return IsRunOf(text.substr(kName, id_size), id_size, base::IsAlphanumeric) ? kName + id_size : 0;
}

std::size_t AspSession(std::string_view text) {
  constexpr std::string_view kName = "aspsessionid";
  if (!text.starts_with(kName) || text.size() < kName.size() + 33) return 0;
  text.remove_prefix(kName.size());
  const bool is = IsRunOf(text.substr(0, 8), 8, base::IsAlpha) && text[8] == '=' &&
                  IsRunOf(text.substr(9, 24), 24, base::IsAlpha);
  return is ? kName.size() + 33 : 0;
}

std::size_t ColdFusionSession(std::string_view text) {
  constexpr std::string_view kToken = "&cftoken=";
  if (!text.starts_with("cfid=")) return 0;
  const std::size_t token = text.find('&');
  if (token == std::string_view::npos || token == 5) return 0;
  if (!text.substr(token).starts_with(kToken)) return 0;
  const std::size_t begin = token + kToken.size();
  const std::size_t end = std::min(text.find('&', begin), text.size());
  return end > begin ? end : 0;
}

constexpr SessionSpelling kSessions[] = {
    [](std::string_view text) { return Named(text, "jsessionid=", 32); },
    [](std::string_view text) { return Named(text, "phpsessid=", 32); },
    [](std::string_view text) { return Named(text, "sid=", 32); },
    AspSession,
    ColdFusionSession,
};

// The last session of each spelling goes, with the & behind it.
std::string WithoutQuerySessions(std::string query) {
  for (const SessionSpelling spelling : kSessions) {
    for (std::size_t at = query.size(); at-- > 0;) {
      const std::size_t size = spelling(std::string_view(query).substr(at));
      if (size == 0) continue;
      const std::size_t end = at + size;
      if (end < query.size() && query[end] != '&') continue;
      query.erase(at, size + (end < query.size() ? 1 : 0));
      break;
    }
  }
  return query;
}

std::string SortedQuery(std::string_view query) {
  if (query.size() <= 1) return std::string(query);
  // Name, whether a value follows, value: "a" comes before "a=".
  struct Parameter {
    std::string_view name;
    bool has_value;
    std::string_view value;
    auto operator<=>(const Parameter&) const = default;
  };
  std::vector<Parameter> parameters;
  for (std::size_t begin = 0; begin <= query.size();) {
    const std::size_t end = std::min(query.find('&', begin), query.size());
    const std::string_view one = query.substr(begin, end - begin);
    const std::size_t equals = one.find('=');
    const bool has = equals != std::string_view::npos;
    parameters.push_back(
        {one.substr(0, equals), has, has ? one.substr(equals + 1) : one.substr(0, 0)});
    begin = end + 1;
  }
  std::sort(parameters.begin(), parameters.end());
  std::string sorted;
  for (const Parameter& parameter : parameters) {
    if (&parameter != &parameters.front()) sorted += '&';
    sorted += parameter.name;
    if (parameter.has_value) sorted.append("=").append(parameter.value);
  }
  return sorted;
}

std::string ReversedHost(std::string_view host) {
  if (host.starts_with('[')) return std::string(host.substr(1, host.size() - 2));  // IPv6
  if (host.starts_with("www")) {
    std::size_t digits = 3;
    while (digits < host.size() && base::IsDigit(host[digits])) ++digits;
    if (digits < host.size() && host[digits] == '.') host.remove_prefix(digits + 1);
  }
  std::string reversed;
  for (;;) {
    const std::size_t dot = host.rfind('.');
    if (dot == std::string_view::npos) return reversed.append(host);
    reversed.append(host.substr(dot + 1)).append(",");
    host = host.substr(0, dot);
  }
}

}  // namespace

std::string Surt(const frontier::Url& url) {
  std::string key = ReversedHost(url.host());
  const std::uint16_t default_port = url.scheme() == "https" ? 443 : 80;
  if (url.port() != default_port) key.append(":").append(std::to_string(url.port()));
  std::string path = WithoutPathSession(base::ToLower(Escaped(NormalPath(Unescaped(url.path())))));
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  key.append(")").append(path);
  const std::string query =
      SortedQuery(WithoutQuerySessions(base::ToLower(Escaped(Unescaped(url.query())))));
  if (!query.empty()) key.append("?").append(query);
  return key;
}

}  // namespace crawler
