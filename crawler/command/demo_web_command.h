#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen demo-web`: serves a small web on loopback that shows each kind of duplicate.
void AddDemoWebCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
