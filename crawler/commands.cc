#include "crawler/command_line.h"
#include "crawler/compare_command.h"
#include "crawler/config_command.h"
#include "crawler/crawl_command.h"
#include "crawler/dedup_command.h"
#include "crawler/demo_web_command.h"
#include "crawler/evaluate_command.h"
#include "crawler/index_command.h"
#include "crawler/lexicon_command.h"
#include "crawler/manual_command.h"
#include "crawler/report_command.h"
#include "crawler/robots_command.h"
#include "crawler/skipped_command.h"
#include "crawler/status_command.h"
#include "crawler/tune_command.h"
#include "crawler/url_command.h"

namespace crawler {

void AddAllCommands(CLI::App& app, CommandLine& line) {
  AddCrawlCommand(app, line);
  AddSkippedCommand(app, line);
  AddStatusCommand(app, line);
  AddReportCommand(app, line);
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
