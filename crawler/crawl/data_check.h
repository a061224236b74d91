#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace crawler {

/// Reads all that counts of a data directory's store, logs and WARC files, and holds it against
/// the checksums it was written with; gives a sentence for each table, part of a log, and WARC
/// file that is damaged. (Opening reads less: docs/durability.md.)
///
/// Changes nothing; a crawl may run in the directory meanwhile. Cost: a pass over the files.
std::vector<std::string> FindDamage(const std::string& directory, const store::Store& store);

}  // namespace crawler
