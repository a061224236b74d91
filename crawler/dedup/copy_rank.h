#pragma once

#include <compare>
#include <cstddef>
#include <string_view>

#include "base/clock.h"

namespace crawler {

/// How well one of several copies stands for all of them. Which copy a crawl met first decides
/// what it stored, and a copier can be first; what is shown is chosen by what the copies say of
/// themselves, as search engines do (docs/report.md): the smaller rank is the better one.
///
///     if (RankOf(copy) < RankOf(shown)) shown = copy;
///
/// Thread safety: a value.
struct CopyRank {
  /// It names another URL of its own host as the canonical one; that of another host says nothing,
  /// as long as that page does not agree.
  bool points_elsewhere = false;
  /// It does not name itself.
  bool not_canonical = false;
  bool plain_http = false;
  std::size_t path_bytes = 0;  // with the query
  base::WallTime time{};       // when it was met

  friend auto operator<=>(const CopyRank&, const CopyRank&) = default;
};

/// `canonical` as the page writes it, empty where it does not. A `url` that is none ranks last.
CopyRank RankOf(std::string_view url, std::string_view canonical, base::WallTime time);

}  // namespace crawler
