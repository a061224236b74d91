#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen index plan` and `contentseen index join`: the Hamming index from outside.
void AddIndexCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
