#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen url`: the one form in which the crawler keeps a URL, or why it refuses it.
void AddUrlCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
