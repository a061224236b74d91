#pragma once

#include <optional>
#include <string>

#include "crawler/io/terminal.h"
#include "crawler/settings/config_file.h"

namespace crawler {

/// What one run of a crawl goes by.
struct CrawlRunOptions {
  Options options;
  /// A line each of those that are neither the defaults nor said now, but as they were in the
  /// crawl's last run: "  scope.reach = "any"\n".
  std::string as_before;
};

/// The options of a run: where the data directory holds a crawl that is not to be deleted
/// (`fresh`), what the arguments do not say is as it was in that crawl's last run. Nothing, with
/// the problems told on the error stream, when they are wrong, or a secret option that was set
/// then is not given again.
std::optional<CrawlRunOptions> LoadCrawlOptions(const ConfigArguments& arguments, bool fresh,
                                                Terminal& terminal);

/// The options that the crawl in `data` was run with last, where the arguments say nothing else:
/// for who looks at what it kept as it did. (Secret ones are not kept.)
std::optional<Options> LoadOptionsOf(const std::string& data, const ConfigArguments& arguments,
                                     Terminal& terminal);

}  // namespace crawler
