#include "crawler/command_line.h"
#include "crawler/config_command.h"

namespace crawler {

void AddAllCommands(CLI::App& app, CommandLine& line) { AddConfigCommand(app, line); }

}  // namespace crawler
