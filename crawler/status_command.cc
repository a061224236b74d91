#include "crawler/status_command.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "crawler/crawl_state.h"
#include "crawler/data_directory.h"
#include "crawler/data_lock.h"
#include "crawler/progress.h"
#include "store/rocks_store.h"

namespace crawler {
namespace {

struct StatusCommand {
  ConfigArguments config;
  bool json = false;
};

// "running", "ended" or "stopped".
std::string StateOf(const CrawlSnapshot& at, const std::optional<int>& owner) {
  if (owner) return "running";
  return at.frontier.queued == 0 ? "ended" : "stopped";
}

std::string Sentence(const CrawlSnapshot& at, const std::string& data,
                     const std::optional<int>& owner) {
  if (owner) return fmt::format("Process {} is crawling in {}.\n", *owner, data);
  if (at.frontier.queued == 0) return "The crawl in " + data + " has come to its end.\n";
  return fmt::format("The crawl in {0} was stopped: 'contentseen crawl --data {0}' goes on.\n",
                     data);
}

std::string Json(const CrawlSnapshot& at, const std::optional<int>& owner) {
  auto json = nlohmann::ordered_json::parse(SummaryJson(at));
  nlohmann::ordered_json status;
  status["state"] = StateOf(at, owner);
  if (owner) status["process"] = *owner;
  status.update(json);
  return status.dump() + "\n";
}

ExitCode Run(const StatusCommand& command, Terminal& terminal) {
  std::optional<Options> options = LoadOptionsOrComplain(command.config, terminal);
  if (!options) return kExitUsage;
  const std::string& data = options->crawl.data;
  if (!DataDirectory::IsThere(data)) {
    return Complain(terminal, data + " holds no crawl: name its directory by --data", kExitUsage);
  }
  const std::optional<int> owner = DataLock::Owner(data);
  auto store = store::OpenRocksStoreForReading(StorePath(data));
  if (!store) return Complain(terminal, store.error().message);
  auto snapshot = ReadSnapshot(**store);
  if (!snapshot) return Complain(terminal, snapshot.error().message);
  const CrawlSnapshot at = *snapshot ? **snapshot : CrawlSnapshot();
  terminal.out.Write(command.json ? Json(at, owner) : Sentence(at, data, owner) + SummaryText(at));
  return kExitOk;
}

}  // namespace

void AddStatusCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command =
      app.add_subcommand("status", "Say where the crawl in a data directory stands");
  auto arguments = std::make_shared<StatusCommand>();
  AddConfigArguments(*command, arguments->config);
  command->add_flag("--json", arguments->json, "As one JSON object");
  AddExamples(*command, {{"contentseen status --data my-crawl",
                          "Where a crawl stands, while it runs or afterwards"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
