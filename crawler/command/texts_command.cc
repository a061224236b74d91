#include "crawler/command/commands.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "crawler/command/read_data.h"
#include "crawler/io/jsonl.h"

namespace crawler {
namespace {

struct TextsCommand {
  std::string data = CrawlOptions().data;
  std::string output = "-";
};

std::string LineOf(const PageRecord& page, const std::string& text) {
  JsonLine line;
  line.Text("url", page.url);
  line.Text("title", page.title);
  line.Text("text", text);
  return line.Finish();
}

ExitCode Run(const TextsCommand& command, Terminal& terminal) {
  if (const ExitCode found = FindCrawl(command.data, terminal); found != kExitOk) return found;
  if (auto spared = SparesData(command.output, command.data); !spared) {
    return Complain(terminal, spared.error().message, kExitUsage);
  }
  auto output = DataOutput::Open(command.output, terminal);
  if (!output) return Complain(terminal, output.error().message, kExitUsage);
  auto read = ReadKeptTexts(command.data, [&](const PageRecord& page, const std::string& text) {
    return output->Write(LineOf(page, text));
  });
  if (!read) return Complain(terminal, read.error().message);
  const ExitCode code = output->Close(fmt::format("{} texts", read->texts));
  if (code != kExitOk) return code;
  if (read->texts == 0) terminal.err.Write(Escaped(NoPageStored(command.data)) + "\n");
  TellPassedOver(*read, terminal);
  return code;
}

}  // namespace

void AddTextsCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand(
      "texts",
      "Write the texts that a crawl kept: of each stored page a JSON line of url, title "
      "and text");
  auto arguments = std::make_shared<TextsCommand>();
  command->add_option("DATA", arguments->data, "Data directory of the crawl")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "File to write; - for standard output")
      ->type_name("FILE")
      ->capture_default_str();
  AddExamples(*command, {{"contentseen texts my-crawl | gzip > my-texts.jsonl.gz",
                          "A collection of texts for other programs, and for dedup"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
