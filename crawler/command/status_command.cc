#include "crawler/command/commands.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "crawler/command/read_data.h"
#include "crawler/crawl/crawl_state.h"
#include "crawler/crawl/data_check.h"
#include "crawler/data/data_format.h"
#include "crawler/data/data_lock.h"
#include "crawler/report/progress.h"
#include "crawler/report/standing.h"
#include "store/rocks_store.h"

namespace crawler {
namespace {

struct StatusCommand {
  ConfigArguments config;
  std::string data;  // empty: crawl.data
  bool json = false;
  bool check = false;
};

// Where the crawl stood at its last commit, nothing before the first one, and who crawls now.
struct Standing {
  std::optional<CrawlSnapshot> at;
  std::optional<int> owner;
};

std::string StateOf(const Standing& crawl) {
  if (crawl.owner) return "running";
  if (!crawl.at) return "not begun";
  return std::string(StandingName(*crawl.at));
}

std::string Sentence(const Standing& crawl, const std::string& data) {
  const std::string nothing = crawl.at ? "" : " Nothing was fetched yet.";
  if (crawl.owner) {
    return fmt::format("Process {} is crawling in {}.{}\n", *crawl.owner, Escaped(data), nothing);
  }
  if (!crawl.at) {
    return fmt::format(
        "The crawl in {} was stopped before it fetched anything: begin it by\n"
        "contentseen crawl SEEDS --data {}\n",
        Escaped(data), ShellWord(data));
  }
  return StandingText(*crawl.at, data);
}

std::string Json(const Standing& crawl) {
  auto json = nlohmann::ordered_json::parse(SummaryJson(crawl.at.value_or(CrawlSnapshot())));
  json["state"] = StateOf(crawl);
  if (crawl.owner) json["process"] = *crawl.owner;
  return json.dump() + "\n";
}

ExitCode Check(const std::string& data, const store::Store& store, Terminal& terminal) {
  const std::vector<std::string> damage = FindDamage(data, store);
  for (const std::string& sentence : damage) terminal.err.Write(Escaped(sentence) + "\n");
  if (!damage.empty()) return kExitFailure;
  terminal.out.Write("Every byte that counts of the store, the logs and the WARC files in " +
                     Escaped(data) + " is as it was written.\n");
  return kExitOk;
}

ExitCode Run(const StatusCommand& command, Terminal& terminal) {
  std::optional<Options> options = LoadOptionsOrComplain(command.config, terminal);
  if (!options) return kExitUsage;
  const std::string& data = command.data.empty() ? options->crawl.data : command.data;
  if (const ExitCode found = FindCrawl(data, terminal); found != kExitOk) return found;
  auto store = store::OpenRocksStoreForReading(StorePath(data));
  if (!store) return Complain(terminal, store.error().message);
  if (auto begun = HasBegun(data, **store); !begun) {
    return Complain(terminal, begun.error().message);
  }
  if (command.check) return Check(data, **store, terminal);
  auto snapshot = ReadSnapshot(**store);
  if (!snapshot) return Complain(terminal, snapshot.error().message);
  const Standing crawl{std::move(*snapshot), DataLock::Owner(data)};
  if (command.json) {
    terminal.out.Write(Json(crawl));
  } else {
    terminal.out.Write(Sentence(crawl, data) + (crawl.at ? SummaryText(*crawl.at) : ""));
  }
  return kExitOk;
}

}  // namespace

void AddStatusCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command =
      app.add_subcommand("status", "Say where the crawl in a data directory stands");
  auto arguments = std::make_shared<StatusCommand>();
  command->add_option("DATA", arguments->data, "Data directory of the crawl; else --data")
      ->type_name("DIR");
  AddConfigArguments(*command, arguments->config);
  CLI::Option* json = command->add_flag("--json", arguments->json, "As one JSON object");
  command
      ->add_flag("--check", arguments->check,
                 "Read all of the store, the logs and the WARC files, and name what is damaged")
      ->excludes(json);
  AddExamples(*command, {{"contentseen status my-crawl",
                          "Where a crawl stands, while it runs or afterwards"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
