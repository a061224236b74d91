#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "crawler/settings/config_file.h"
#include "crawler/settings/options.h"
#include "store/store.h"

namespace crawler {

/// What a crawl keeps of its options from its first run to its last.
struct CrawlSettings {
  /// Keys the frontier's hashes, which are in the store.
  std::uint64_t hash_key = 0;
  /// As CompareSettings() gives them.
  std::vector<std::string> notes;
};

/// What a crawl's last run was told, for one that goes on to be told no more than what changes.
struct EarlierOptions {
  /// All but those that belong to a run (the data directory's name, what is shown, the port it is
  /// watched at) and secret ones.
  KeptOptions kept;
  /// Names of the secret ones that were set. Their values are not kept.
  std::set<std::string> secret;
};

/// The options that KeepSettings() noted last; none in a store without a crawl.
base::Result<EarlierOptions> ReadEarlierOptions(const store::Store& store);

/// Holds `options` against those that the crawl in `store` was run with before. Gives what the
/// user should know: an option that changed, and what that means. Fails with the option's name and
/// both values where fingerprints or URLs would no longer be comparable with those kept.
base::Result<std::vector<std::string>> CompareSettings(const Options& options,
                                                       const store::Store& store);

/// CompareSettings(), and notes the options in `store`: files by their whole names, so that the
/// crawl can go on from any directory.
base::Result<CrawlSettings> KeepSettings(const Options& options, store::Store& store);

}  // namespace crawler
