#pragma once

#include "base/result.h"
#include "crawler/command/stop_signals.h"
#include "crawler/crawl/crawl.h"
#include "crawler/io/terminal.h"
#include "crawler/settings/options.h"

namespace crawler {

/// Runs `crawl` to its end, showing progress on the error stream: on a terminal one line that is
/// renewed, elsewhere a line every LogOptions::progress_interval. What nobody reads (a pipe is
/// full) is left out. SIGINT, SIGTERM and SIGHUP stop the crawl cleanly; the second of them drops
/// what is in flight.
///
/// REQUIRES: `signals` was made before the crawl, whose threads must not take them.
base::Status RunWatched(Crawl& crawl, const LogOptions& options, StopSignals& signals,
                        Terminal& terminal);

}  // namespace crawler
