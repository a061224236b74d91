#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen config`: prints the configuration as a commented TOML file, as JSON, or as the
/// page docs/options.md.
void AddConfigCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
