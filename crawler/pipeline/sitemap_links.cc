#include "crawler/pipeline/sitemap_links.h"

#include <utility>

namespace crawler {

using frontier::Candidate;
using frontier::CandidateRole;

std::vector<Candidate> SitemapsOf(const parser::RobotsTxt& robots, const frontier::Url& robots_url,
                                  const frontier::UrlRules& rules) {
  std::vector<Candidate> sitemaps;
  for (const std::string& line : robots.Sitemaps()) {
    base::Result<frontier::Url> url = frontier::Url::Resolve(robots_url, line, rules);
    if (!url) continue;
    sitemaps.push_back(
        {.url = std::move(*url), .referrer = robots_url, .role = CandidateRole::kSitemap});
  }
  return sitemaps;
}

SitemapLinks ReadSitemap(const Candidate& sitemap, std::string_view body,
                         const SitemapOptions& options, const frontier::UrlRules& rules) {
  parser::SitemapLimits limits = options.limits;
  limits.url_bytes_max = rules.url_bytes_max;
  SitemapLinks links;
  // Whether it is an index shows only at the end of its first tag, and so after the call.
  parser::SitemapReader* reading = nullptr;
  parser::SitemapReader reader(limits, [&](const parser::SitemapEntry& entry) {
    base::Result<frontier::Url> url = frontier::Url::Resolve(sitemap.url, entry.url, rules);
    if (!url) {
      ++links.bad;
      links.too_long += frontier::IsUrlTooLong(url.error()) ? 1 : 0;
      return;
    }
    const bool named_it = sitemap.referrer && sitemap.referrer->host() == url->host();
    if (url->host() != sitemap.url.host() && !named_it) {
      ++links.foreign;
      return;
    }
    Candidate candidate{.url = std::move(*url)};
    if (reading->kind() == parser::SitemapKind::kIndex) {
      candidate.depth = sitemap.depth + 1;
      if (candidate.depth >= options.depth_max) {
        ++links.too_deep;
        return;
      }
      candidate.referrer = sitemap.referrer;
      candidate.role = CandidateRole::kSitemap;
    } else {
      candidate.referrer = sitemap.url;
      candidate.depth = 1;
      candidate.modified = entry.modified;
    }
    links.candidates.push_back(std::move(candidate));
  });
  reading = &reader;
  reader.Write(body);
  links.end = reader.Finish();
  links.kind = reader.kind();
  links.entries = reader.entries() + reader.dropped();
  links.bad += reader.dropped();
  links.too_long += reader.dropped();
  links.summary = "sitemap (" + std::string(Name(links.kind)) + ", " +
                  std::string(Name(links.end)) + "): " + std::to_string(links.entries) +
                  " entries";
  if (links.bad > 0) links.summary += ", " + std::to_string(links.bad) + " bad";
  if (links.foreign > 0) {
    links.summary += ", " + std::to_string(links.foreign) + " of other hosts";
  }
  if (links.too_deep > 0) links.summary += ", " + std::to_string(links.too_deep) + " too deep";
  return links;
}

}  // namespace crawler
