#include "crawler/report/skip_filter.h"

#include <algorithm>

#include "base/whole_number.h"
#include "contentseen/fingerprint.h"
#include "crawler/io/units.h"

namespace crawler {

using contentseen::Kind;

bool SkipFilter::Matches(const SkipRecord& record) const {
  if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), record.kind) == kinds.end()) {
    return false;
  }
  if (!host.empty()) {
    std::string_view its = HostOf(record.url);
    bool below = its.size() > host.size() && its.ends_with(host) &&
                 its[its.size() - host.size() - 1] == '.';
    if (its != host && !below) return false;
  }
  if (distance && (record.distance < distance->first || record.distance > distance->second)) {
    return false;
  }
  if (!original.empty() && record.original_url.find(original) == std::string::npos) return false;
  return !since || record.time >= *since;
}

std::string_view HostOf(std::string_view url) {
  std::size_t slashes = url.find("://");
  if (slashes == url.npos) return {};
  std::string_view authority = url.substr(slashes + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  if (authority.starts_with('[')) {
    std::size_t close = authority.find(']');
    return close == authority.npos ? authority : authority.substr(0, close + 1);
  }
  return authority.substr(0, authority.find(':'));
}

base::Result<std::vector<Kind>> ParseKinds(std::string_view text) {
  if (text == "exact") return std::vector<Kind>{Kind::kExactBytes, Kind::kExactText};
  for (Kind kind : {Kind::kExactBytes, Kind::kExactText, Kind::kNear}) {
    if (text == contentseen::Name(kind)) return std::vector<Kind>{kind};
  }
  return base::Fail("--kind must be near, exact-bytes, exact-text or exact, not '" +
                    std::string(text) + "'");
}

base::Result<std::pair<int, int>> ParseDistances(std::string_view text) {
  auto number = [](std::string_view digits) -> std::optional<int> {
    const auto value = base::WholeNumber<int>(digits);
    return value && *value <= contentseen::kFingerprintBits ? value : std::nullopt;
  };
  std::size_t dots = text.find("..");
  std::optional<int> low = number(text.substr(0, dots));
  std::optional<int> high = dots == text.npos ? low : number(text.substr(dots + 2));
  if (!low || !high || *low > *high) {
    return base::Fail("--distance must be a number of bits from 0 to 64, or two as 1..3, not '" +
                      std::string(text) + "'");
  }
  return std::pair(*low, *high);
}

base::Result<base::WallTime> ParseSince(const std::string& text, base::WallTime now) {
  if (auto time = ParseTime(text)) return *time;
  // A bare number would be seconds; here it is more likely a year gone wrong.
  bool has_unit = !text.empty() && text.find_first_not_of("0123456789.") != text.npos;
  if (auto ago = ParseDuration(text); ago && has_unit) {
    return now - std::chrono::duration_cast<base::WallTime::duration>(*ago);
  }
  return base::Fail(
      "--since must be a time as 2026-01-31T12:00:00Z, of the years 1700 to 2261, or a duration "
      "as "
      "2h, not '" +
      text + "'");
}

}  // namespace crawler
