#pragma once

#include <memory>

#include "base/clock.h"
#include "crawler/crawl/crawl.h"
#include "crawler/fetch/cookie_jar.h"
#include "crawler/settings/options.h"

namespace crawler {

/// Fetchers by libcurl, as a crawl of these options needs them: they keep what an archive wants,
/// and open no more connections to an address at once than hosts there may be asked. `jar` as for
/// CurlFetcher::Create().
///
/// Ownership: the clock must outlive what they make.
Crawl::MakeFetcher CurlFetchers(const Options& options, const base::Clock& clock,
                                std::shared_ptr<CookieJar> jar = nullptr);

}  // namespace crawler
