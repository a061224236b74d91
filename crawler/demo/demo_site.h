#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/page/disposition.h"

namespace crawler {

/// What a demo server answers to one URL.
struct DemoPage {
  int status = 200;
  std::string content_type = "text/html; charset=utf-8";
  /// Of a redirect; otherwise empty.
  std::string location;
  std::string body;
};

/// What a crawler must make of some URLs of the demo web.
struct DemoCase {
  /// E.g. "print version".
  std::string name;
  /// Of a duplicate's kind (kExactBytes, kExactText, kNear): of `urls`, whichever comes first is
  /// stored, and every other one ends so. Of every other disposition: each of `urls` ends so.
  Disposition expected = Disposition::kStored;
  std::vector<std::string> urls;
};

/// The pages of the demo web, as data: the town of Port Ellery with its newspaper, chandlery,
/// sailing handbook, weather stations and guests from abroad, on virtual hosts under *.localhost.
/// It holds each thing that a crawler meets and ContentSeen has to judge, and says so in cases().
///
///     DemoSite site(8090);
///     const DemoPage* page = site.Find("news.localhost", "/harbour/");
///     for (const DemoCase& c : site.cases()) std::cout << c.name << '\n';
///
/// Promises: deterministic; every URL can be reached from seeds() without following the links of a
/// duplicate, whichever of the copies is the first; no URL stands in two cases of duplicates; near
/// copies are at most 2 bits apart, pages to be kept more than 10 (default features, k = 3).
///
/// Thread safety: const methods.
/// Cost: about half a megabyte, made in the constructor.
class DemoSite {
 public:
  /// `port` stands in the pages' absolute links.
  explicit DemoSite(int port);

  /// `target` is path and query. Nothing where a server would answer 404.
  const DemoPage* Find(std::string_view host, std::string_view target) const;

  const std::vector<DemoCase>& cases() const { return cases_; }
  /// Where a crawl begins.
  const std::vector<std::string>& seeds() const { return seeds_; }
  /// Number of pages, robots.txt not counted.
  std::size_t pages() const { return pages_.size() - robots_; }

 private:
  friend class DemoSiteBuilder;

  /// By host and target, e.g. "news.localhost/harbour/".
  std::map<std::string, DemoPage, std::less<>> pages_;
  std::size_t robots_ = 0;
  std::vector<DemoCase> cases_;
  std::vector<std::string> seeds_;
};

}  // namespace crawler
