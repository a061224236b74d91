#include "crawler/command/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include "base/clock.h"
#include "crawler/dedup/dedup.h"
#include "crawler/dedup/dedup_names.h"
#include "crawler/dedup/dedup_output.h"
#include "crawler/io/jsonl.h"
#include "crawler/io/overwriting.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kProgressInterval{200};
// Of many damaged inputs.
constexpr std::size_t kDamagedShown = 20;

struct DedupCommand {
  ConfigArguments config;
  std::vector<std::string> inputs;
  std::string kept;
  std::string skipped;
  std::string output;
  std::string text_field = "text";
  std::string url_field = "url";
  std::string host;
  std::uint32_t threads = 0;
  bool noindex = false;
  bool json = false;
};

/// Without dots and the slash at the end.
fs::path Plain(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

/// Where an output is written until it is whole: a folder beside it.
fs::path PartOf(const fs::path& output) { return Plain(output) += ".part"; }

/// The same from the root on.
fs::path Whole(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return Plain(error ? path : whole);
}

// Of "." and "..", too.
fs::path NameOf(const fs::path& path) { return Whole(path).filename(); }

/// The inputs by their places below the folder that holds them all.
base::Result<std::vector<fs::path>> PlacesBelow(const std::vector<std::string>& inputs) {
  const auto is_within = [](const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
           folder.end();
  };
  fs::path shared = Whole(inputs[0]).parent_path();
  for (const std::string& input : inputs) {
    while (!is_within(Whole(input).parent_path(), shared)) shared = shared.parent_path();
  }
  std::vector<fs::path> places;
  std::set<fs::path> taken;
  for (const std::string& input : inputs) {
    places.push_back(Whole(input).lexically_relative(shared));
    if (!taken.insert(places.back()).second) return base::Fail(input + " is given twice");
  }
  for (const fs::path& place : places) {
    for (fs::path folder = place.parent_path(); !folder.empty(); folder = folder.parent_path()) {
      if (!taken.contains(folder)) continue;
      return base::Fail(place.string() + " lies within " + folder.string() + ", another input");
    }
  }
  return places;
}

/// Where each of several inputs goes in the folder that is the output: by its name, and where two
/// are called alike, by its place.
base::Result<std::vector<fs::path>> PlacesOf(const std::vector<std::string>& inputs) {
  std::vector<fs::path> names;
  for (const std::string& input : inputs) names.push_back(NameOf(input));
  const std::set<fs::path> different(names.begin(), names.end());
  if (different.size() < names.size()) return PlacesBelow(inputs);
  return names;
}

/// One line that is renewed on a terminal: how far it is, how fast, how long yet.
class DedupProgress {
 public:
  DedupProgress(std::uint64_t all_bytes, Terminal& terminal)
      : all_bytes_(all_bytes), terminal_(terminal), begun_(clock_.Now()), shown_(begun_) {}

  /// `read_bytes` of all inputs.
  void Show(const DedupCounts& counts, std::uint64_t read_bytes) {
    const base::Time now = clock_.Now();
    if (!terminal_.err.is_terminal() || now - shown_ < kProgressInterval) return;
    shown_ = now;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    const double all = static_cast<double>(std::max<std::uint64_t>(all_bytes_, 1));
    const double part = std::min(1.0, static_cast<double>(read_bytes) / all);
    constexpr int kBar = 24;
    const int full = static_cast<int>(part * kBar);
    const auto left = static_cast<std::uint64_t>(part > 0 ? seconds / part - seconds : 0);
    const std::string line =
        fmt::format("[{}{}] {:.0f} %  {} documents  {:.0f}/s  {} skipped  {}:{:02}:{:02} left",
                    std::string(static_cast<std::size_t>(full), '#'),
                    std::string(static_cast<std::size_t>(kBar - full), '.'), 100 * part,
                    counts.documents, static_cast<double>(counts.documents) / seconds,
                    counts.Skipped(), left / 3600, left / 60 % 60, left % 60);
    terminal_.err.Write("\r\x1b[K" + Truncated(line, terminal_.err.Width().value_or(80) - 1));
  }
  void End() {
    if (terminal_.err.is_terminal()) terminal_.err.Write("\r\x1b[K");
  }
  double Seconds() const { return std::chrono::duration<double>(clock_.Now() - begun_).count(); }

 private:
  const base::SystemClock clock_;
  const std::uint64_t all_bytes_;
  Terminal& terminal_;
  const base::Time begun_;
  base::Time shown_;
};

/// The two lists.
class DedupLists {
 public:
  // `names` is needed for --skipped alone.
  static base::Result<DedupLists> Open(const DedupCommand& command,
                                       std::unique_ptr<DedupNames> names) {
    DedupLists lists;
    lists.names_ = std::move(names);
    if (auto apart = AreApart(command); !apart) return base::Fail(apart.error().message);
    for (auto [path, file] :
         {std::pair{&command.kept, &lists.kept_}, std::pair{&command.skipped, &lists.skipped_}}) {
      if (path->empty()) continue;
      *file = std::make_unique<std::ofstream>(*path, std::ios::binary | std::ios::trunc);
      if (!**file) return base::Fail(*path + " cannot be opened for writing");
    }
    return lists;
  }

  // That no list destroys an input, or another output, or is read as one.
  static base::Status AreApart(const DedupCommand& command) {
    std::vector<std::string> taken = command.inputs;
    if (!command.output.empty()) {
      taken.push_back(command.output);
      taken.push_back(PartOf(command.output).string());
    }
    for (const auto& [name, path] :
         {std::pair{"--kept", &command.kept}, std::pair{"--skipped", &command.skipped}}) {
      if (path->empty()) continue;
      if (auto spared = SparesInputs(name, *path, taken); !spared) return spared;
      if (auto outside = StaysOutside(name, *path, command.inputs); !outside) return outside;
      taken.push_back(*path);
    }
    return {};
  }

  base::Status Add(const std::string& input, Corpus::Kind kind, const DedupVerdict& found) {
    const contentseen::Verdict& verdict = found.verdict;
    JsonLine line;
    line.Number("n", found.number);
    line.Text("input", input);
    if (kind == Corpus::Kind::kWarc) line.Number("offset", found.place);
    if (kind == Corpus::Kind::kJsonLines) line.Number("line", found.place);
    line.Text("url", found.name);
    line.Text("kind", contentseen::Name(verdict.kind));
    line.Text("digest", found.body.Hex());
    line.Text("fingerprint", fmt::format("{:016x}", verdict.fingerprint));
    if (verdict.IsNew()) {
      if (kept_) *kept_ << line.Finish();
      return names_ ? names_->Add(found.number, found.name) : base::Status();
    }
    if (!skipped_) return {};
    auto original = names_->Find(verdict.original);
    if (!original) return base::Fail(original.error().message);
    line.Number("distance", std::int64_t{verdict.distance});
    line.Number("original", verdict.original);
    line.Text("original_url", *original);
    line.Text("original_fingerprint", fmt::format("{:016x}", verdict.original_fingerprint));
    *skipped_ << line.Finish();
    return {};
  }

  base::Status Finish() {
    for (const auto& file : {&kept_, &skipped_}) {
      if (*file == nullptr) continue;
      (*file)->close();
      if (!**file) return base::Fail("a list cannot be written: is the disk full?");
    }
    return {};
  }

 private:
  std::unique_ptr<DedupNames> names_;
  std::unique_ptr<std::ofstream> kept_;
  std::unique_ptr<std::ofstream> skipped_;
};

/// One run of the command: what its steps share.
class DedupRun {
 public:
  DedupRun(const DedupCommand& command, const Options& options, Terminal& terminal)
      : command_(command), options_(options), terminal_(terminal) {}

  ExitCode Run() {
    auto seen = contentseen::ContentSeen::Create(options_.contentseen);
    if (!seen) return Complain(terminal_, seen.error().message, kExitUsage);
    auto all_bytes = AllBytes();
    if (!all_bytes) return Complain(terminal_, all_bytes.error().message, kExitUsage);
    if (auto output = CheckOutput(); !output) {
      return Complain(terminal_, output.error().message, kExitUsage);
    }
    std::unique_ptr<DedupNames> names;
    if (!command_.skipped.empty()) {
      auto made = DedupNames::Create();
      if (!made) return Complain(terminal_, made.error().message);
      names = std::move(*made);
    }
    auto lists = DedupLists::Open(command_, std::move(names));
    if (!lists) return Complain(terminal_, lists.error().message, kExitUsage);
    DedupProgress progress(*all_bytes, terminal_);
    Dedup dedup(**seen, Reading(), Threads());
    base::Status status = Judge(dedup, *lists, progress);
    progress.End();
    if (status) status = lists->Finish();
    TellDamage();
    if (!textless_.empty()) return ComplainOfField();
    if (status) status = Write(dedup);
    if (!status) return Complain(terminal_, status.error().message);
    terminal_.out.Write(command_.json ? Json(dedup.counts(), progress.Seconds())
                                      : Text(dedup.counts(), progress.Seconds()));
    return faults_ > 0 && !command_.output.empty() ? kExitFailure : kExitOk;
  }

 private:
  DedupReading Reading() const {
    DedupReading reading;
    reading.text_field = command_.text_field;
    reading.url_field = command_.url_field;
    reading.host = command_.host;
    reading.body_bytes_max = options_.fetch.body_bytes_max;
    reading.judge_noindex = command_.noindex;
    reading.parse = options_.parser;
    return reading;
  }

  std::uint32_t Threads() const {
    return command_.threads > 0 ? command_.threads
                                : std::max(1U, std::thread::hardware_concurrency());
  }

  // Also finds out early what cannot be read.
  base::Result<std::uint64_t> AllBytes() const {
    std::uint64_t sum = 0;
    for (const std::string& input : command_.inputs) {
      auto corpus = OpenCorpus(input, options_.fetch.body_bytes_max);
      if (!corpus) return base::Fail(corpus.error().message);
      sum += (*corpus)->all_bytes();
    }
    return sum;
  }

  // That the deduplicated corpora have a place of their own: of one input a thing like it, of
  // several a folder of them.
  base::Status CheckOutput() {
    if (command_.output.empty()) return {};
    auto outside = StaysOutside("--output", command_.output, command_.inputs);
    if (!outside) return outside;
    std::error_code error;
    if (fs::exists(command_.output, error)) {
      return base::Fail(command_.output + " exists: name an --output that does not");
    }
    if (const fs::path part = PartOf(command_.output); fs::exists(part, error)) {
      return base::Fail(part.string() + " exists: a run that did not end has left it; remove it");
    }
    auto places = PlacesOf(command_.inputs);
    if (!places) return base::Fail(places.error().message);
    places_ = std::move(*places);
    // (Of one input the output is no folder but a thing like it.)
    if (places_.size() == 1) places_ = {NameOf(command_.output)};
    return {};
  }

  base::Status Judge(Dedup& dedup, DedupLists& lists, DedupProgress& progress) {
    std::uint64_t read_before = 0;
    for (const std::string& input : command_.inputs) {
      const DedupCounts before = dedup.counts();
      firsts_.push_back(before.documents);
      auto corpus = OpenCorpus(input, options_.fetch.body_bytes_max);
      if (!corpus) return base::Fail(corpus.error().message);
      const Corpus::Kind kind = (*corpus)->kind();
      auto status = dedup.Run(**corpus, [&](const DedupVerdict& found) {
        progress.Show(dedup.counts(), read_before + found.read_bytes);
        return lists.Add(input, kind, found);
      });
      if (!status) return base::Fail(input + ": " + status.error().message);
      read_before += (*corpus)->all_bytes();
      traces_.push_back(dedup.trace());
      passed_over_ += (*corpus)->passed_over();
      NoteDamage(input, **corpus, dedup.unread_lines());
      if (IsTextless(before, dedup.counts())) {
        textless_ = input;
        return {};
      }
    }
    return {};
  }

  // Whether lines of the input that was read between them lack the field, and none has it.
  static bool IsTextless(const DedupCounts& before, const DedupCounts& after) {
    const auto judged = [](const DedupCounts& counts) {
      return counts.kept + counts.Skipped() + counts.empty;
    };
    const auto without = [](const DedupCounts& counts) {
      const auto found = counts.not_judged.find(kNoText);
      return found == counts.not_judged.end() ? 0 : found->second;
    };
    return judged(before) == judged(after) && without(before) < without(after);
  }

  ExitCode ComplainOfField() const {
    return Complain(terminal_,
                    textless_ + ": " + WithoutText() + " in any line: name the one that has it",
                    kExitUsage);
  }

  std::string WithoutText() const {
    return "no text in field \"" + command_.text_field + "\" (--text-field)";
  }

  void NoteDamage(const std::string& input, const Corpus& corpus, const UnreadLines& unread) {
    std::string damage;
    const auto add = [&damage](const std::string& what, std::uint64_t count, const char* more) {
      if (count == 0) return;
      damage += (damage.empty() ? ": " : "; ") + what;
      if (count > 1) damage += fmt::format(", and {} more {}", count - 1, more);
    };
    add(corpus.first_fault() + ": passed over", corpus.faults(), "pieces");
    add(unread.first + ": not judged", unread.count, "lines");
    if (!damage.empty()) damaged_.push_back(input + damage);
    faults_ += corpus.faults();
  }

  void TellDamage() {
    const std::size_t shown = std::min(damaged_.size(), kDamagedShown);
    for (std::size_t i = 0; i < shown; ++i) terminal_.err.Write(Escaped(damaged_[i]) + "\n");
    if (shown < damaged_.size()) {
      terminal_.err.Write(fmt::format("{} more inputs are damaged\n", damaged_.size() - shown));
    }
  }

  // The output is whole or it is not there.
  base::Status Write(const Dedup& dedup) const {
    if (command_.output.empty()) return {};
    const fs::path output = Plain(command_.output);
    const fs::path part = PartOf(output);
    std::error_code error;
    if (part.has_parent_path()) fs::create_directories(part.parent_path(), error);
    if (!error && !fs::create_directory(part, error) && !error) {
      error = std::make_error_code(std::errc::file_exists);
    }
    if (error) return base::Fail(part.string() + " cannot be made: " + error.message());
    base::Status written = WriteInto(dedup, part);
    if (written) {
      fs::rename(places_.size() == 1 ? part / places_[0] : part, output, error);
      if (error) written = base::Fail(output.string() + " cannot be made: " + error.message());
    }
    std::error_code ignored;  // the first error is the one to tell
    fs::remove_all(part, ignored);
    return written;
  }

  base::Status WriteInto(const Dedup& dedup, const fs::path& folder) const {
    base::Status written;
    for (std::size_t i = 0; written && i < command_.inputs.size(); ++i) {
      const std::string& input = command_.inputs[i];
      const fs::path place = folder / places_[i];
      std::error_code error;
      fs::create_directories(place.parent_path(), error);
      if (error) {
        return base::Fail(place.parent_path().string() + " cannot be made: " + error.message());
      }
      written = WriteDeduplicated(input, place, traces_[i], [&](std::uint64_t number) {
        return dedup.IsSkipped(firsts_[i] + number);
      });
    }
    return written;
  }

  std::string Text(const DedupCounts& counts, double seconds) const {
    std::string text;
    auto add = [&text](std::uint64_t count, std::string_view name, std::string_view what) {
      if (count > 0) text += fmt::format("  {:>12}  {:<12} {}\n", count, name, what);
    };
    add(counts.kept, "kept", "nothing like it came before");
    add(counts.exact_bytes, "exact-bytes", "skipped: same bytes as an earlier document");
    add(counts.exact_text, "exact-text", "skipped: same text as an earlier document");
    add(counts.near, "near", "skipped: near-duplicate of an earlier document");
    add(counts.empty, "empty", "no visible text");
    for (const auto& [why, count] : counts.not_judged) {
      add(count, "not judged", why == kNoText ? Escaped(WithoutText()) : why);
    }
    add(passed_over_, "passed over", "files that are no pages");
    text += fmt::format("  {:>12}  {:<12} documents in {:.1f} s ({:.0f}/s)\n", counts.documents,
                        "in all", seconds, static_cast<double>(counts.documents) / seconds);
    if (counts.wrong_digests > 0) {
      text += fmt::format("  {} WARC records have another payload digest than they say\n",
                          counts.wrong_digests);
    }
    if (faults_ > 0) {
      text += fmt::format("  {} damaged or unreadable pieces were passed over\n", faults_);
    }
    return text;
  }

  std::string Json(const DedupCounts& counts, double seconds) const {
    nlohmann::ordered_json json;
    json["documents"] = counts.documents;
    json["kept"] = counts.kept;
    json["exact_bytes"] = counts.exact_bytes;
    json["exact_text"] = counts.exact_text;
    json["near"] = counts.near;
    json["empty"] = counts.empty;
    auto& not_judged = json["not_judged"] = nlohmann::ordered_json::object();
    for (const auto& [why, count] : counts.not_judged) not_judged[why] = count;
    json["passed_over"] = passed_over_;
    json["wrong_digests"] = counts.wrong_digests;
    json["faults"] = faults_;
    json["seconds"] = seconds;
    return json.dump() + "\n";
  }

  const DedupCommand& command_;
  const Options& options_;
  Terminal& terminal_;
  std::vector<std::uint64_t> firsts_;  // documents before each input
  std::vector<CorpusTrace> traces_;    // of each input
  std::vector<fs::path> places_;       // of each in the output
  std::uint64_t faults_ = 0;
  std::vector<std::string> damaged_;  // a sentence on each damaged input
  std::string textless_;              // an input of JSON lines that all lack the field
  std::uint64_t passed_over_ = 0;
};

ExitCode RunDedup(const DedupCommand& command, Terminal& terminal) {
  std::optional<Options> options = LoadOptionsOrComplain(command.config, terminal);
  if (!options) return kExitUsage;
  return DedupRun(command, *options, terminal).Run();
}

}  // namespace

void AddDedupCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand(
      "dedup", "Find the duplicates in WARC files, folders of pages and JSON lines");
  command->footer(
      "\nExit status:\n"
      "  0  done; what is damaged is passed over and named\n"
      "  1  something failed while running, or with --output something damaged was not copied\n"
      "  2  the command line is wrong, an input cannot be opened or is none, or no line of one "
      "has\n"
      "     a text in --text-field; no --output is written");
  auto arguments = std::make_shared<DedupCommand>();
  command->add_option("INPUT", arguments->inputs, "WARC files, folders, JSON lines; gzip or plain")
      ->type_name("FILE|DIR")
      ->check(NoDash())
      ->required();
  command->add_option("--kept", arguments->kept, "List the documents that are new here")
      ->type_name("FILE")
      ->check(NoDash());
  command->add_option("--skipped", arguments->skipped, "List the duplicates with their originals")
      ->type_name("FILE")
      ->check(NoDash());
  command
      ->add_option("--output", arguments->output,
                   "Write the inputs without their duplicates, in their own format; of several "
                   "inputs a folder")
      ->type_name("FILE")
      ->check(NoDash());
  command->add_option("--text-field", arguments->text_field, "Field of a JSON line with the text")
      ->type_name("NAME");
  command->add_option("--url-field", arguments->url_field, "Field of a JSON line that names it")
      ->type_name("NAME");
  command
      ->add_option("--host", arguments->host,
                   "Site of what has no URL, as files of a folder: lists of links then tell its "
                   "pages apart, and its template is learned")
      ->type_name("NAME");
  command->add_option("--threads", arguments->threads, "Threads that parse; 0: one a processor")
      ->check(CLI::Range(0, 256));
  command->add_flag("--noindex", arguments->noindex, "Judge pages too that ask not to be indexed");
  command->add_flag("--json", arguments->json, "Print the summary as one JSON object");
  AddConfigArguments(*command, arguments->config);
  AddExamples(*command,
              {{"contentseen dedup old.warc.gz --kept kept.jsonl --skipped skipped.jsonl",
                "List what is new and what is not in an archive"},
               {"contentseen dedup mirror/ --host www.example.org",
                "Judge the files of one site's copy as a crawl of it would"},
               {"contentseen dedup texts.jsonl.gz --text-field body --output clean.jsonl.gz",
                "Write a collection of texts without its duplicates"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return RunDedup(*arguments, terminal); };
  });
}

}  // namespace crawler
