#include "crawler/command/commands.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "crawler/command/crawl_options.h"
#include "crawler/command/read_data.h"
#include "crawler/data/page_log.h"
#include "crawler/data/skip_log.h"
#include "crawler/data/text_store.h"
#include "crawler/evaluate/tuning.h"
#include "crawler/evaluate/tuning_report.h"

namespace crawler {
namespace {

struct TuneCommand {
  ConfigArguments config;
  std::string data;
  TuningOptions tuning;
  bool json = false;
};

/// What the logs tell.
struct LoggedPages {
  std::uint64_t lines = 0;
  std::vector<TunedPage> with_text;
};

/// The same bytes met again were not judged again: they go by the text of the first, which has a
/// line of its own, and where that names none there is none.
bool HasSameBytes(const PageRecord&) { return false; }
bool HasSameBytes(const SkipRecord& record) { return !record.same_bytes_as.empty(); }

/// Adds the pages of a log, as far as `store` knows of it. A log that was never begun has none.
template <class Record>
base::Status AddPages(const std::filesystem::path& log, const TextStore& store, Log which,
                      LoggedPages& pages, Terminal& terminal) {
  std::error_code ignored;  // a failure to ask shows as a failure to open
  if (!std::filesystem::exists(log, ignored)) return {};
  auto counted = store.LogBytes(which);
  if (!counted) return base::Fail(counted.error().message);
  std::vector<LogFault> faults;
  base::Status read = ReadLog<Record>(
      log,
      [&](std::size_t, const Record& record) {
        ++pages.lines;
        if (record.text_id != 0 && !HasSameBytes(record)) {
          pages.with_text.push_back({record.url, record.fingerprint, record.text_id});
        }
        return true;
      },
      faults, *counted);
  pages.lines += faults.size();
  if (!faults.empty()) Complain(terminal, DescribeFaults(log, faults));
  return read;
}

base::Result<Tuning> TuneData(const std::filesystem::path& data, const TuningOptions& options,
                              Terminal& terminal) {
  auto store = OpenTextStoreForReading(data / kTextStoreName);
  if (!store) return base::Fail(store.error().message);
  LoggedPages logged;
  const base::Status reads[] = {
      AddPages<PageRecord>(data / kPageLogName, **store, Log::kPages, logged, terminal),
      AddPages<SkipRecord>(data / kSkipLogName, **store, Log::kSkipped, logged, terminal)};
  for (const base::Status& read : reads) {
    if (!read) return base::Fail(read.error().message);
  }
  if (logged.lines == 0) return base::Fail(NoPageStored(data.string()));
  const std::vector<TunedPage>& pages = logged.with_text;
  if (pages.empty()) {
    return base::Fail(data.string() + ": no page has a kept text; crawl with texts.keep = true");
  }
  return Tune(
      pages, [&](std::uint64_t id) { return (*store)->Get(id); }, options);
}

ExitCode Run(const TuneCommand& command, Terminal& terminal) {
  if (const ExitCode found = FindCrawl(command.data, terminal); found != kExitOk) return found;
  std::optional<Options> options = LoadOptionsOf(command.data, command.config, terminal);
  if (!options) return kExitUsage;
  TuningOptions tuning = command.tuning;
  tuning.judging = options->contentseen;
  auto tuned = TuneData(command.data, tuning, terminal);
  if (!tuned) return Complain(terminal, tuned.error().message);
  terminal.out.Write(command.json ? TuningJson(*tuned)
                                  : TuningText(*tuned, terminal.out.colours()));
  return kExitOk;
}

}  // namespace

void AddTuneCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand(
      "tune", "Show how much alike a crawl's pages are at each distance, and suggest k");
  auto arguments = std::make_shared<TuneCommand>();
  TuningOptions& tuning = arguments->tuning;
  command->add_option("DATA", arguments->data, "Data directory of a crawl")
      ->type_name("DIR")
      ->required();
  command->add_flag("--json", arguments->json, "As one JSON object");
  command
      ->add_option("--resemblance-min", tuning.resemblance_min,
                   "k is the largest distance up to which half of the pairs share so much")
      ->check(CLI::Range(0.0, 1.0))
      ->check(NoNan())
      ->capture_default_str();
  command->add_option("--pairs", tuning.pairs_per_distance, "Pairs compared of each distance")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--random", tuning.random_pairs, "Pairs taken at random")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  command->add_option("--examples", tuning.examples, "Examples shown of each distance")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command->add_option("--pages-max", tuning.pages_max, "Of more pages, a random choice of so many")
      ->check(CLI::Range(2, 100'000'000))
      ->capture_default_str();
  command->add_option("--seed", tuning.seed, "Decides what is chosen at random")
      ->check(FitsUint64())
      ->capture_default_str();
  AddConfigArguments(*command, arguments->config);
  AddExamples(*command, {{"contentseen tune my-crawl --examples 3",
                          "With three examples of each distance"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
