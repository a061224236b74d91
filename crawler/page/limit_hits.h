#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "frontier/frontier.h"
#include "frontier/scope.h"

namespace crawler {

/// Limits of single pages and files. One that ends its page is a Disposition instead; those of the
/// queues are a frontier::ScheduleLimit or frontier::ScopeVerdict.
enum class Limit : std::uint8_t {
  kUrlBytes,      // links and redirects left out
  kLinksPerPage,  // links left out
  kParseMemory,   // pages whose tags were only scanned, as for the three below
  kParseTime,
  kParseDepth,
  kParseBytes,
  kRobotsBytes,      // files cut
  kRobotsRedirects,  // chains longer than that
  kRobotsMemory,     // origins whose rules made room, and are read again
  kRobotsCost,       // URLs forbidden because judging them would cost too much
  kCrawlDelay,       // cut to the longest one
  kRetryAfter,       // the same
  kSitemapBytes,     // files cut, as for the one below
  kSitemapUrls,
  kSitemapUrlBytes,  // URLs left out
  kDescriptors,      // requests put off for want of descriptors, as for the one below
  kAddressRequests,  // and because too many went to one address
  kSitemapDepth,     // sitemaps left out
};
inline constexpr std::size_t kLimits = static_cast<std::size_t>(Limit::kSitemapDepth) + 1;

/// As summary and metrics spell it, e.g. "links-per-page"; and the option that sets the limit.
std::string_view Name(Limit limit);
std::string_view OptionOf(Limit limit);
std::string_view OptionOf(frontier::ScopeVerdict verdict);
std::string_view OptionOf(frontier::ScheduleLimit limit);

/// How often a crawl ran into each of its limits.
struct LimitHits {
  /// URLs left out, by ScopeVerdict and by ScheduleLimit.
  std::array<std::uint64_t, frontier::kScopeVerdicts> out_of_scope{};
  std::array<std::uint64_t, frontier::kScheduleLimits> over_limit{};
  /// By Limit.
  std::array<std::uint64_t, kLimits> own{};

  std::uint64_t Of(Limit limit) const { return own[static_cast<std::size_t>(limit)]; }
};

/// Calls visit(name, option, count) for each limit; `Hits` is LimitHits, const for reading.
template <class Hits, class Visit>
void VisitLimits(Hits& hits, Visit visit) {
  for (std::size_t i = 0; i < frontier::kScopeVerdicts; ++i) {
    const auto verdict = static_cast<frontier::ScopeVerdict>(i);
    if (verdict == frontier::ScopeVerdict::kIn) continue;
    visit(frontier::Name(verdict), OptionOf(verdict), hits.out_of_scope[i]);
  }
  for (std::size_t i = 0; i < frontier::kScheduleLimits; ++i) {
    const auto limit = static_cast<frontier::ScheduleLimit>(i);
    visit(frontier::Name(limit), OptionOf(limit), hits.over_limit[i]);
  }
  for (std::size_t i = 0; i < kLimits; ++i) {
    const auto limit = static_cast<Limit>(i);
    visit(Name(limit), OptionOf(limit), hits.own[i]);
  }
}

}  // namespace crawler
