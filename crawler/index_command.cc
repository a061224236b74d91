#include "crawler/index_command.h"

#include <memory>
#include <unordered_map>
#include <utility>

#include "contentseen/hamming_index.h"
#include "contentseen/hamming_plan.h"
#include "crawler/log_fields.h"
#include "crawler/options.h"
#include "crawler/page_log.h"

namespace crawler {
namespace {

using contentseen::Fingerprint;
using contentseen::HammingPlan;

struct IndexCommand {
  unsigned k = static_cast<unsigned>(Options().contentseen.k);
  std::uint64_t expected_n = 1'000'000;
  bool all = false;
  bool json = false;
  std::string file;
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

/// The stored pages of a crawl by fingerprint.
using PagesByFingerprint = std::unordered_map<Fingerprint, std::vector<std::string>>;

class Join {
 public:
  Join(const IndexCommand& command, Terminal& terminal,
       std::unique_ptr<contentseen::HammingIndex> index)
      : command_(command), terminal_(terminal), index_(std::move(index)) {}

  /// Prints the pairs that `page` makes with those before it; false when nobody reads any more.
  bool Add(const PageRecord& page) {
    bool more = true;
    index_->ForEachWithin(page.fingerprint, [&](Fingerprint other) {
      for (const std::string& url : pages_[other]) {
        more = more && Print(url, page.url, contentseen::Distance(page.fingerprint, other));
      }
      return more;
    });
    index_->Insert(page.fingerprint);
    pages_[page.fingerprint].push_back(page.url);
    ++count_;
    return more;
  }

  std::string Summary() const {
    return std::to_string(count_) + " pages, " + std::to_string(pairs_) + " pairs at most " +
           std::to_string(command_.k) + " bits apart\n";
  }

 private:
  bool Print(const std::string& a, const std::string& b, int distance) {
    ++pairs_;
    if (!command_.json) {
      return terminal_.out.Write(std::to_string(distance) + "  " + Escaped(a) + "  " + Escaped(b) +
                                 "\n");
    }
    JsonLine line;
    line.Number("distance", std::int64_t{distance});
    line.Text("a", a);
    line.Text("b", b);
    return terminal_.out.Write(line.Finish());
  }

  const IndexCommand& command_;
  Terminal& terminal_;
  const std::unique_ptr<contentseen::HammingIndex> index_;
  PagesByFingerprint pages_;
  std::uint64_t count_ = 0;
  std::uint64_t pairs_ = 0;
};

ExitCode RunJoin(const IndexCommand& command, Terminal& terminal) {
  auto index = contentseen::HammingIndex::Create({.k = command.k});
  if (!index) return Complain(terminal, index.error().message);
  Join join(command, terminal, std::move(*index));
  std::vector<LogFault> faults;
  base::Status status = ReadLog<PageRecord>(
      command.file, [&](std::size_t, const PageRecord& page) { return join.Add(page); }, faults);
  if (!status) return Complain(terminal, status.error().message);
  for (const LogFault& fault : faults) {
    Complain(terminal, command.file + ":" + std::to_string(fault.line) + ": " + fault.reason);
  }
  terminal.err.Write(join.Summary());
  return kExitOk;
}

void AddPlan(CLI::App& index, CommandLine& line, const std::shared_ptr<IndexCommand>& arguments) {
  CLI::App* plan =
      index.add_subcommand("plan", "Show how an index would be laid out, and its cost");
  plan->add_option("--k", arguments->k, "Largest Hamming distance found, in bits")
      ->check(CLI::Range(0, contentseen::kDistanceMax))
      ->capture_default_str();
  plan->add_option("--count", arguments->expected_n, "Fingerprints expected")
      ->check(CLI::PositiveNumber.description(""))
      ->capture_default_str();
  plan->add_flag("--all", arguments->all, "Every plan that was weighed, the best first");
  plan->add_flag("--json", arguments->json, "One JSON object a line");
  plan->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return RunPlan(*arguments, terminal); };
  });
}

void AddJoin(CLI::App& index, CommandLine& line, const std::shared_ptr<IndexCommand>& arguments) {
  CLI::App* join = index.add_subcommand(
      "join", "All pairs of stored pages whose fingerprints are near, from a pages.jsonl");
  join->add_option("PAGES", arguments->file, "A pages.jsonl")->type_name("FILE")->required();
  join->add_option("--k", arguments->k, "Largest Hamming distance of a pair, in bits")
      ->check(CLI::Range(0, contentseen::kDistanceMax))
      ->capture_default_str();
  join->add_flag("--json", arguments->json, "One JSON object a line");
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
