#include "crawler/command/commands.h"

#include <memory>
#include <string>

#include "crawler/command/read_data.h"
#include "crawler/io/units.h"
#include "crawler/report/report.h"
#include "crawler/report/report_page.h"

namespace crawler {
namespace {

struct ReportCommand {
  std::string data = CrawlOptions().data;
  std::string output = "report.html";
  std::string texts;
  ReportLimits limits;
};

ExitCode Run(ReportCommand command, Terminal& terminal) {
  if (!command.texts.empty()) {
    auto bytes = ParseBytes(command.texts);
    if (!bytes) {
      return Complain(terminal, "--texts: \"" + command.texts + "\" is no size, as 8MiB",
                      kExitUsage);
    }
    command.limits.texts_bytes_max = *bytes;
  }
  if (auto spared = SparesData(command.output, command.data); !spared) {
    return Complain(terminal, spared.error().message, kExitUsage);
  }
  if (const ExitCode found = FindCrawl(command.data, terminal); found != kExitOk) return found;
  auto output = DataOutput::Open(command.output, terminal);
  if (!output) return Complain(terminal, output.error().message, kExitUsage);
  auto report = ReadReport(command.data, command.limits);
  if (!report) return Complain(terminal, report.error().message);
  const std::string page = ReportPage(*report);
  output->Write(page);
  return output->Close(FormatBytes(page.size()) + ", " + std::to_string(report->rows.size()) +
                       " skipped pages listed");
}

}  // namespace

void AddReportCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand(
      "report", "Write what a crawl left behind as one web page that needs no server");
  auto arguments = std::make_shared<ReportCommand>();
  command->add_option("DATA", arguments->data, "Data directory of the crawl")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "File to write; - for standard output")
      ->type_name("FILE")
      ->capture_default_str();
  command
      ->add_option("--rows", arguments->limits.rows_max,
                   "Skipped pages listed one by one, at most")
      ->type_name("ROWS")
      ->check(CLI::Range(0, 1'000'000).description(""))
      ->capture_default_str();
  command
      ->add_option("--texts", arguments->texts,
                   "Texts to compare side by side, at most; near-duplicates come first [8MiB]")
      ->type_name("SIZE");
  AddExamples(*command,
              {{"contentseen report my-crawl -o report.html", "One file that a browser shows"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
