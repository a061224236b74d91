#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/result.h"
#include "crawler/dedup/dedup_corpus.h"

namespace crawler {

/// Copies the corpus at `input` to `output` without its duplicates, in its own format: WARC
/// records as the bytes they are, a skipped one left out together with the requests and notes that
/// name it or are named by it (WARC-Concurrent-To; WARC-Refers-To of a note that has none); JSON
/// lines as they stand; the files of a folder. What was not judged is kept. Of requests and notes
/// that come before their document 64 wait for theirs, or 64 MiB, and stand right before it in the
/// output; behind it they may be 64 documents late. What comes earlier or later is kept, and so is
/// what waited in vain, further back than it stood. WARC files and JSON lines are compressed where
/// the name of `output` ends in .gz, whatever the input is.
///
/// `is_skipped(n)` is asked of the corpus's n-th document, from 1, in order. `judged` is the
/// corpus as the verdicts were found; fails where it is another one now, for they may belong to
/// other documents. Fails with the name and the system's reason, and leaves what was written by
/// then. Replaces `output` where it is a file. Cost: reads the input again.
base::Status WriteDeduplicated(const std::filesystem::path& input,
                               const std::filesystem::path& output, const CorpusTrace& judged,
                               const std::function<bool(std::uint64_t)>& is_skipped);

}  // namespace crawler
