#include "crawler/command/texts_command.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
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
  const bool to_file = command.output != "-";
  if (auto spared = SparesData(command.output, command.data); to_file && !spared) {
    return Complain(terminal, spared.error().message, kExitUsage);
  }
  std::ofstream file;
  int error = 0;
  auto write = [&](const PageRecord& page, const std::string& text) {
    if (!to_file) return terminal.out.Write(LineOf(page, text));
    // Opened no earlier: where there is nothing to write, what is there stays.
    if (!file.is_open()) file.open(command.output, std::ios::binary | std::ios::trunc);
    if (!(file << LineOf(page, text))) error = errno;
    return file.good();
  };
  auto read = ReadKeptTexts(command.data, write);
  if (!read) return Complain(terminal, read.error().message);
  if (file.is_open()) file.close();
  if (to_file && !file) {
    return Complain(terminal, command.output + ": cannot be written: " +
                                  std::strerror(error != 0 ? error : errno));
  }
  if (to_file) {
    terminal.out.Write(fmt::format("{}: {} texts\n", Escaped(command.output), read->texts));
  }
  TellPassedOver(*read, terminal);
  return kExitOk;
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
