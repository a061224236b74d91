#include "crawler/command/commands.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "contentseen/hamming/batch_join.h"
#include "contentseen/hamming/hamming_index.h"
#include "contentseen/hamming/hamming_plan.h"
#include "crawler/command/read_data.h"
#include "crawler/io/jsonl.h"
#include "crawler/io/overwriting.h"
#include "crawler/io/whole_file.h"
#include "crawler/settings/options.h"

namespace crawler {
namespace {

using contentseen::HammingPlan;

struct IndexCommand {
  unsigned k = static_cast<unsigned>(Options().contentseen.k);
  std::uint64_t expected_n = 1'000'000;
  bool all = false;
  bool json = false;
  std::string existing;
  std::string queries;
  std::string output;
};

std::string PlanJson(const HammingPlan& plan) {
  std::string parts = "[";
  for (const HammingPlan::Part& part : plan.parts) {
    if (parts.size() > 1) parts += ',';
    JsonLine object;
    object.Number("shift", std::uint64_t{part.shift});
    object.Number("width", std::uint64_t{part.width});
    object.Number("threshold", std::int64_t{part.threshold});
    object.Raw("lines", std::to_string(part.lines));
    object.Raw("candidates", std::to_string(part.candidates));
    std::string text = object.Finish();
    text.pop_back();  // the newline
    parts += text;
  }
  JsonLine line;
  line.Number("k", std::uint64_t{plan.k});
  line.Number("expected_n", plan.expected_n);
  line.Text("layout", plan.layout == HammingPlan::Layout::kLines ? "lines" : "cells");
  line.Raw("nanoseconds", std::to_string(plan.nanoseconds));
  line.Raw("bytes_per_fingerprint", std::to_string(plan.bytes_per_fingerprint));
  line.Raw("parts", parts + "]");
  return line.Finish();
}

ExitCode RunPlan(const IndexCommand& command, Terminal& terminal) {
  std::vector<HammingPlan> plans;
  if (command.all) {
    plans = contentseen::RankHammingPlans(command.k, command.expected_n);
  } else {
    plans.push_back(contentseen::ChooseHammingPlan(command.k, command.expected_n));
  }
  for (const HammingPlan& plan : plans) {
    bool more = terminal.out.Write(command.json ? PlanJson(plan)
                                                : contentseen::FormatHammingPlan(plan) + "\n");
    if (!more) break;
  }
  return kExitOk;
}

// Into `file`, or without one to the output.
base::Result<contentseen::JoinTotals> Join(const IndexCommand& command, WholeFile* file,
                                           Terminal& terminal) {
  contentseen::JoinOptions options{.k = command.k};
  if (file) options.output = contentseen::FormatByName(command.output);
  const auto put = [&](std::string_view pairs) {
    return file ? file->Write(pairs) : terminal.out.Write(pairs);
  };
  return contentseen::JoinFiles(command.existing, command.queries, put, options);
}

ExitCode RunJoin(const IndexCommand& command, Terminal& terminal) {
  const ExitCode there = FilesMayBeRead({command.existing, command.queries}, terminal);
  if (there != kExitOk) return there;
  std::unique_ptr<WholeFile> file;
  if (!command.output.empty()) {
    const std::array<std::string, 2> inputs = {command.existing, command.queries};
    if (auto spared = SparesInputs("--output", command.output, inputs); !spared) {
      return Complain(terminal, spared.error().message, kExitUsage);
    }
    auto opened = WholeFile::Open(command.output);
    if (!opened) return Complain(terminal, opened.error().message, kExitUsage);
    file = std::move(*opened);
  }
  const auto totals = Join(command, file.get(), terminal);
  if (!totals) return Complain(terminal, totals.error().message);
  if (file) {
    if (auto written = file->Finish(); !written) {
      return Complain(terminal, written.error().message);
    }
  }
  if (terminal.out.failed()) return kExitOk;  // which is said, but where nobody reads
  terminal.err.Write(std::to_string(totals->existing) + " fingerprints, " +
                     std::to_string(totals->queries) + " different queries, " +
                     std::to_string(totals->pairs) + " pairs at most " +
                     std::to_string(command.k) + " bits apart\n");
  return kExitOk;
}

void AddPlan(CLI::App& index, CommandLine& line, const std::shared_ptr<IndexCommand>& arguments) {
  CLI::App* plan =
      index.add_subcommand("plan", "Show how an index would be laid out, and its cost");
  plan->add_option("--k", arguments->k, "Largest Hamming distance found, in bits")
      ->check(CLI::Range(0, contentseen::kDistanceMax))
      ->capture_default_str();
  plan->add_option(
          "--n", arguments->expected_n,
          "Fingerprints expected, at most " + std::to_string(contentseen::kHammingFingerprintsMax))
      ->check(CLI::Range(std::uint64_t{1}, contentseen::kHammingFingerprintsMax).description(""))
      ->capture_default_str();
  plan->add_flag("--all", arguments->all, "Every plan that was weighed, the best first");
  plan->add_flag("--json", arguments->json, "One JSON object a line");
  AddExamples(*plan, {{"contentseen index plan --k 3 --n 1000000000", "For a billion pages"}});
  plan->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return RunPlan(*arguments, terminal); };
  });
}

void AddJoin(CLI::App& index, CommandLine& line, const std::shared_ptr<IndexCommand>& arguments) {
  CLI::App* join = index.add_subcommand(
      "join",
      "List all near pairs of two files of fingerprints: text (.hex, .txt: 16 hex digits a "
      "line) or eight little-endian bytes each");
  join->add_option("F", arguments->existing, "The existing fingerprints; streamed, any size")
      ->type_name("FILE")
      ->check(NoDash())
      ->required();
  join->add_option("Q", arguments->queries, "The queries")
      ->type_name("FILE")
      ->check(NoDash())
      ->required();
  join->add_option("--output", arguments->output,
                   "Where the pairs go, by its name text or binary; else the output, as text: an "
                   "existing fingerprint and a query a line")
      ->type_name("FILE")
      ->check(NoDash());
  join->add_option("--k", arguments->k, "Largest Hamming distance of a pair, in bits")
      ->check(CLI::Range(0, contentseen::kDistanceMax))
      ->capture_default_str();
  AddExamples(*join, {{"contentseen index join seen.hex new.hex --k 3", "As text"}});
  join->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return RunJoin(*arguments, terminal); };
  });
}

}  // namespace

void AddIndexCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand("index", "Look at the index of fingerprints");
  command->require_subcommand(1);
  auto arguments = std::make_shared<IndexCommand>();
  AddPlan(*command, line, arguments);
  AddJoin(*command, line, arguments);
}

}  // namespace crawler
