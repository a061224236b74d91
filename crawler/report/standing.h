#pragma once

#include <string>
#include <string_view>

#include "crawler/crawl/crawl_snapshot.h"

namespace crawler {

/// Where a crawl stands that nobody carries on now: what ended it, and how it goes on.

/// "ended", or "stopped" where the next start has more to ask for: as it is, or with a higher
/// limit.
///
/// Thread safety: pure.
std::string_view StandingName(const CrawlSnapshot& at);

/// The same of the crawl in the directory `data`, for people: a sentence, and the command that
/// goes on.
///
/// Thread safety: pure.
std::string StandingText(const CrawlSnapshot& at, const std::string& data);

}  // namespace crawler
