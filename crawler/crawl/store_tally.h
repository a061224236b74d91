#pragma once

#include <cstdint>

#include "base/result.h"
#include "crawler/crawl/crawl_snapshot.h"

namespace crawler {

/// How many of each thing the tables of a store hold. A commit changes them together with the
/// figures that tell of them: where the two differ, part of the store was lost.
struct StoreTally {
  std::uint64_t waiting = 0;  // URLs in the queue
  std::uint64_t seen = 0;     // hashes of URLs
  std::uint64_t hosts = 0;
  std::uint64_t bodies = 0;  // records of documents: one of each different body
};

/// What the figures tell of. REQUIRES: no lease is out, as in what was committed.
StoreTally TallyOf(const CrawlSnapshot& at);

/// Fails, with what differs first, where the tables hold something else than was committed.
base::Status CheckTally(const StoreTally& committed, const StoreTally& found);

}  // namespace crawler
