#include "crawler/crawl/curl_fetchers.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "crawler/fetch/curl_fetcher.h"

namespace crawler {

Crawl::MakeFetcher CurlFetchers(const Options& options, const base::Clock& clock,
                                std::shared_ptr<CookieJar> jar) {
  FetcherOptions fetch = options.fetch;
  fetch.keep_raw = options.output.warc;
  fetch.connecting_per_address_max = static_cast<int>(
      std::min<std::uint64_t>(std::uint64_t{options.frontier.hosts_at_once_per_address} *
                                  options.frontier.connections_per_host,
                              FetcherLimits::kTransfers));
  return [fetch = std::move(fetch), &clock, jar = std::move(jar)] {
    return CurlFetcher::Create(fetch, clock, jar).map([](auto fetcher) {
      return std::unique_ptr<Fetcher>(std::move(fetcher));
    });
  };
}

}  // namespace crawler
