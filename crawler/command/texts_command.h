#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen texts`: the texts that a crawl kept, for other programs.
void AddTextsCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
