#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "contentseen/content_seen.h"
#include "crawler/crawl/memory_budget.h"
#include "crawler/pipeline/statistics.h"
#include "frontier/frontier.h"

namespace crawler {

/// What a crawl looks like from outside at one moment. Counts are of the whole crawl, whatever the
/// number of processes that carried it on.
struct CrawlSnapshot {
  StatisticsSnapshot statistics;
  frontier::FrontierStats frontier;
  contentseen::ContentSeen::Counts seen;
  std::size_t in_flight = 0;
  std::size_t waiting = 0;
  std::chrono::duration<double> elapsed{0};
  /// crawl.time_max in seconds, where it has ended the run; else 0.
  std::uint64_t time_max_reached = 0;
  /// What must stay in memory.
  MemoryInUse memory{};
  /// Why the crawl waits, for its disk or for a network; empty when it does not.
  std::string paused{};
  /// What the user should know of the memory that the crawl takes; empty while there is plenty.
  std::string memory_warning{};
};

}  // namespace crawler
