#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen crawl SEEDS...`
void AddCrawlCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
