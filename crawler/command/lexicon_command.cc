#include "crawler/command/commands.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "contentseen/detectors/lexicon.h"
#include "crawler/command/read_data.h"

namespace crawler {
namespace {

struct LexiconCommand {
  ConfigArguments config;
  std::string data;
  std::string output;
  contentseen::LexiconWindow window;
};

ExitCode Run(const LexiconCommand& command, Terminal& terminal) {
  if (const ExitCode found = FindCrawl(command.data, terminal); found != kExitOk) return found;
  std::optional<Options> options = LoadOptionsOrComplain(command.config, terminal);
  if (!options) return kExitUsage;
  if (command.window.nidf_min_percent > command.window.nidf_max_percent) {
    return Complain(terminal, "--nidf-min is larger than --nidf-max", kExitUsage);
  }
  if (auto spared = SparesData(command.output, command.data); !spared) {
    return Complain(terminal, spared.error().message, kExitUsage);
  }
  auto output = DataOutput::Open(command.output, terminal);
  if (!output) return Complain(terminal, output.error().message, kExitUsage);
  contentseen::LexiconBuilder builder;
  contentseen::AnalyzedText terms(options->contentseen.features);
  auto read = ReadKeptTexts(command.data, [&](const PageRecord&, const std::string& text) {
    terms.Assign(text);
    builder.Add(terms);
    return true;
  });
  if (!read) return Complain(terminal, read.error().message);
  if (read->texts == 0) return Complain(terminal, NoPageStored(command.data));
  const contentseen::Lexicon lexicon = builder.Build(command.window);
  if (lexicon.terms().empty()) {
    return Complain(terminal, fmt::format("no term of these {} texts has a normalised idf of {} "
                                          "to {} %: widen --nidf-min and --nidf-max",
                                          read->texts, command.window.nidf_min_percent,
                                          command.window.nidf_max_percent));
  }
  output->Write(lexicon.Text());
  const ExitCode code = output->Close(fmt::format(
      "version {}, {} terms of {} texts; use it with detector = \"i-match\", "
      "lexicon = \"{}\"",
      lexicon.version(), lexicon.terms().size(), read->texts, Escaped(command.output)));
  if (code == kExitOk) TellPassedOver(*read, terminal);
  return code;
}

}  // namespace

void AddLexiconCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand(
      "lexicon", "Make the lexicon that the detector i-match needs, from a crawl's texts");
  auto arguments = std::make_shared<LexiconCommand>();
  command->add_option("DATA", arguments->data, "Data directory of a crawl")
      ->type_name("DIR")
      ->required();
  command
      ->add_option("-o,--output", arguments->output, "The lexicon to write; - for standard output")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--nidf-min", arguments->window.nidf_min_percent,
                   "Least normalised inverse document frequency of a term taken, in percent")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command->add_option("--nidf-max", arguments->window.nidf_max_percent, "The largest")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  AddConfigArguments(*command, arguments->config);
  AddExamples(*command, {{"contentseen lexicon my-crawl -o my.lexicon",
                          "From all texts that a crawl kept"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
