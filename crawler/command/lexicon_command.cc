#include "crawler/command/lexicon_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "contentseen/detectors/lexicon.h"
#include "crawler/data/data_format.h"
#include "crawler/data/page_log.h"
#include "crawler/data/text_store.h"
#include "crawler/io/overwriting.h"

namespace crawler {
namespace {

struct LexiconCommand {
  ConfigArguments config;
  std::string data;
  std::string output;
  contentseen::LexiconWindow window;
};

struct TextsRead {
  std::uint64_t texts = 0;
  std::uint64_t missing = 0;
  std::vector<LogFault> faults;
};

/// Counts the terms of every stored page whose text was kept.
base::Result<TextsRead> AddTexts(const std::filesystem::path& data, const Options& options,
                                 contentseen::LexiconBuilder& builder) {
  auto store = OpenTextStoreForReading(data / kTextStoreName);
  if (!store) return base::Fail(store.error().message);
  contentseen::AnalyzedText text(options.contentseen.features);
  TextsRead read;
  base::Status failed;
  base::Status log = ReadLog<PageRecord>(
      data / kPageLogName,
      [&](std::size_t, const PageRecord& page) {
        auto stored = (*store)->Get(page.text_id);
        if (!stored) {
          failed = base::Fail(stored.error().message);
          return false;
        }
        if (!*stored) {
          ++read.missing;
          return true;
        }
        text.Assign(**stored);
        builder.Add(text);
        ++read.texts;
        return true;
      },
      read.faults);
  if (!log) return base::Fail(log.error().message);
  if (!failed) return base::Fail(failed.error().message);
  return read;
}

ExitCode Run(const LexiconCommand& command, Terminal& terminal) {
  std::optional<Options> options = LoadOptionsOrComplain(command.config, terminal);
  if (!options) return kExitUsage;
  if (command.window.nidf_min_percent > command.window.nidf_max_percent) {
    return Complain(terminal, "--nidf-min is larger than --nidf-max", kExitUsage);
  }
  std::vector<std::string> spare = LogsIn(command.data);
  spare.push_back(StorePath(command.data).string());
  if (auto spared = SparesInputs("--output", command.output, spare); !spared) {
    return Complain(terminal, spared.error().message, kExitUsage);
  }
  contentseen::LexiconBuilder builder;
  auto read = AddTexts(command.data, *options, builder);
  if (!read) return Complain(terminal, read.error().message);
  if (read->texts == 0) {
    return Complain(terminal, command.data +
                                  ": holds no text of a stored page; crawl with "
                                  "texts.keep = true");
  }
  const contentseen::Lexicon lexicon = builder.Build(command.window);
  if (lexicon.terms().empty()) {
    return Complain(terminal, fmt::format("no term of these {} texts has a normalised idf of {} "
                                          "to {} %: widen --nidf-min and --nidf-max",
                                          read->texts, command.window.nidf_min_percent,
                                          command.window.nidf_max_percent));
  }
  if (base::Status written = lexicon.Write(command.output); !written) {
    return Complain(terminal, written.error().message);
  }
  terminal.out.Write(
      fmt::format("{}: version {}, {} terms of {} texts; use it with detector = \"i-match\", "
                  "lexicon = \"{}\"\n",
                  Escaped(command.output), lexicon.version(), lexicon.terms().size(), read->texts,
                  Escaped(command.output)));
  if (read->missing > 0) {
    terminal.err.Write(fmt::format("{} stored pages have no text\n", read->missing));
  }
  if (!read->faults.empty()) {
    terminal.err.Write(fmt::format("{} lines of {} are no records, and were passed over\n",
                                   read->faults.size(), kPageLogName));
  }
  return kExitOk;
}

}  // namespace

void AddLexiconCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand(
      "lexicon", "Make the lexicon that the detector i-match needs, from a crawl's texts");
  auto arguments = std::make_shared<LexiconCommand>();
  command->add_option("DATA", arguments->data, "Data directory of a crawl")
      ->type_name("DIR")
      ->required();
  command->add_option("-o,--output", arguments->output, "The lexicon to write")
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
