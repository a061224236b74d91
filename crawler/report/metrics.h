#pragma once

#include <string>

#include "crawler/crawl/crawl.h"

namespace crawler {

/// A running crawl's figures in Prometheus' text format, each named contentseen_...:
///
///     contentseen_pages_total{disposition="near"} 1204
///     contentseen_check_seconds_bucket{le="0.0005"} 88123
///
/// Rates are Prometheus' to make: rate(contentseen_check_seconds_count[1m]) is checks a second.
/// docs/report.md lists them all.
///
/// Thread safety: pure. Cost: about 100 lines; nothing is kept, so the crawl pays for its counters
/// only.
std::string MetricsText(const CrawlSnapshot& snapshot);

}  // namespace crawler
