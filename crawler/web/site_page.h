#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace crawler {

/// A URL that a crawl asked for, and what stood there, by number: equal numbers, equal texts.
struct SitePage {
  std::string url;
  /// The text, word for word. 0: there is no such page (HTTP 4xx).
  std::uint32_t text = 0;
  /// The text or one nearly the same. 0 as above.
  std::uint32_t content = 0;
};

/// A URL cut up for comparing sites.
struct UrlParts {
  /// The authority without what says nothing about the site: scheme, user, "www.", the scheme's
  /// default port, a dot at the end. Lower case.
  std::string site;
  /// Begins with '/'.
  std::string_view path;
  std::string_view query;  // without its '?'; empty also for a bare '?'
  /// Path and query as they stand.
  std::string_view target;
};

/// Thread safety: pure. Ownership: the views are into `url`, or of a constant. Cost: linear.
UrlParts SplitUrl(std::string_view url);

}  // namespace crawler
