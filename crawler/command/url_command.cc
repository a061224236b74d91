#include "crawler/command/commands.h"

#include <memory>

#include "crawler/io/jsonl.h"
#include "crawler/io/line_source.h"

namespace crawler {
namespace {

struct UrlCommand {
  ConfigArguments config;
  std::string base;
  std::vector<std::string> urls;
  bool json = false;
};

/// Answers one URL after the other in the form asked for.
class UrlAnswers {
 public:
  UrlAnswers(const frontier::UrlRules& rules, bool json, Terminal& terminal)
      : rules_(rules), json_(json), terminal_(terminal) {}

  /// False when nobody reads the answers any more.
  bool Answer(const std::string& base, const std::string& text) {
    base::Result<frontier::Url> url = Canonical(base, text);
    if (!url) refused_ = true;
    return terminal_.out.Write(json_ ? Json(base, text, url) : Text(text, url));
  }
  bool refused() const { return refused_; }

 private:
  base::Result<frontier::Url> Canonical(const std::string& base, const std::string& text) const {
    if (base.empty()) return frontier::Url::Parse(text, rules_);
    base::Result<frontier::Url> from = frontier::Url::Parse(base, rules_);
    if (!from) return base::Fail("the base: " + from.error().message);
    return frontier::Url::Resolve(*from, text, rules_);
  }

  static std::string Text(const std::string& text, const base::Result<frontier::Url>& url) {
    if (url) return "ok\t" + url->text() + "\n";
    return "refused\t" + Escaped(text) + "\t" + Escaped(url.error().message) + "\n";
  }

  static std::string Json(const std::string& base, const std::string& text,
                          const base::Result<frontier::Url>& url) {
    JsonLine line;
    line.Text("given", text);
    if (!base.empty()) line.Text("base", base);
    if (url) {
      line.Text("url", url->text());
      line.Text("origin", url->origin());
      line.Text("host", url->host());
      line.Number("port", std::uint64_t{url->port()});
      line.Text("path", url->path());
      line.Text("query", url->query());
    } else {
      line.Text("refused", url.error().message);
    }
    return line.Finish();
  }

  const frontier::UrlRules& rules_;
  const bool json_;
  Terminal& terminal_;
  bool refused_ = false;
};

ExitCode Run(const UrlCommand& command, Terminal& terminal) {
  std::optional<Options> options = LoadOptionsOrComplain(command.config, terminal);
  if (!options) return kExitUsage;
  UrlAnswers answers(options->url, command.json, terminal);
  for (const std::string& url : command.urls) {
    if (!answers.Answer(command.base, url)) break;
  }
  if (command.urls.empty()) {
    const auto answer = [&answers](const std::string& before, const std::string& url) {
      return answers.Answer(before, url);
    };
    if (auto read = ForEachLine(stdin, command.base, answer); !read) {
      return Complain(terminal, read.error().message);
    }
  }
  return answers.refused() ? kExitFailure : kExitOk;
}

}  // namespace

void AddUrlCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand(
      "url",
      "Show the canonical form of URLs, or why they are refused: one line each, of columns "
      "between tabs");
  command->footer(
      "\nExit status:\n"
      "  0  every URL was taken\n"
      "  1  one was refused");
  auto arguments = std::make_shared<UrlCommand>();
  command
      ->add_option("URL", arguments->urls,
                   "URLs; without any, each line of the input is one, or BASE<tab>URL")
      ->type_name("URL");
  command->add_option("--base", arguments->base, "The page in which they stand")->type_name("URL");
  command->add_flag("--json", arguments->json, "One JSON object a line");
  AddConfigArguments(*command, arguments->config);
  AddExamples(*command, {{"contentseen url HTTP://Example.org:80/a/../b",
                          "The form in which the crawler keeps it"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
