#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen robots`: whether a robots.txt allows a URL, and by which of its lines.
void AddRobotsCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
