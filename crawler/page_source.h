#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "crawler/fetcher.h"
#include "crawler/options.h"

namespace crawler {

/// A page got outside a crawl, by hand.
struct SourcedPage {
  /// The file, or the URL that the body came from after redirects.
  std::string name;
  /// At most FetcherOptions::body_bytes_max.
  std::string body;
  bool body_cut = false;
  std::string title;
  /// Visible text, as ContentSeen gets it.
  std::string text;
};

/// Fetches `url` with `fetcher` and waits for it. No redirect is followed.
///
/// REQUIRES: `fetcher` runs nothing else. Thread safety: none.
FetchResponse FetchOne(Fetcher& fetcher, const std::string& url);

/// Gets a page as the crawler would see it: from the network when `where` begins with http:// or
/// https://, following redirects, else from a file. Fails when it cannot be had, or is neither
/// HTML nor text. robots.txt is not asked: somebody wants this one page.
base::Result<SourcedPage> SourcePage(const std::string& where, const Options& options,
                                     const base::Clock& clock);

}  // namespace crawler
