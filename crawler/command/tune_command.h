#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen tune DATA`: which k suits the pages of a crawl.
void AddTuneCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
