#pragma once

#include <cstddef>
#include <string>

#include "crawler/crawl/crawl.h"

namespace crawler {

/// One line on a running crawl: pages, rates over the time between the two snapshots, what waits,
/// what was skipped, what failed, for how long; and when the next request goes out, where all
/// hosts rest for more than a second. Where it is longer than `columns` it leaves out what is
/// worth least: first the rates of bytes and of duplicates, never pages, time and why the crawl is
/// paused.
///
///     1,204 pages  310/s  6.2 MB/s  queued 820  in flight 64  exact 12%  near 4%  errors 3  4.1s
///
/// Thread safety: pure.
std::string ProgressLine(const CrawlSnapshot& now, const CrawlSnapshot& before,
                         std::size_t columns = std::string::npos);

/// The table of dispositions whose counts add up to the pages taken from the frontier, and totals.
std::string SummaryText(const CrawlSnapshot& end);

/// The same figures, and StandingName(), as one JSON object (one line, no newline).
std::string SummaryJson(const CrawlSnapshot& end);

}  // namespace crawler
