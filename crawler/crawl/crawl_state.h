#pragma once

#include <optional>

#include "base/result.h"
#include "crawler/crawl/crawl_snapshot.h"
#include "crawler/settings/options.h"
#include "store/store.h"

namespace crawler {

/// Puts where a crawl stands into a commit, a named number for each figure.
///
/// Thread safety: pure.
void PutSnapshot(const CrawlSnapshot& snapshot, store::Batch& batch);

/// Where the crawl stood at its last commit; nothing before the first one.
base::Result<std::optional<CrawlSnapshot>> ReadSnapshot(const store::Store& store);

/// Fails where what a crawl that stood at `at` has to keep in memory is too much for these
/// options, with the least that would do: known before anything of it is loaded.
base::Status FitsMemory(const CrawlSnapshot& at, const Options& options);

}  // namespace crawler
