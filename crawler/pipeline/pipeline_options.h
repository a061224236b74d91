#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace crawler {

/// How the pipeline treats pages on their way. Bound to the table in options.cc.
struct PipelineOptions {
  /// Pages between fetching and judging, in flight or waiting; 1 to 100,000. Bounds memory.
  std::uint32_t pages_in_flight_max = 1'000;
  /// Further attempts at a page after a failure that may pass (no connection, TLS, time-out,
  /// reset, 429, 5xx); 0 to 20.
  std::uint32_t retries_max = 2;
  /// Attempts at a robots.txt that cannot be reached before its origin is given up, and its pages
  /// wait for the next start; 1 to 20.
  std::uint32_t robots_attempts_max = 3;
  /// Between two of them; doubles each time.
  std::chrono::milliseconds robots_retry_delay{5'000};
  /// Memory for the robots.txt rules of all origins; 1 MiB to 64 GiB.
  std::size_t robots_cache_bytes_max = std::size_t{512} << 20;
  /// Leave links alone that say rel=nofollow.
  bool obey_rel_nofollow = true;
  /// Follow the links of a page that is skipped for a copy on another registered domain.
  bool follow_copies_of_other_sites = false;
};

}  // namespace crawler
