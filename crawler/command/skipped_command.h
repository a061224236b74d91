#pragma once

#include <cstddef>
#include <string>

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen skipped`: shows, filters, groups and diffs what a crawl skipped.
void AddSkippedCommand(CLI::App& app, CommandLine& line);

/// The first `count` skipped pages of the crawl in `data`, as `contentseen skipped` lists them.
/// Gives the number of the first near-duplicate, for `contentseen skipped --diff`; nothing when
/// there is none. What is wrong with the log goes to the error stream.
std::optional<std::size_t> ShowFirstSkipped(const std::string& data, std::size_t count,
                                            Terminal& terminal);

}  // namespace crawler
