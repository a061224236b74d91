#include "crawler/command_line.h"
#include "crawler/config_command.h"
#include "crawler/crawl_command.h"
#include "crawler/skipped_command.h"

namespace crawler {

void AddAllCommands(CLI::App& app, CommandLine& line) {
  AddCrawlCommand(app, line);
  AddSkippedCommand(app, line);
  AddConfigCommand(app, line);
}

}  // namespace crawler
