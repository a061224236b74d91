#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen compare A B`: would B be a duplicate of A, and how near are they?
void AddCompareCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
