#include "frontier/session_ids.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.h"

namespace frontier {
namespace {

constexpr std::size_t kIdCharsMin = 16;
constexpr std::string_view kInPath = ";jsessionid=";
// With a value that looks like an id.
constexpr std::array<std::string_view, 4> kNames = {"phpsessid", "jsessionid", "zenid", "oscsid"};
// The same, but these may as well name a session of a conference, a station or a story.
constexpr std::array<std::string_view, 3> kEverydayNames = {"sid", "sessionid", "session_id"};
constexpr std::string_view kAspPrefix = "aspsessionid";  // then eight letters

bool IsIdChar(char c) {
  return base::IsAlphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '!' || c == ',';
}

bool LooksLikeId(std::string_view value) {
  return value.size() >= kIdCharsMin && std::all_of(value.begin(), value.end(), IsIdChar) &&
         std::any_of(value.begin(), value.end(), base::IsDigit);
}

// Dates, numbers and words with hyphens are keys.
bool LooksRandom(std::string_view value) {
  return LooksLikeId(value) && std::all_of(value.begin(), value.end(), base::IsAlphanumeric) &&
         !std::all_of(value.begin(), value.end(), base::IsDigit);
}

template <class Names>
bool IsOneOf(const Names& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [name](std::string_view one) { return base::EqualsIgnoreCase(name, one); });
}

bool IsSessionId(std::string_view parameter) {
  const std::size_t equals = std::min(parameter.find('='), parameter.size());
  const std::string_view name = parameter.substr(0, equals);
  if (base::EqualsIgnoreCase(name, "cfid") || base::EqualsIgnoreCase(name, "cftoken")) return true;
  if (equals == parameter.size()) return false;
  const std::string_view value = parameter.substr(equals + 1);
  if (IsOneOf(kEverydayNames, name)) return LooksRandom(value);
  const bool known = IsOneOf(kNames, name) || base::StartsWithIgnoreCase(name, kAspPrefix);
  return known && LooksLikeId(value);
}

}  // namespace

void DropSessionIdsOfSegment(std::size_t begin, std::string& url) {
  for (std::size_t at = url.find(';', begin); at != std::string::npos; at = url.find(';', at)) {
    const std::size_t end = std::min(url.find(';', at + 1), url.size());
    const std::string_view parameter = std::string_view(url).substr(at, end - at);
    if (base::StartsWithIgnoreCase(parameter, kInPath) &&
        LooksLikeId(parameter.substr(kInPath.size()))) {
      url.erase(at, end - at);
    } else {
      at = end;
    }
  }
}

void DropSessionIdsOfQuery(std::size_t mark, std::string& url) {
  std::string kept;
  bool dropped = false;
  for (std::size_t at = mark + 1; at <= url.size();) {
    const std::size_t end = std::min(url.find('&', at), url.size());
    const std::string_view parameter = std::string_view(url).substr(at, end - at);
    if (IsSessionId(parameter)) {
      dropped = true;
    } else {
      kept.append(kept.empty() ? "?" : "&").append(parameter);
    }
    at = end + 1;
  }
  if (!dropped) return;
  url.erase(mark);
  url += kept;
}

}  // namespace frontier
