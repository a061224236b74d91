#include "crawler/command/commands.h"

#include <memory>

#include "base/ascii.h"
#include "crawler/evaluate/page_source.h"
#include "crawler/fetch/curl_fetcher.h"
#include "crawler/io/bounded_file.h"
#include "crawler/io/jsonl.h"
#include "crawler/io/line_source.h"
#include "crawler/pipeline/outcome.h"

namespace crawler {
namespace {

struct RobotsCommand {
  ConfigArguments config;
  std::string file;
  std::string agent;
  std::vector<std::string> urls;
  bool json = false;
};

/// A robots.txt as it was found, and what its being there or not means.
struct FoundRobots {
  std::string text;
  parser::RobotsTxt rules;
  /// Whose it is, as "https://example.org"; empty where it may be anybody's.
  std::string origin;
};

base::Result<FoundRobots> ReadRobotsFile(const std::string& name,
                                         const parser::RobotsLimits& limits) {
  base::Result<BoundedFile> file = ReadBoundedFile(name, limits.body_bytes_max + 1);
  if (!file) return base::Fail(name + ": cannot be read: " + file.error().message);
  FoundRobots found{std::move(file->bytes), {}, {}};
  found.rules = parser::RobotsTxt::Parse(found.text, limits);
  return found;
}

/// Of the origin of `where`, by the rules of RFC 9309 section 2.3.1 as far as one attempt goes.
base::Result<FoundRobots> FetchRobots(const std::string& where, const Options& options) {
  base::Result<frontier::Url> url = frontier::Url::Parse(where, options.url);
  if (!url) return base::Fail(where + ": " + url.error().message);
  const std::string origin(url->origin());
  url = frontier::Url::Parse(origin + "/robots.txt");
  if (!url) return base::Fail(where + ": " + url.error().message);
  FetcherOptions fetch = options.fetch;
  // A byte more than is read, so that the reader knows when its last line is cut.
  fetch.body_bytes_max = options.robots.body_bytes_max + 1;
  const base::SystemClock clock;
  auto fetcher = CurlFetcher::Create(fetch, clock);
  if (!fetcher) return base::Fail(fetcher.error().message);
  for (std::uint32_t hop = 0; hop <= kRobotsHopsMax; ++hop) {
    FetchResponse response = FetchOne(**fetcher, url->text());
    if (response.error != FetchError::kNone) {
      return base::Fail(url->text() + ": " + std::string(Name(response.error)) + ": " +
                        response.error_detail + ": a crawler stays away until it can be had");
    }
    const RobotsAnswer answer = RobotsAnswerOf(response);
    if (answer == RobotsAnswer::kLater) {
      return base::Fail(url->text() + ": HTTP status " + std::to_string(response.status) +
                        ": a crawler stays away until it can be had");
    }
    if (answer == RobotsAnswer::kFile) {
      auto rules = parser::RobotsTxt::Parse(response.body, options.robots);
      return FoundRobots{std::move(response.body), std::move(rules), origin};
    }
    const auto location = answer == RobotsAnswer::kElsewhere ? Location(response) : std::nullopt;
    url = location ? TargetOf(*url, *location, options.url) : base::Fail("none");
    if (!url) break;
  }
  return FoundRobots{{}, parser::RobotsTxt::AllowAll(), origin};
}

/// Answers one URL after the other in the form asked for.
class RobotsAnswers {
 public:
  RobotsAnswers(const FoundRobots& robots, const frontier::UrlRules& rules, bool json,
                Terminal& terminal)
      : robots_(robots), url_rules_(rules), json_(json), terminal_(terminal) {}

  /// False when nobody reads the answers any more.
  bool Answer(const std::string& agent, const std::string& url) {
    const auto parsed = frontier::Url::Parse(url, url_rules_);
    const bool is_path = url.starts_with('/');
    if (!parsed && !is_path) return Refuse(url, parsed.error().message);
    if (!is_path && !robots_.origin.empty() && parsed->origin() != robots_.origin) {
      return Refuse(url, "is not of " + robots_.origin + ", and so has a robots.txt of its own");
    }
    const std::string path = is_path ? url : std::string(parsed->path_and_query());
    parser::RobotsTxt::Decision decision = robots_.rules.Allows(agent, path);
    // RFC 9309 section 2.2.2: the file itself is always allowed.
    if (path == "/robots.txt") decision = {};
    if (!decision.allowed) denied_ = true;
    const std::string rule(base::Trim(parser::RobotsTxt::Line(robots_.text, decision.line)));
    return terminal_.out.Write(json_ ? Json(agent, url, decision, rule)
                                     : Text(url, decision, rule));
  }
  bool denied() const { return denied_; }

 private:
  bool Refuse(const std::string& url, const std::string& why) {
    denied_ = true;
    if (!json_) {
      return terminal_.out.Write("refused\t" + Escaped(url) + "\t0\t" + Escaped(why) + "\n");
    }
    JsonLine line;
    line.Text("url", url);
    line.Text("refused", why);
    return terminal_.out.Write(line.Finish());
  }

  static std::string Text(const std::string& url, const parser::RobotsTxt::Decision& decision,
                          const std::string& rule) {
    return std::string(decision.allowed ? "allow" : "deny") + "\t" + Escaped(url) + "\t" +
           std::to_string(decision.line) + "\t" +
           (decision.line == 0 ? "no rule matches" : Escaped(rule)) +
           (decision.too_costly ? " (rules too costly to judge)" : "") + "\n";
  }

  static std::string Json(const std::string& agent, const std::string& url,
                          const parser::RobotsTxt::Decision& decision, const std::string& rule) {
    JsonLine line;
    line.Text("url", url);
    line.Text("agent", agent);
    line.Raw("allowed", decision.allowed ? "true" : "false");
    line.Number("line", std::uint64_t{decision.line});
    line.Text("rule", rule);
    return line.Finish();
  }

  const FoundRobots& robots_;
  const frontier::UrlRules& url_rules_;
  const bool json_;
  Terminal& terminal_;
  bool denied_ = false;
};

ExitCode Run(RobotsCommand command, Terminal& terminal) {
  std::optional<Options> options = LoadOptionsOrComplain(command.config, terminal);
  if (!options) return kExitUsage;
  std::string site;
  if (command.file.empty()) {
    if (command.urls.empty()) {
      return Complain(terminal, "robots needs --file, or the URL of a site", kExitUsage);
    }
    site = command.urls.front();
    command.urls.erase(command.urls.begin());
  }
  base::Result<FoundRobots> robots = command.file.empty()
                                         ? FetchRobots(site, *options)
                                         : ReadRobotsFile(command.file, options->robots);
  if (!robots) return Complain(terminal, robots.error().message, kExitUsage);

  const std::string& agent = command.agent.empty() ? options->parser.product_token : command.agent;
  RobotsAnswers answers(*robots, options->url, command.json, terminal);
  for (const std::string& url : command.urls) {
    if (!answers.Answer(agent, url)) break;
  }
  if (command.urls.empty()) {
    const auto answer = [&answers](const std::string& before, const std::string& url) {
      return answers.Answer(before, url);
    };
    if (auto read = ForEachLine(stdin, agent, answer); !read) {
      return Complain(terminal, read.error().message);
    }
  }
  return answers.denied() ? kExitFailure : kExitOk;
}

}  // namespace

void AddRobotsCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand(
      "robots",
      "Show whether a robots.txt allows URLs, and the line that decides: one line each, of "
      "columns between tabs");
  command->footer(
      "\nExit status:\n"
      "  0  every URL is allowed\n"
      "  1  one is denied, or refused: no URL, or one of another site than the first\n"
      "  2  the robots.txt cannot be had (one that does not exist allows everything)");
  auto arguments = std::make_shared<RobotsCommand>();
  command
      ->add_option("--file", arguments->file,
                   "The robots.txt; - for standard input; else the first URL's is fetched")
      ->type_name("FILE");
  command
      ->add_option("--agent", arguments->agent,
                   "The crawler's product token; else robots.product_token")
      ->type_name("NAME");
  command
      ->add_option(
          "URL", arguments->urls,
          "URLs, or paths from their /; without any (behind the site's), each line of the "
          "input is one, or AGENT<tab>URL")
      ->type_name("URL");
  command->add_flag("--json", arguments->json, "One JSON object a line");
  AddConfigArguments(*command, arguments->config);
  AddExamples(*command,
              {{"contentseen robots https://www.example.org/ /private/x",
                "Fetch a site's robots.txt and ask it about a path"},
               {"contentseen robots --file robots.txt --agent mybot /private/x", "Ask a file"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
