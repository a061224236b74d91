#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "crawler/fetch/fetcher.h"
#include "crawler/settings/options.h"
#include "parser/document.h"
#include "parser/html_parser.h"

namespace crawler {

/// A page got outside a crawl, by hand.
struct SourcedPage {
  /// The file, or the URL that the body came from after redirects.
  std::string name;
  /// At most FetcherOptions::body_bytes_max.
  std::string body;
  bool body_cut = false;
  parser::Document document;
  /// Of the URL; "" of a file.
  std::string host;
};

/// Fetches `url` with `fetcher` and waits for it. No redirect is followed.
///
/// REQUIRES: `fetcher` runs nothing else. Thread safety: none.
FetchResponse FetchOne(Fetcher& fetcher, const std::string& url);

/// Whether it begins with http:// or https://: else it names a file.
bool IsPageUrl(const std::string& where);

/// Gets a page as the crawler would see it: from the network when `where` IsPageUrl(), following
/// redirects, else from a file. Fails when it cannot be had, or is neither HTML nor text.
/// robots.txt is not asked: somebody wants this one page.
base::Result<SourcedPage> SourcePage(const std::string& where, const Options& options,
                                     const base::Clock& clock);

/// The same for a file, with the charset that a Content-Type header would give ("" for none).
///
/// Thread safety: none for `html`, which is the caller's to keep for the next file.
base::Result<SourcedPage> SourceFile(const std::string& file, std::string_view charset,
                                     std::size_t bytes_max, parser::HtmlParser& html);

}  // namespace crawler
