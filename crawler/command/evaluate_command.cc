#include "crawler/command/commands.h"

#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include "contentseen/detectors/detectors.h"
#include "crawler/command/read_data.h"
#include "crawler/evaluate/evaluation.h"
#include "crawler/evaluate/evaluation_pages.h"
#include "crawler/evaluate/evaluation_report.h"
#include "crawler/evaluate/evaluation_stream.h"
#include "crawler/io/overwriting.h"
#include "crawler/io/whole_file.h"

namespace crawler {
namespace {

constexpr std::size_t kErrorsDefault = 10;

struct EvaluateCommand {
  ConfigArguments config;
  std::string pairs;
  std::string pages;
  bool all_detectors = false;
  bool json = false;
  bool markdown = false;
  bool stream = false;
  std::uint64_t seed = 1;
  std::size_t errors = 0;
  std::string html;
};

std::vector<std::string> DetectorsOf(const EvaluateCommand& command, const Options& options) {
  if (!command.all_detectors) return {options.contentseen.detector};
  const auto names = contentseen::DetectorNames();
  return {names.begin(), names.end()};
}

ExitCode Show(const EvaluateCommand& command, const LabelledPages& set,
              const std::vector<SourcedPage>& pages, const std::vector<Evaluation>& evaluations,
              Terminal& terminal) {
  Output& out = terminal.out;
  if (command.json) {
    out.Write(EvaluationJson(set, evaluations));
  } else if (command.markdown) {
    out.Write(MarkdownText(EvaluationTables(set, evaluations)));
  } else {
    out.Write(TerminalText(EvaluationTables(set, evaluations), out.Width(), out.colours()));
  }
  if (command.errors > 0) {
    for (const Evaluation& evaluation : evaluations) {
      out.Write(MistakesText(set, evaluation, pages, command.errors, out.colours()));
    }
  }
  if (!command.html.empty()) {
    base::Status written = WriteWholeFile(command.html, EvaluationHtml(set, evaluations));
    if (!written) return Complain(terminal, written.error().message);
  }
  return kExitOk;
}

/// Every page of the set through one ContentSeen of each detector.
ExitCode RunStream(const EvaluateCommand& command, const LabelledPages& set,
                   const std::vector<SourcedPage>& pages,
                   std::vector<std::unique_ptr<contentseen::Detector>> detectors,
                   const Options& options, Terminal& terminal) {
  const std::vector<std::uint32_t> order = Shuffled(pages.size(), command.seed);
  std::vector<StreamEvaluation> evaluations;
  for (std::unique_ptr<contentseen::Detector>& detector : detectors) {
    const std::string name(detector->name());
    contentseen::ContentSeen seen(options.contentseen, std::move(detector));
    evaluations.push_back(ScoreStream(set, Stream(pages, order, seen)));
    evaluations.back().detector = name;
  }
  Output& out = terminal.out;
  if (command.json) {
    out.Write(StreamJson(set, command.seed, evaluations));
    return kExitOk;
  }
  const std::vector<ReportTable> tables = StreamTables(set, command.seed, evaluations);
  out.Write(command.markdown ? MarkdownText(tables)
                             : TerminalText(tables, out.Width(), out.colours()));
  for (const StreamEvaluation& evaluation : evaluations) {
    if (command.errors == 0) break;
    out.Write(StreamMistakesText(set, evaluation, pages, command.errors, out.colours()));
  }
  return kExitOk;
}

ExitCode Run(const EvaluateCommand& command, Terminal& terminal) {
  std::optional<Options> options = LoadOptionsOrComplain(command.config, terminal);
  if (!options) return kExitUsage;
  if (!command.html.empty()) {
    const std::filesystem::path folder = std::filesystem::path(command.pairs).parent_path();
    const std::array<std::string, 4> inputs = {command.pairs, command.pages,
                                               (folder / kPagesTable).string(),
                                               (folder / kGreyTable).string()};
    if (auto spared = SparesInputs("--html", command.html, inputs); !spared) {
      return Complain(terminal, spared.error().message, kExitUsage);
    }
  }
  const ExitCode there = MayBeRead({command.pairs, command.pages}, terminal);
  if (there != kExitOk) return there;
  base::Result<LabelledPages> set = ReadLabelledPages(command.pairs);
  if (!set) return Complain(terminal, set.error().message);
  const std::size_t count = command.stream ? set->pages.size() : set->paired;
  auto pages = SourcePages(*set, count, command.pages, *options);
  if (!pages) return Complain(terminal, pages.error().message);
  auto detectors = MakeDetectors(DetectorsOf(command, *options), *pages, *options);
  if (!detectors) return Complain(terminal, detectors.error().message, kExitUsage);
  if (command.stream) {
    return RunStream(command, *set, *pages, std::move(*detectors), *options, terminal);
  }
  const auto judged = SketchPages(*pages, *detectors, *options);
  std::vector<Evaluation> evaluations;
  for (std::size_t i = 0; i < detectors->size(); ++i) {
    evaluations.push_back(Evaluate(*set, judged[i], *(*detectors)[i]));
  }
  return Show(command, *set, *pages, evaluations, terminal);
}

/// --detector as the option table has it, and "all" besides.
void AddDetectorArgument(CLI::App& command, EvaluateCommand& arguments) {
  command.remove_option(command.get_option("--detector"));
  CLI::callback_t take = [&arguments](const CLI::results_t& values) {
    arguments.all_detectors = values.back() == "all";
    if (!arguments.all_detectors) {
      arguments.config.assignments.emplace_back("contentseen.detector", values.back());
    }
    return true;
  };
  const auto detectors = contentseen::DetectorNames();
  std::vector<std::string> names(detectors.begin(), detectors.end());
  names.emplace_back("all");
  command.add_option("--detector", take, "The detector to judge, or all of them")
      ->type_name(OneOf(names))
      ->expected(1);
}

}  // namespace

void AddEvaluateCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand(
      "evaluate", "Hold the detectors against pairs of pages that people have judged");
  auto arguments = std::make_shared<EvaluateCommand>();
  command
      ->add_option("PAIRS", arguments->pairs,
                   "Table of pairs: path_a, path_b, label (dup or distinct), why; pages.tsv and "
                   "grey.tsv may stand beside it")
      ->type_name("FILE")
      ->required();
  command->add_option("--pages", arguments->pages, "Folder that the paths of PAIRS start from")
      ->type_name("DIR")
      ->required();
  CLI::Option* json = command->add_flag("--json", arguments->json, "As one JSON object");
  command->add_flag("--markdown", arguments->markdown, "Tables in Markdown")->excludes(json);
  command
      ->add_option(
          "--errors", arguments->errors,
          "Also show the worst mistakes, so many of either kind, and how the texts differ")
      ->type_name("[N]")
      ->expected(0, 1)
      ->check(CLI::Range(0, 1'000'000).description(""))
      ->default_str(std::to_string(kErrorsDefault))
      ->excludes(json);
  CLI::Option* html =
      command->add_option("--html", arguments->html, "Also write a page with tables and curves")
          ->type_name("FILE")
          ->check(NoDash());
  CLI::Option* stream =
      command
          ->add_flag("--stream", arguments->stream,
                     "Judge no pairs: put all pages before the detector one after another, as a "
                     "crawl does, and score every page that is flagged")
          ->excludes(html);
  command->add_option("--seed", arguments->seed, "Decides the order of --stream")
      ->type_name("S")
      ->check(FitsUint64())
      ->needs(stream)
      ->capture_default_str();
  AddConfigArguments(*command, arguments->config);
  AddDetectorArgument(*command, *arguments);
  AddExamples(*command, {{"contentseen evaluate pairs.tsv --pages pages --detector all",
                          "Precision and recall of every detector"},
                         {"contentseen evaluate pairs.tsv --pages pages --errors 3",
                          "Three of the worst mistakes of either kind"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
