#include "crawler/command/commands.h"

#include "crawler/command/manual_command.h"
#include "crawler/command/skipped_command.h"

namespace crawler {

void AddAllCommands(CLI::App& app, CommandLine& line) {
  AddCrawlCommand(app, line);
  AddSkippedCommand(app, line);
  AddStatusCommand(app, line);
  AddReportCommand(app, line);
  AddTextsCommand(app, line);
  AddDedupCommand(app, line);
  AddCompareCommand(app, line);
  AddEvaluateCommand(app, line);
  AddRobotsCommand(app, line);
  AddUrlCommand(app, line);
  AddConfigCommand(app, line);
  AddDemoWebCommand(app, line);
  AddIndexCommand(app, line);
  AddLexiconCommand(app, line);
  AddTuneCommand(app, line);
  AddManualCommands(app, line);
}

}  // namespace crawler
