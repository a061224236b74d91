#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "crawler/settings/options.h"
#include "store/store.h"

namespace crawler {

/// What a crawl keeps of its options from its first run to its last.
struct CrawlSettings {
  /// Keys the frontier's hashes, which are in the store.
  std::uint64_t hash_key = 0;
  /// What the user should know: an option that changed, and what that means.
  std::vector<std::string> notes;
};

/// Holds `options` against those that the crawl in `store` began with; notes them there where it
/// begins now. Fails with the option's name and both values where fingerprints or URLs would no
/// longer be comparable with those kept.
base::Result<CrawlSettings> KeepSettings(const Options& options, store::Store& store);

}  // namespace crawler
