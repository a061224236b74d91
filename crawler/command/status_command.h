#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen status --data DIR`: where the crawl in a data directory stands, also while a
/// process carries it on.
void AddStatusCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
