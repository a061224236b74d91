#include "crawler/command/commands.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "crawler/command/crawl_options.h"
#include "crawler/command/crawl_watch.h"
#include "crawler/command/skipped_command.h"
#include "crawler/command/stop_signals.h"
#include "crawler/crawl/crawl.h"
#include "crawler/crawl/crawl_state.h"
#include "crawler/crawl/curl_fetchers.h"
#include "crawler/crawl/seeds.h"
#include "crawler/data/data_format.h"
#include "crawler/fetch/cookie_jar.h"
#include "crawler/fetch/curl_fetcher.h"
#include "crawler/report/dashboard.h"
#include "crawler/report/progress.h"
#include "crawler/report/standing.h"
#include "crawler/report/template_alarm.h"
#include "crawler/settings/crawl_settings.h"
#include "store/rocks_store.h"

namespace crawler {
namespace {

struct CrawlCommand {
  ConfigArguments config;
  std::vector<std::string> seeds;
  bool check_config = false;
  bool fresh = false;
  bool yes = false;
  bool json = false;
};

// Skipped duplicates shown after a crawl.
constexpr std::size_t kSkippedShown = 8;
// Of a file that is no list of seeds every line is a bad one.
constexpr std::size_t kBadSeedsShown = 10;
constexpr const char* kSeedsCutShort =
    "Stopping: not all seeds were queued; to go on with the rest, name them again.\n";
// Hosts that may get an alarm.
constexpr std::size_t kHostsLookedAt = 100;

void ComplainOfSeeds(const Seeds& seeds, Terminal& terminal) {
  const std::size_t shown = std::min(seeds.bad.size(), kBadSeedsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    terminal.err.Write(Escaped(seeds.bad[i].Sentence()) + "\n");
  }
  if (shown < seeds.bad.size()) {
    terminal.err.Write(fmt::format("{} more lines are no seeds\n", seeds.bad.size() - shown));
  }
  if (seeds.duplicates > 0) {
    terminal.err.Write(fmt::format("{} seeds stand more than once\n", seeds.duplicates));
  }
}

// The commands that show more of the crawl in `folder`, whose first near-duplicate is page `near`.
std::string LookFurther(const std::string& folder, std::optional<std::size_t> near) {
  const std::string data = ShellWord(folder);
  std::string text = fmt::format(
      "\nLook further:\n"
      "  contentseen skipped {0}                      all skipped pages, with their originals\n"
      "  contentseen skipped {0} --group-by original\n"
      "  contentseen report {0} -o report.html        all of it as one web page\n",
      data);
  if (near) {
    text += fmt::format("  contentseen skipped {} --diff {}             what differs in page {}\n",
                        data, *near, *near);
  }
  return text + fmt::format("  {}/pages.jsonl, skipped.jsonl, other.jsonl\n", data);
}

// Of the hosts with most pages, a sentence on each where a template may have been compared.
std::string TemplateAlarms(const std::vector<BusiestHosts::Host>& hosts) {
  std::string text;
  for (const BusiestHosts::Host& host : hosts) {
    if (!IsTemplateAlarm(host.near, host.pages)) continue;
    text += "\n" + TemplateAlarm(host.name, host.near, host.pages) + "\n";
  }
  return text;
}

void ShowEnd(const CrawlCommand& command, const std::string& data, const CrawlSnapshot& end,
             const std::vector<BusiestHosts::Host>& hosts, Terminal& terminal) {
  if (command.json) {
    terminal.out.Write(SummaryJson(end) + "\n");
    return;
  }
  terminal.out.Write("\n" + SummaryText(end) + TemplateAlarms(hosts));
  std::optional<std::size_t> near;
  if (end.statistics.InGroup(DispositionGroup::kSkipped) > 0) {
    terminal.out.Write("\nFirst skipped duplicates:\n");
    near = ShowFirstSkipped(data, kSkippedShown, terminal);
  }
  terminal.out.Write(LookFurther(data, near) + "\n" + StandingText(end, data));
}

// Why a seed was not queued: the scope, mostly, or an earlier run.
std::string RefusedSeeds(const frontier::ScheduleCounts& counts) {
  std::string text;
  auto add = [&text](std::uint64_t count, std::string_view name) {
    if (count > 0) text += fmt::format("  {} {}\n", count, name);
  };
  add(counts.seen, "known: waiting already, or asked for before and not asked for again");
  for (std::size_t i = 0; i < counts.out_of_scope.size(); ++i) {
    add(counts.out_of_scope[i], frontier::Name(static_cast<frontier::ScopeVerdict>(i)));
  }
  for (std::size_t i = 0; i < counts.over_limit.size(); ++i) {
    add(counts.over_limit[i], frontier::Name(static_cast<frontier::ScheduleLimit>(i)));
  }
  return text.empty() ? text : "seeds not queued:\n" + text;
}

// Whether one of the seeds may be crawled at all; why not, of each kind, goes to `counts`.
bool AdmitsOne(const Options& options, const std::vector<frontier::Url>& seeds,
               frontier::ScheduleCounts& counts) {
  auto scope = frontier::Scope::Make(options.scope);
  if (!scope) return true;  // making the crawl says why
  for (const frontier::Url& seed : seeds) {
    (*scope)->AddSeed(seed);
    const frontier::ScopeVerdict verdict = (*scope)->Judge(seed, 0);
    if (verdict == frontier::ScopeVerdict::kIn) return true;
    ++counts.out_of_scope[static_cast<std::size_t>(verdict)];
  }
  return false;
}

// The seeds that are named, with a word on each that cannot be used. Fails where a crawl that
// begins (not one that `resumes`) could not begin with them.
base::Result<Seeds> LoadSeeds(const CrawlCommand& command, const Options& options, bool resumes,
                              Terminal& terminal) {
  if (command.seeds.empty() && !resumes) {
    return base::Fail("name a file of seed URLs, one a line, or a URL");
  }
  for (const std::string& name : command.seeds) {
    if (!DataDirectory::IsThere(name)) continue;
    return base::Fail(name + " is the data directory of a crawl: to go on with it, contentseen " +
                      "crawl --data " + ShellWord(name));
  }
  base::Result<Seeds> seeds = ReadSeeds(command.seeds, options.url);
  if (!seeds) return seeds;
  ComplainOfSeeds(*seeds, terminal);
  if (resumes) return seeds;
  if (seeds->urls.empty()) {
    return base::Fail(
        "no usable seed URL: name one as https://example.org/, or a file of them, "
        "one a line");
  }
  frontier::ScheduleCounts refused;
  if (AdmitsOne(options, seeds->urls, refused)) return seeds;
  terminal.err.Write(RefusedSeeds(refused));
  return base::Fail("the scope admits none of the seeds");
}

// Transfers need a descriptor each, and RocksDB its files: take what the system allows.
void RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  // Nothing is lost where it may not be raised: connections then fail one by one, and are retried.
  static_cast<void>(setrlimit(RLIMIT_NOFILE, &limit));
}

// Null where cookies are off.
base::Result<std::shared_ptr<CookieJar>> OpenCookies(const FetcherOptions& options,
                                                     const base::Clock& clock) {
  if (options.cookies == "off") return nullptr;
  if (options.cookies == "memory") return std::make_shared<CookieJar>();
  return CookieJar::Open(options.cookies, clock.WallNow()).map([](auto jar) {
    return std::shared_ptr<CookieJar>(std::move(jar));
  });
}

// Null where the options name no address to listen on.
base::Result<std::unique_ptr<Dashboard>> BindDashboard(const Options& options) {
  if (options.metrics.listen.empty()) return nullptr;
  return Dashboard::Bind(options.metrics);
}

// Whether a data directory can be made, or what is there be written to. Nothing made is left.
base::Status TryData(const std::string& name) {
  namespace fs = std::filesystem;
  const std::string option = "crawl.data = \"" + name + "\" ";
  std::error_code error;
  const fs::path data = fs::absolute(name, error);
  if (fs::exists(data, error)) {
    if (!fs::is_directory(data, error)) return base::Fail(option + "is no directory");
    if (::access(data.c_str(), W_OK | X_OK) == 0) return {};
    return base::Fail(option + "cannot be written to: " + std::strerror(errno));
  }
  std::vector<fs::path> missing;  // the inmost first
  for (fs::path folder = data; !folder.empty() && !fs::exists(folder, error);
       folder = folder.parent_path()) {
    missing.push_back(folder);
  }
  fs::create_directories(data, error);
  std::error_code ignored;  // an empty folder more does no harm
  for (const fs::path& folder : missing) fs::remove(folder, ignored);
  return error ? base::Fail(option + "cannot be made: " + error.message()) : base::Status();
}

// A crawl that was stopped so early goes on only where its seeds are named again.
std::string NoSeedsKept(const std::string& data) {
  return "the crawl in " + data +
         " was stopped before it had kept its seeds: name a file of seed URLs, or a URL";
}

// Whether the crawl in the data directory can go on with these options, and what seeds are named.
base::Status TryToGoOn(const CrawlCommand& command, const Options& options) {
  auto store = store::OpenRocksStoreForReading(StorePath(options.crawl.data));
  if (!store) return base::Fail(store.error().message);
  auto begun = HasBegun(options.crawl.data, **store);
  if (!begun) return base::Fail(begun.error().message);
  auto compared = CompareSettings(options, **store);
  if (!compared) return base::Fail(compared.error().message);
  auto at = ReadSnapshot(**store);
  if (!at) return base::Fail(at.error().message);
  if (*at) return FitsMemory(**at, options);
  if (command.seeds.empty()) return base::Fail(NoSeedsKept(options.crawl.data));
  return {};
}

// What shows only when a crawl is made: files that are named, addresses to bind to, what an
// earlier run in the data directory went by.
base::Status TryParts(const CrawlCommand& command, const Options& options, bool resumes,
                      Terminal& terminal) {
  const base::SystemClock clock;
  if (!command.seeds.empty()) {
    auto seeds = LoadSeeds(command, options, resumes, terminal);
    if (!seeds) return base::Fail(seeds.error().message);
    if (!seeds->bad.empty()) {
      return base::Fail(fmt::format("seeds that cannot be used: {}", seeds->bad.size()));
    }
  }
  if (auto data = TryData(options.crawl.data); !data) return data;
  if (resumes) {
    if (auto goes_on = TryToGoOn(command, options); !goes_on) return goes_on;
  }
  auto scope = frontier::Scope::Make(options.scope);
  if (!scope) return base::Fail(scope.error().message);
  auto seen = contentseen::ContentSeen::Create(options.contentseen);
  if (!seen) return base::Fail(seen.error().message);
  auto cookies = OpenCookies(options.fetch, clock);
  if (!cookies) return base::Fail(cookies.error().message);
  auto fetcher = CurlFetcher::Create(options.fetch, clock, *cookies);
  if (!fetcher) return base::Fail(fetcher.error().message);
  auto dashboard = BindDashboard(options);
  if (!dashboard) return base::Fail(dashboard.error().message);
  return {};
}

base::Result<std::unique_ptr<Crawl>> Open(const CrawlCommand& command, const Options& options,
                                          const std::shared_ptr<CookieJar>& cookies,
                                          const base::Clock& clock) {
  using Earlier = DataDirectory::Earlier;
  if (command.fresh && !command.yes && DataDirectory::IsThere(options.crawl.data)) {
    return base::Fail("--fresh would delete the crawl in " + options.crawl.data +
                      ": add --yes to agree");
  }
  return Crawl::Create(options, clock, CurlFetchers(options, clock, cookies),
                       command.fresh ? Earlier::kErase : Earlier::kResume);
}

// Those of the crawl's notes that were not shown yet.
void ShowNotes(const Crawl& crawl, std::size_t shown, Terminal& terminal) {
  for (std::size_t i = shown; i < crawl.notes().size(); ++i) {
    terminal.err.WriteUnlessFull(Escaped(crawl.notes()[i]) + "\n");
  }
}

// What goes on, and how.
void ShowResumed(const Crawl& crawl, const std::string& data, const std::string& as_before,
                 Terminal& terminal) {
  if (!crawl.resumes()) return;
  const CrawlSnapshot at = crawl.Snapshot();
  terminal.err.WriteUnlessFull(
      fmt::format("Going on with the crawl in {}: {} pages done, {} URLs waiting.\n", data,
                  at.statistics.Pages(), at.frontier.queued));
  if (!as_before.empty()) {
    terminal.err.WriteUnlessFull("As before, where nothing else is said:\n" + as_before);
  }
  ShowNotes(crawl, 0, terminal);
}

void Serve(Dashboard& dashboard, const Crawl& crawl, const Options& options, Terminal& terminal) {
  dashboard.Serve({.snapshot = [&crawl] { return crawl.Snapshot(); },
                   .busiest = [&crawl](std::size_t count) { return crawl.Busiest(count); },
                   .data = options.crawl.data,
                   .k = options.contentseen.k});
  terminal.err.WriteUnlessFull("Watch: http://" + dashboard.address() + "/\n");
}

ExitCode Run(const CrawlCommand& command, Terminal& terminal) {
  // Before anything that starts threads, the store's among them, which would take the signals.
  StopSignals signals;
  // Opening a large crawl takes minutes. A signal ends it at once: all is as it was, as after a
  // crash (but for a crawl that --fresh was deleting).
  std::optional<DeadlySignals> deadly(std::in_place, signals);
  std::optional<CrawlRunOptions> loaded =
      LoadCrawlOptions(command.config, command.fresh, terminal);
  if (!loaded) return kExitUsage;
  const Options* const options = &loaded->options;
  const bool resumes = !command.fresh && DataDirectory::IsThere(options->crawl.data);
  if (command.check_config) {
    if (auto usable = TryParts(command, *options, resumes, terminal); !usable) {
      return Complain(terminal, usable.error().message, kExitUsage);
    }
    terminal.out.Write("The configuration is good.\n");
    return kExitOk;
  }
  base::Result<Seeds> seeds = LoadSeeds(command, *options, resumes, terminal);
  if (!seeds) return Complain(terminal, seeds.error().message, kExitUsage);
  RaiseDescriptorLimit();
  const base::SystemClock clock;
  auto cookies = OpenCookies(options->fetch, clock);
  if (!cookies) return Complain(terminal, cookies.error().message, kExitUsage);
  auto bound = BindDashboard(*options);
  if (!bound) return Complain(terminal, bound.error().message, kExitUsage);
  auto crawl = Open(command, *options, *cookies, clock);
  deadly.reset();  // from here on who writes must not wait for a reader: it answers the signals
  if (!crawl) return Complain(terminal, crawl.error().message, kExitUsage);
  if (seeds->urls.empty() && !(*crawl)->resumes()) {
    return Complain(terminal, NoSeedsKept(options->crawl.data), kExitUsage);
  }
  ShowResumed(**crawl, options->crawl.data, loaded->as_before, terminal);
  bool cut_short = false;
  auto counts = (*crawl)->AddSeeds(seeds->urls, [&] { return cut_short = signals.Take(); });
  if (!counts) return Complain(terminal, counts.error().message);
  terminal.err.WriteUnlessFull(RefusedSeeds(*counts));
  if (cut_short) {
    terminal.err.WriteUnlessFull(kSeedsCutShort);
    (*crawl)->Stop();
  } else if (counts->queued == 0 && !(*crawl)->resumes()) {
    return Complain(terminal, "the scope admits none of the seeds", kExitUsage);
  }
  std::unique_ptr<Dashboard> dashboard = std::move(*bound);  // ends before the crawl
  if (dashboard) Serve(*dashboard, **crawl, *options, terminal);
  const std::size_t notes = (*crawl)->notes().size();
  base::Status status = RunWatched(**crawl, options->log, signals, terminal);
  ShowNotes(**crawl, notes, terminal);
  dashboard.reset();
  CrawlSnapshot end = (*crawl)->Snapshot();
  const std::vector<BusiestHosts::Host> hosts = (*crawl)->Busiest(kHostsLookedAt);
  crawl->reset();  // closes the logs before they are shown
  if (base::Status saved = *cookies ? (*cookies)->Save(clock.WallNow()) : base::Status();
      !saved && status) {
    status = saved;
  }
  while (signals.Take()) {  // they asked for what is done
  }
  deadly.emplace(signals);  // whoever does not read the end may stop waiting for it
  ShowEnd(command, options->crawl.data, end, hosts, terminal);
  return status ? kExitOk : Complain(terminal, status.error().message);
}

}  // namespace

void AddCrawlCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand("crawl", "Crawl from URLs, or lists of them");
  auto arguments = std::make_shared<CrawlCommand>();
  command
      ->add_option(
          "SEEDS", arguments->seeds,
          "URLs to begin with, pages or sitemaps, and files of them, one a line ('#' begins a "
          "comment; - for standard input)")
      ->type_name("FILE|URL");
  command->add_flag("--check-config", arguments->check_config,
                    "Only check the configuration, and seeds where some are named; exit code 2 "
                    "when something is wrong");
  command->add_flag("--fresh", arguments->fresh,
                    "Delete an earlier crawl in the data directory first");
  command->add_flag("--yes", arguments->yes, "Agree to what --fresh deletes");
  command->add_flag("--json", arguments->json, "Print the summary as one JSON object");
  AddConfigArguments(*command, arguments->config);
  AddExamples(
      *command,
      {{"contentseen crawl seeds.txt --contact https://you.example/crawler --max-pages 1000",
        "Crawl at most a thousand pages, and say who asks"},
       {"contentseen crawl https://www.example.org/ --max-depth 2",
        "Crawl from one URL, two links deep"},
       {"contentseen crawl seeds.txt --config my.toml --listen 127.0.0.1:9464",
        "With a configuration file, and a page to watch it by"},
       {"contentseen crawl --data my-crawl --max-time 2h",
        "Two hours of it each night: the next start goes on"},
       {"contentseen crawl --data my-crawl", "Go on with a crawl that was stopped or killed"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
