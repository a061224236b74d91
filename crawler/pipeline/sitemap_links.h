#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontier/candidate.h"
#include "frontier/url.h"
#include "parser/robots_txt.h"
#include "parser/sitemap.h"

namespace crawler {

/// How sitemaps are used. Bound to the table in options.cc.
struct SitemapOptions {
  /// Ask for the sitemaps that robots.txt names.
  bool use = true;
  /// Levels of sitemaps: 1 is what robots.txt names, 2 what an index there names. Range 1 to 10.
  std::uint32_t depth_max = 3;
  parser::SitemapLimits limits;
};

/// The sitemaps that `robots`, the robots.txt at `robots_url`, names.
std::vector<frontier::Candidate> SitemapsOf(const parser::RobotsTxt& robots,
                                            const frontier::Url& robots_url,
                                            const frontier::UrlRules& rules);

/// What a sitemap says.
struct SitemapLinks {
  /// The pages listed or, of an index, its sitemaps.
  std::vector<frontier::Candidate> candidates;
  /// Entries read, those that are no URL or too long, and those of hosts it may not speak for.
  std::size_t entries = 0;
  std::size_t bad = 0;
  std::size_t foreign = 0;
  /// Sitemaps below depth_max, and URLs over UrlRules::url_bytes_max (among `bad`).
  std::size_t too_deep = 0;
  std::size_t too_long = 0;
  parser::SitemapKind kind = parser::SitemapKind::kUnknown;
  parser::SitemapEnd end = parser::SitemapEnd::kWhole;
  /// One line for the log, e.g. "sitemap (urls, whole): 12 entries".
  std::string summary;

  /// Whether the body is none: nothing of a sitemap's form, and no URL a line either.
  bool IsNone() const {
    return kind == parser::SitemapKind::kUnknown ||
           (kind == parser::SitemapKind::kText && candidates.empty());
  }
};

/// Reads the body of `sitemap`. It may speak for its own host and for that of the robots.txt that
/// names it (sitemaps.org, "Sitemaps & Cross Submits"), so nobody can have us crawl a third one.
/// What it says of when a page changed stays with that page (Candidate::modified).
///
/// Cost: linear in the body.
SitemapLinks ReadSitemap(const frontier::Candidate& sitemap, std::string_view body,
                         const SitemapOptions& options, const frontier::UrlRules& rules);

}  // namespace crawler
