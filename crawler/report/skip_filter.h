#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "crawler/data/skip_log.h"

namespace crawler {

/// Which lines of the skip log are wanted. What is empty or absent does not filter.
///
///     SkipFilter filter;
///     filter.host = "example.com";
///     if (filter.Matches(record)) ...
///
/// Thread safety: a value.
struct SkipFilter {
  std::vector<contentseen::Kind> kinds;
  /// A host, or one above it: "example.com" matches www.example.com too.
  std::string host;
  /// Smallest and largest Hamming distance.
  std::optional<std::pair<int, int>> distance;
  /// Part of the original's URL.
  std::string original;
  std::optional<base::WallTime> since;

  bool Matches(const SkipRecord& record) const;
};

/// The host of a URL as logged, without port; empty when there is none.
std::string_view HostOf(std::string_view url);

/// "exact-bytes", "exact-text", "near", or "exact" for both of that name.
base::Result<std::vector<contentseen::Kind>> ParseKinds(std::string_view text);
/// "3" or "1..3".
base::Result<std::pair<int, int>> ParseDistances(std::string_view text);
/// An RFC 3339 time, or a duration before `now`.
base::Result<base::WallTime> ParseSince(const std::string& text, base::WallTime now);

}  // namespace crawler
