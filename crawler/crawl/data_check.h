#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace crawler {

/// Reads all that counts of a data directory's store and logs, and holds it against the checksums
/// it was written with; gives a sentence for each table and each part of a log that is damaged.
/// (Opening reads less: docs/durability.md.) WARC files are not looked at.
///
/// Changes nothing; a crawl may run in the directory meanwhile. Cost: a pass over the files.
std::vector<std::string> FindDamage(const std::string& directory, const store::Store& store);

}  // namespace crawler
