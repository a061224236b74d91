#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen dedup INPUT...`: which documents of existing corpora are duplicates.
void AddDedupCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
