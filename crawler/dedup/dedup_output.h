#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/result.h"

namespace crawler {

/// Copies the corpus at `input` to `output` without its duplicates, in its own format: WARC
/// records as the bytes they are, a skipped one together with the request and notes that belong to
/// it; JSON lines as they stand; the files of a folder. What was not judged is kept.
///
/// `is_skipped(n)` is asked of the corpus's n-th document, from 1, in order. Replaces `output`
/// where it is a file. Fails with the name and the system's reason. Cost: reads the input again.
base::Status WriteDeduplicated(const std::filesystem::path& input,
                               const std::filesystem::path& output,
                               const std::function<bool(std::uint64_t)>& is_skipped);

}  // namespace crawler
