#pragma once

#include <string>

#include "crawler/crawl/crawl.h"

namespace crawler {

/// One line on a running crawl: pages, rates over the time between the two snapshots, what waits,
/// what was skipped, what failed.
///
///     1,204 pages  310/s  6.2 MB/s  queued 8,120  in flight 64  exact 12.1 %  near 4.0 %  ...
///
/// Thread safety: pure.
std::string ProgressLine(const CrawlSnapshot& now, const CrawlSnapshot& before);

/// The table of dispositions whose counts add up to the pages taken from the frontier, and totals.
std::string SummaryText(const CrawlSnapshot& end);

/// The same figures, and StandingName(), as one JSON object (one line, no newline).
std::string SummaryJson(const CrawlSnapshot& end);

}  // namespace crawler
