#include "crawler/command/skipped_command.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "crawler/command/pager.h"
#include "crawler/command/read_data.h"
#include "crawler/data/skip_log.h"
#include "crawler/io/csv_fields.h"
#include "crawler/report/skip_filter.h"
#include "crawler/report/skipped_diff.h"
#include "frontier/url.h"

namespace crawler {
namespace {

constexpr std::int64_t kRowsMax = std::int64_t{1} << 53;
constexpr std::size_t kUrlColumns = 24;    // tell most URLs of a site apart
constexpr std::size_t kRowsShown = 1'000;  // without --limit

enum class GroupBy { kNothing, kOriginal, kHost, kDistance };
constexpr std::array<const char*, 3> kGroups = {"original", "host", "distance"};

struct SkippedCommand {
  std::string data = CrawlOptions().data;
  std::vector<std::string> kinds;
  std::string distance;
  std::string since;
  std::optional<std::size_t> limit;
  std::optional<std::size_t> diff;
  GroupBy group_by = GroupBy::kNothing;
  bool json = false;
  bool csv = false;
  // From the texts above.
  SkipFilter filter;
};

std::filesystem::path LogPath(const std::string& data) {
  return std::filesystem::path(data) / kSkipLogName;
}

/// A page of the log and the number of its line.
struct Numbered {
  std::size_t number = 0;
  SkipRecord record;
};

/// Every matching page in order, until `take` gives false.
base::Status Visit(const SkippedCommand& command, Terminal& terminal,
                   const std::function<bool(Numbered page)>& take) {
  std::vector<LogFault> faults;
  base::Status status = ReadLog<SkipRecord>(
      LogPath(command.data),
      [&](std::size_t number, SkipRecord record) {
        if (!command.filter.Matches(record)) return true;
        return take({number, std::move(record)});
      },
      faults);
  if (!faults.empty()) Complain(terminal, DescribeFaults(LogPath(command.data), faults));
  return status;
}

Table PageTable() {
  return Table({{.heading = "N", .right = true, .colour = Colour::kDim},
                {.heading = "KIND", .colour = Colour::kYellow},
                {.heading = "BITS", .right = true, .dispensable = true},
                {.heading = "WHY", .dispensable = true},
                {.heading = "URL", .width_min = kUrlColumns, .keeps_end = true},
                {.heading = "ORIGINAL",
                 .width_min = kUrlColumns,
                 .colour = Colour::kCyan,
                 .keeps_end = true}});
}

/// "71 of 100 shingles" of "71 of 100 shingles, 60 of 64 bits": bits have a column of their own.
std::string FirstMeasure(const std::string& evidence) {
  return evidence.substr(0, evidence.find(','));
}

void AddRow(Table& table, const Numbered& page) {
  const SkipRecord& r = page.record;
  table.Add({std::to_string(page.number), std::string(contentseen::Name(r.kind)),
             std::to_string(r.distance), FirstMeasure(r.evidence), r.url, r.original_url});
}

ExitCode ShowTable(const SkippedCommand& command, Terminal& terminal) {
  const std::size_t limit = command.limit.value_or(kRowsShown);
  Table table = PageTable();
  std::size_t matching = 0;
  base::Status status = Visit(command, terminal, [&](const Numbered& page) {
    if (++matching <= limit) AddRow(table, page);
    return true;
  });
  if (!status) return Complain(terminal, status.error().message);
  if (matching == 0) {
    terminal.out.Write("No skipped page matches.\n");
    return kExitOk;
  }
  std::string text = table.Text(terminal.out.Width(), terminal.out.colours());
  if (matching > limit) {
    text += "... and " + std::to_string(matching - limit) + " more (--limit " +
            std::to_string(matching) + " shows all)\n";
  }
  WritePaged(terminal.out, text);
  return kExitOk;
}

ExitCode PrintJson(const SkippedCommand& command, Terminal& terminal) {
  std::size_t left = command.limit.value_or(SIZE_MAX);
  base::Status status = Visit(command, terminal, [&](const Numbered& page) {
    if (left-- == 0) return false;
    FieldWriter writer;
    writer.Number("n", page.number);
    VisitFields(writer, page.record);
    return terminal.out.Write(writer.Finish());
  });
  return status ? kExitOk : Complain(terminal, status.error().message);
}

ExitCode PrintCsv(const SkippedCommand& command, Terminal& terminal) {
  CsvFields heads;
  heads.Number("n", 0);
  const SkipRecord nothing;
  VisitFields(heads, nothing);
  if (!terminal.out.Write(heads.heads())) return kExitOk;
  std::size_t left = command.limit.value_or(SIZE_MAX);
  base::Status status = Visit(command, terminal, [&](const Numbered& page) {
    if (left-- == 0) return false;
    CsvFields fields;
    fields.Number("n", page.number);
    VisitFields(fields, page.record);
    return terminal.out.Write(fields.line());
  });
  return status ? kExitOk : Complain(terminal, status.error().message);
}

std::string GroupOf(GroupBy by, const SkipRecord& record) {
  if (by == GroupBy::kOriginal) return record.original_url;
  if (by == GroupBy::kHost) return std::string(HostOf(record.url));
  return std::to_string(record.distance);
}

struct Group {
  std::string name;
  std::size_t pages = 0;
  std::size_t near = 0;
};

// As many as the report keeps. A few hundred bytes each.
constexpr std::size_t kGroupsMax = 2'000'000;

/// Largest first, then by name.
base::Result<std::vector<Group>> Groups(const SkippedCommand& command, Terminal& terminal) {
  std::map<std::string, Group> by_name;
  std::uint64_t left_out = 0;
  base::Status status = Visit(command, terminal, [&](const Numbered& page) {
    std::string name = GroupOf(command.group_by, page.record);
    if (by_name.size() >= kGroupsMax && !by_name.contains(name)) {
      ++left_out;
      return true;
    }
    Group& group = by_name[name];
    group.name = std::move(name);
    group.pages += 1;
    group.near += page.record.kind == contentseen::Kind::kNear ? 1 : 0;
    return true;
  });
  if (!status) return base::Fail(status.error().message);
  if (left_out > 0) {
    terminal.err.Write(
        fmt::format("{} pages of further groups are not counted: {} groups are the "
                    "most that are kept in memory\n",
                    left_out, kGroupsMax));
  }
  std::vector<Group> groups;
  groups.reserve(by_name.size());
  for (auto& [name, group] : by_name) groups.push_back(std::move(group));
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.pages > b.pages; });
  groups.resize(std::min(groups.size(), command.limit.value_or(groups.size())));
  return groups;
}

ExitCode ShowGroups(const SkippedCommand& command, Terminal& terminal) {
  base::Result<std::vector<Group>> groups = Groups(command, terminal);
  if (!groups) return Complain(terminal, groups.error().message);
  constexpr std::string_view kKeys[] = {"", "original", "host", "distance"};
  constexpr std::string_view kHeadings[] = {"", "ORIGINAL", "HOST", "BITS"};
  auto by = static_cast<std::size_t>(command.group_by);
  Table table({{.heading = "PAGES", .right = true},
               {.heading = "EXACT", .right = true},
               {.heading = "NEAR", .right = true, .colour = Colour::kYellow},
               {.heading = std::string(kHeadings[by]), .width_min = 16}});
  for (const Group& group : *groups) {
    if (command.json) {
      JsonLine line;
      if (command.group_by == GroupBy::kDistance) {
        line.Raw(kKeys[by], group.name);
      } else {
        line.Text(kKeys[by], group.name);
      }
      line.Number("pages", std::uint64_t{group.pages});
      line.Number("exact", std::uint64_t{group.pages - group.near});
      line.Number("near", std::uint64_t{group.near});
      if (!terminal.out.Write(line.Finish())) return kExitOk;
    } else {
      table.Add({std::to_string(group.pages), std::to_string(group.pages - group.near),
                 std::to_string(group.near), group.name});
    }
  }
  if (!command.json) {
    WritePaged(terminal.out, table.empty()
                                 ? "No skipped page matches.\n"
                                 : table.Text(terminal.out.Width(), terminal.out.colours()));
  }
  return kExitOk;
}

ExitCode ShowDiff(const SkippedCommand& command, Terminal& terminal) {
  std::optional<SkipRecord> wanted;
  base::Status status = Visit(command, terminal, [&](Numbered page) {
    if (page.number == *command.diff) wanted = std::move(page.record);
    return !wanted;
  });
  if (!status) return Complain(terminal, status.error().message);
  if (!wanted) {
    return Complain(terminal, "there is no skipped page " + std::to_string(*command.diff) +
                                  " in this selection: take a number from the first column of "
                                  "'contentseen skipped " +
                                  command.data + "'");
  }
  auto texts = OpenTextStoreForReading(std::filesystem::path(command.data) / kTextStoreName);
  if (!texts) return Complain(terminal, texts.error().message);
  auto diff = DiffOf(*wanted, **texts);
  if (!diff) return Complain(terminal, diff.error().message);
  if (command.json) {
    terminal.out.Write(DiffJson(*command.diff, *wanted, **diff));
  } else {
    WritePaged(terminal.out, DiffReport(*wanted, **diff, terminal.out.colours()));
  }
  return kExitOk;
}

/// Fills the filter from its texts.
base::Status ReadFilter(SkippedCommand& command) {
  for (const std::string& text : command.kinds) {
    auto kinds = ParseKinds(text);
    if (!kinds) return base::Fail(kinds.error().message);
    command.filter.kinds.insert(command.filter.kinds.end(), kinds->begin(), kinds->end());
  }
  if (!command.distance.empty()) {
    auto distances = ParseDistances(command.distance);
    if (!distances) return base::Fail(distances.error().message);
    command.filter.distance = *distances;
  }
  if (!command.since.empty()) {
    auto since = ParseSince(command.since, base::SystemClock().WallNow());
    if (!since) return base::Fail(since.error().message);
    command.filter.since = *since;
  }
  return {};
}

/// "WWW.Example.org:8080" as logs have it; what is no host stays, and matches none.
std::string HostAsLogged(const std::string& given) {
  const std::string url = given.find("://") == given.npos ? "http://" + given + "/" : given;
  auto parsed = frontier::Url::Parse(url);
  return parsed ? std::string(parsed->host()) : given;
}

ExitCode Run(SkippedCommand command, Terminal& terminal) {
  if (!command.filter.host.empty()) command.filter.host = HostAsLogged(command.filter.host);
  base::Status read = ReadFilter(command);
  if (!read) return Complain(terminal, read.error().message, kExitUsage);
  if (const ExitCode found = FindCrawl(command.data, terminal); found != kExitOk) return found;
  if (command.diff) return ShowDiff(command, terminal);
  if (command.group_by != GroupBy::kNothing) return ShowGroups(command, terminal);
  if (command.csv) return PrintCsv(command, terminal);
  return command.json ? PrintJson(command, terminal) : ShowTable(command, terminal);
}

// Puts the number of the GroupBy in the place of its name, as CLI11 takes it; or says what is
// wrong.
std::string GroupByOf(std::string& name) {
  const auto found = std::find(kGroups.begin(), kGroups.end(), name);
  if (found == kGroups.end()) return "must be original, host or distance";
  name = std::to_string(1 + (found - kGroups.begin()));
  return {};
}

void AddFilters(CLI::App& command, SkippedCommand& arguments) {
  command
      .add_option("--kind", arguments.kinds,
                  "Only these: near, exact-bytes, exact-text, or exact for both; may be repeated")
      ->type_name(OneOf({"near", "exact-bytes", "exact-text", "exact"}))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group("Filters");
  command
      .add_option("--host", arguments.filter.host, "Only pages of this host and those below it")
      ->type_name("HOST")
      ->group("Filters");
  command
      .add_option("--distance", arguments.distance,
                  "Only these Hamming distances: a number, or a range as 1..3")
      ->type_name("BITS")
      ->group("Filters");
  command
      .add_option("--original", arguments.filter.original,
                  "Only duplicates of originals whose URL contains this")
      ->type_name("TEXT")
      ->group("Filters");
  command
      .add_option("--since", arguments.since,
                  "Only pages skipped since this time (2026-01-31T12:00:00Z), or in the last 2h")
      ->type_name("TIME")
      ->group("Filters");
}

}  // namespace

std::optional<std::size_t> ShowFirstSkipped(const std::string& data, std::size_t count,
                                            Terminal& terminal) {
  SkippedCommand command;
  command.data = data;
  Table table = PageTable();
  std::size_t seen = 0;
  std::optional<std::size_t> near;
  base::Status status = Visit(command, terminal, [&](const Numbered& page) {
    if (++seen <= count) AddRow(table, page);
    if (!near && page.record.kind == contentseen::Kind::kNear) near = page.number;
    return seen < count || !near;
  });
  if (!status) {
    Complain(terminal, status.error().message);
  } else if (!table.empty()) {
    terminal.out.Write(table.Text(terminal.out.Width(), terminal.out.colours()));
  }
  return near;
}

void AddSkippedCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command =
      app.add_subcommand("skipped", "Show the duplicates that a crawl skipped, and why");
  auto arguments = std::make_shared<SkippedCommand>();
  command->add_option("DATA", arguments->data, "Data directory of the crawl")
      ->type_name("DIR")
      ->capture_default_str();
  AddFilters(*command, *arguments);
  command->add_option("--limit", arguments->limit, "At most so many rows")
      ->type_name("ROWS")
      ->check(CLI::Range(std::int64_t{1}, kRowsMax).description(""));
  CLI::Option* group =
      command
          ->add_option("--group-by", arguments->group_by, "Counts by original, host or distance")
          ->transform(CLI::Validator(GroupByOf, ""))
          ->type_name(OneOf({kGroups.begin(), kGroups.end()}));
  command
      ->add_option("--diff", arguments->diff,
                   "What differs between skipped page N (its number in the table) and its "
                   "original, word by word: [-only the original-] {+only the skipped page+}")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, kRowsMax).description(""))
      ->excludes(group);
  CLI::Option* diff = command->get_option("--diff");
  CLI::Option* json = command->add_flag("--json", arguments->json, "One JSON object a line");
  command
      ->add_flag("--csv", arguments->csv, "A table for spreadsheets, formulas in it made harmless")
      ->excludes(json)
      ->excludes(group)
      ->excludes(diff);
  AddExamples(*command, {{"contentseen skipped my-crawl --kind near --distance 2..3",
                          "The near-duplicates that differ most"},
                         {"contentseen skipped my-crawl --group-by original --limit 10",
                          "The ten pages that have most duplicates"},
                         {"contentseen skipped my-crawl --diff 21",
                          "What differs between page 21 of the list and its original"},
                         {"contentseen skipped my-crawl --since 2h --json",
                          "For a program, what was skipped in the last two hours"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
