#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen report`: what a crawl left behind, as one web page.
void AddReportCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
