#include "crawler/page/limit_hits.h"

#include "base/check.h"

namespace crawler {
namespace {

struct Row {
  Limit limit;
  std::string_view name;
  std::string_view option;
};

using enum Limit;

constexpr std::array<Row, kLimits> kRows = {{
    {kUrlBytes, "url-bytes", "url.url_bytes_max"},
    {kLinksPerPage, "links-per-page", "parser.links_max"},
    {kParseMemory, "parse-memory", "parser.memory_bytes_max"},
    {kParseTime, "parse-time", "parser.cpu_time_max"},
    {kParseDepth, "parse-depth", "parser.depth_max"},
    {kParseBytes, "parse-bytes", "parser.tree_input_bytes_max"},
    {kRobotsBytes, "robots-bytes", "robots.body_bytes_max"},
    {kRobotsRedirects, "robots-redirects", ""},
    {kRobotsMemory, "robots-memory", "robots.cache_bytes_max"},
    {kRobotsCost, "robots-cost", "robots.match_bytes_max"},
    {kCrawlDelay, "crawl-delay", "politeness.delay_max"},
    {kRetryAfter, "retry-after", "politeness.park_max"},
    {kSitemapBytes, "sitemap-bytes", "sitemaps.body_bytes_max"},
    {kSitemapUrls, "sitemap-urls", "sitemaps.urls_max"},
    {kSitemapUrlBytes, "sitemap-url-bytes", "url.url_bytes_max"},
    {kDescriptors, "descriptors", ""},
    {kAddressRequests, "address-requests", "politeness.hosts_at_once_per_address"},
    {kSitemapDepth, "sitemap-depth", "sitemaps.depth_max"},
}};

const Row& RowOf(Limit limit) {
  const Row& row = kRows[static_cast<std::size_t>(limit)];
  CHECK(row.limit == limit);
  return row;
}

}  // namespace

std::string_view Name(Limit limit) { return RowOf(limit).name; }
std::string_view OptionOf(Limit limit) { return RowOf(limit).option; }

std::string_view OptionOf(frontier::ScopeVerdict verdict) {
  using enum frontier::ScopeVerdict;
  switch (verdict) {
    case kIn:
      return "";
    case kOtherHost:
    case kOtherDomain:
      return "scope.reach";
    case kTooDeep:
      return "scope.depth_max";
    case kPathTooDeep:
      return "scope.path_segments_max";
    case kPathRepeats:
      return "scope.segment_repeats_max";
    case kTooManyParameters:
      return "scope.query_parameters_max";
    case kNotIncluded:
    case kPatternTooSlow:
      return "scope.include";
    case kExcluded:
      return "scope.exclude";
  }
  CHECK(false);
}

std::string_view OptionOf(frontier::ScheduleLimit limit) {
  using enum frontier::ScheduleLimit;
  switch (limit) {
    case kRedirects:
      return "frontier.redirects_max";
    case kPagesPerHost:
      return "crawl.pages_per_host_max";
    case kHosts:
      return "frontier.hosts_max";
    case kOrigins:
      return "frontier.origins_per_host_max";
    case kQueued:
      return "frontier.queued_max";
    case kHostsPerDomain:
      return "frontier.hosts_per_domain_max";
    case kPagesPerDomain:
      return "frontier.pages_per_domain_max";
    case kQueriesPerPath:
      return "frontier.queries_per_path_max";
    case kClosedPattern:
      return "frontier.pattern_duplicates_max";
  }
  CHECK(false);
}

}  // namespace crawler
