#pragma once

#include "base/result.h"
#include "crawler/crawl.h"
#include "crawler/options.h"
#include "crawler/terminal.h"

namespace crawler {

/// Runs `crawl` to its end, showing progress on the error stream: on a terminal one line that is
/// renewed, elsewhere a line every LogOptions::progress_interval. SIGINT, SIGTERM and SIGHUP stop
/// the crawl cleanly; the second of them drops what is in flight.
///
/// REQUIRES: no thread was started yet (signals are taken over for the whole process).
base::Status RunWatched(Crawl& crawl, const LogOptions& options, Terminal& terminal);

}  // namespace crawler
