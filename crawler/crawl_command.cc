#include "crawler/crawl_command.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "crawler/crawl.h"
#include "crawler/crawl_log.h"
#include "crawler/crawl_watch.h"
#include "crawler/curl_fetcher.h"
#include "crawler/progress.h"
#include "crawler/seeds.h"
#include "crawler/skipped_command.h"

namespace crawler {
namespace {

struct CrawlCommand {
  ConfigArguments config;
  std::vector<std::string> seed_files;
  bool check_config = false;
  bool fresh = false;
  bool yes = false;
  bool json = false;
};

// Skipped duplicates shown after a crawl.
constexpr std::size_t kSkippedShown = 8;

base::Status EraseIfAsked(const CrawlCommand& command, const std::string& data) {
  if (!command.fresh) return {};
  if (!command.yes && CrawlLog::IsThere(data)) {
    return base::Fail("--fresh would delete the crawl in " + data + ": add --yes to agree");
  }
  return CrawlLog::Erase(data);
}

void ComplainOfSeeds(const Seeds& seeds, Terminal& terminal) {
  for (const BadSeed& bad : seeds.bad) {
    terminal.err.Write(Escaped(bad.Sentence()) + "\n");
  }
  if (seeds.duplicates > 0) {
    terminal.err.Write(fmt::format("{} seeds stand more than once\n", seeds.duplicates));
  }
}

// The commands that show more of the crawl in `data`, whose first near-duplicate is page `near`.
std::string LookFurther(const std::string& data, std::optional<std::size_t> near) {
  std::string text = fmt::format(
      "\nLook further:\n"
      "  contentseen skipped {0}                      all skipped pages, with their originals\n"
      "  contentseen skipped {0} --group-by original\n",
      data);
  if (near) {
    text += fmt::format("  contentseen skipped {} --diff {}             what differs in page {}\n",
                        data, *near, *near);
  }
  return text + fmt::format("  {}/pages.jsonl, skipped.jsonl, other.jsonl\n", data);
}

void ShowEnd(const CrawlCommand& command, const std::string& data, const CrawlSnapshot& end,
             Terminal& terminal) {
  if (command.json) {
    terminal.out.Write(SummaryJson(end) + "\n");
    return;
  }
  terminal.out.Write("\n" + SummaryText(end));
  std::optional<std::size_t> near;
  if (end.statistics.InGroup(DispositionGroup::kSkipped) > 0) {
    terminal.out.Write("\nFirst skipped duplicates:\n");
    near = ShowFirstSkipped(data, kSkippedShown, terminal);
  }
  terminal.out.Write(LookFurther(data, near));
}

ExitCode Run(const CrawlCommand& command, Terminal& terminal) {
  std::optional<Options> options = LoadOptionsOrComplain(command.config, terminal);
  if (!options) return kExitUsage;
  if (command.check_config) {
    terminal.out.Write("The configuration is good.\n");
    return kExitOk;
  }
  base::Result<Seeds> seeds = ReadSeeds(command.seed_files, options->url);
  if (!seeds) return Complain(terminal, seeds.error().message, kExitUsage);
  ComplainOfSeeds(*seeds, terminal);

  if (auto erased = EraseIfAsked(command, options->crawl.data); !erased) {
    return Complain(terminal, erased.error().message, kExitUsage);
  }
  const base::SystemClock clock;
  auto crawl = Crawl::Create(*options, clock, [&]() -> base::Result<std::unique_ptr<Fetcher>> {
    return CurlFetcher::Create(options->fetch, clock).map([](auto fetcher) {
      return std::unique_ptr<Fetcher>(std::move(fetcher));
    });
  });
  if (!crawl) return Complain(terminal, crawl.error().message, kExitUsage);
  (*crawl)->AddSeeds(seeds->urls);

  base::Status status = RunWatched(**crawl, options->log, terminal);
  CrawlSnapshot end = (*crawl)->Snapshot();
  crawl->reset();  // closes the logs before they are shown
  ShowEnd(command, options->crawl.data, end, terminal);
  return status ? kExitOk : Complain(terminal, status.error().message);
}

}  // namespace

void AddCrawlCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand("crawl", "Crawl from lists of seed URLs");
  auto arguments = std::make_shared<CrawlCommand>();
  command
      ->add_option("SEEDS", arguments->seed_files,
                   "Files of seed URLs, one a line; '#' begins a comment")
      ->type_name("FILE...");
  command->add_flag("--check-config", arguments->check_config,
                    "Only check the configuration; exit code 2 when it is wrong");
  command->add_flag("--fresh", arguments->fresh,
                    "Delete an earlier crawl in the data directory first");
  command->add_flag("--yes", arguments->yes, "Agree to what --fresh deletes");
  command->add_flag("--json", arguments->json, "Print the summary as one JSON object");
  AddConfigArguments(*command, arguments->config);
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
