#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen evaluate`: the detectors against pages that people have judged.
void AddEvaluateCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
