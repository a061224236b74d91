#include "crawler/dedup/copy_rank.h"

#include <limits>

#include "frontier/url.h"

namespace crawler {

CopyRank RankOf(std::string_view url, std::string_view canonical, base::WallTime time) {
  CopyRank rank{.not_canonical = true, .time = time};
  const auto parsed = frontier::Url::Parse(url, frontier::UrlRules::Longest());
  if (!parsed) {
    rank.points_elsewhere = true;
    rank.path_bytes = std::numeric_limits<std::size_t>::max();
    return rank;
  }
  rank.plain_http = parsed->scheme() != "https";
  rank.path_bytes = parsed->path_and_query().size();
  if (canonical.empty()) return rank;
  const auto named = frontier::Url::Resolve(*parsed, canonical, frontier::UrlRules::Longest());
  rank.not_canonical = !named || *named != *parsed;
  rank.points_elsewhere = named && *named != *parsed && named->host() == parsed->host();
  return rank;
}

}  // namespace crawler
