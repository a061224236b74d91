#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crawler/warc/warc_writer.h"

namespace crawler {

/// Reads the files of a series in `directory` and holds each record against the digest of its
/// block, and each finished file against its index, as far as that is there: all that is indexed
/// must be, and one record at least. Gives a sentence for each file that is damaged, with the
/// place where that begins. What lies behind `position` does not count, and a finished file that
/// is gone together with its index may have been moved.
///
/// Changes nothing; the series may be written meanwhile. Cost: a pass over the files; memory of
/// the largest record.
std::vector<std::string> FindWarcDamage(const std::filesystem::path& directory,
                                        const WarcPosition& position);

}  // namespace crawler
