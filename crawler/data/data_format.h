#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "crawler/data/journal.h"
#include "crawler/io/log_file.h"
#include "store/store.h"

namespace crawler {

/// What the store of a data directory says of the directory: its format, and how much of each log
/// counts (docs/formats.md).
///
/// Thread safety: that of the store. Cost: a look-up a value.

/// Raised whenever an earlier program would misread what this one writes, or the other way round.
inline constexpr std::string_view kFormatVersion = "9";

/// The store's place in a data directory.
std::filesystem::path StorePath(const std::string& directory);

/// The files of all logs in a data directory.
std::vector<std::string> LogsIn(const std::string& directory);

/// Whether a crawl has begun in `store`, that of `directory`. Fails when it is of a format that
/// this program does not know.
base::Result<bool> HasBegun(const std::string& directory, const store::Store& store);

/// Notes the format of what this program writes: from then on a crawl has begun.
void PutFormat(store::Batch& batch);

/// The parts of a log, and how much of each counts, as of the last commit.
base::Result<std::vector<LogPart>> CommittedParts(const store::Store& store, Log log);

/// Notes how far `log` reaches with what was written last.
void PutLogPart(Log log, const LogFile& file, store::Batch& batch);

}  // namespace crawler
