#include "crawler/command/command_line.h"
#include "crawler/command/compare_command.h"
#include "crawler/command/config_command.h"
#include "crawler/command/crawl_command.h"
#include "crawler/command/dedup_command.h"
#include "crawler/command/demo_web_command.h"
#include "crawler/command/evaluate_command.h"
#include "crawler/command/index_command.h"
#include "crawler/command/lexicon_command.h"
#include "crawler/command/manual_command.h"
#include "crawler/command/report_command.h"
#include "crawler/command/robots_command.h"
#include "crawler/command/skipped_command.h"
#include "crawler/command/status_command.h"
#include "crawler/command/texts_command.h"
#include "crawler/command/tune_command.h"
#include "crawler/command/url_command.h"

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
