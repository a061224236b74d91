#include "crawler/command/command_line.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "base/whole_number.h"
#include "crawler/command/completion.h"
#include "crawler/command/manual_command.h"
#include "crawler/io/edit_distance.h"
#include "crawler/version.h"

namespace crawler {
namespace {

constexpr char kDescription[] =
    "Crawls the web and does not follow what it has seen before: every page is compared with all "
    "earlier ones, and an exact or near duplicate is logged and skipped";
constexpr char kFooter[] =
    "\nExit status:\n"
    "  0  done; a crawl also where a signal or a limit stopped it, or no page could be had: its\n"
    "     last lines say which, and for programs --json and 'contentseen status --json'\n"
    "  1  something failed while running\n"
    "  2  the command line, the configuration or the seeds are wrong, or a file that is named\n"
    "     cannot be opened; nothing was started\n"
    "Environment:\n"
    "  NO_COLOR  set to anything but the empty text: no colours at a terminal\n"
    "  PAGER     shows what is longer than the terminal; empty or cat: nothing does\n"
    "  TERM      dumb: no colours either\n"
    "  TMPDIR    where 'dedup --skipped' keeps the names of documents meanwhile; else /tmp\n"
    "Further help:\n"
    "  contentseen COMMAND --help   a command's arguments\n"
    "  contentseen man COMMAND      its manual page\n"
    "  contentseen config           the configuration file, every option explained";

// The arguments that set options, with the option's name; empty for --set, whose values begin
// with it.
using Assigning = std::map<const CLI::Option*, std::string>;

// Takes all that was assigned, as it stands in the command line: what is said last counts.
void Collect(const CLI::App& command, const Assigning& assigning, ConfigArguments& arguments) {
  arguments.assignments.clear();
  std::map<const CLI::Option*, std::size_t> met;
  for (const CLI::Option* option : command.parse_order()) {
    const auto row = assigning.find(option);
    if (row == assigning.end()) continue;
    const std::string value = option->results().at(met[option]++);
    if (!row->second.empty()) {
      arguments.assignments.emplace_back(row->second, value);
      continue;
    }
    const std::size_t equals = value.find('=');
    if (equals == value.npos) throw CLI::ValidationError("--set", "needs section.key=value");
    arguments.assignments.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  }
}

// The flag of one option. One that is on has a flag to turn it off: --warc, --no-warc.
CLI::Option* AddFlag(CLI::App& command, const Option& option, const std::function<void()>& take) {
  CLI::Option* flag = nullptr;
  if (option.kind == OptionKind::kBool) {
    const bool is_on = std::get<bool>(option.get());
    const std::string off = is_on ? ",!--no-" + option.flag.substr(2) : "";
    flag = command.add_flag(option.flag + off, [take](std::int64_t) { take(); });
    flag->check(CLI::Validator(
        [](const std::string& value) {
          return std::string(value == "true" || value == "false" ? "" : "must be true or false");
        },
        ""));
  } else {
    flag = command.add_option(option.flag, [take](const CLI::results_t&) { return take(), true; })
               ->type_name(option.value)
               ->expected(1)
               ->multi_option_policy(option.kind == OptionKind::kTextList
                                         ? CLI::MultiOptionPolicy::TakeAll
                                         : CLI::MultiOptionPolicy::Throw);
  }
  return flag
      ->description(option.help + " [" + option.Name() + " = " + TomlText(option.get()) + "]")
      ->group("Configuration");
}

// The command whose arguments were being read.
const CLI::App& CommandAt(const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  return commands.empty() ? app : CommandAt(*commands.front());
}

std::vector<std::string> FlagsOf(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::vector<std::string> CommandsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(one->get_name());
  }
  return names;
}

ExitCode ComplainOfUnknown(const CLI::App& app, const std::string& word, Terminal& terminal) {
  const CLI::App& command = CommandAt(app);
  const std::vector<std::string> commands = CommandsOf(command);
  const bool is_flag = word.starts_with('-');
  const std::string name = is_flag ? word.substr(0, word.find('=')) : word;
  if (!is_flag && commands.empty()) {
    return Complain(terminal, "there is no place for '" + name + "' in the command line",
                    kExitUsage);
  }
  // What is crawled is no command.
  if (name.find("://") != name.npos) return ComplainOfCommand(terminal, name, "crawl " + name);
  NearestName nearest(name);
  for (const std::string& known : is_flag ? FlagsOf(command) : commands) {
    nearest.Offer(known, EditDistance(name, known));
  }
  return ComplainOfCommand(terminal, name, nearest.name());
}

ExitCode ParseAndRun(const std::vector<std::string>& arguments, Terminal& terminal) {
  CommandLine line;
  const std::unique_ptr<CLI::App> app = MakeApp(line);
  if (!arguments.empty() && arguments[0] == "complete") {
    return AnswerShell(*app, {arguments.begin() + 1, arguments.end()}, terminal);
  }
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app->parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> unknown = app->remaining(true);
    const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
    const bool may_be_unknown =
        kind == CLI::ExitCodes::RequiredError || kind == CLI::ExitCodes::ExtrasError;
    if (may_be_unknown && !unknown.empty()) {
      return ComplainOfUnknown(*app, unknown.front(), terminal);
    }
    std::ostringstream out;
    std::ostringstream err;
    int code = app->exit(error, out, err);
    terminal.out.Write(out.str());
    terminal.err.Write(err.str());
    return code == 0 ? kExitOk : kExitUsage;
  }
  return line.run ? line.run(terminal) : kExitUsage;
}

}  // namespace

void AddExamples(CLI::App& command, std::initializer_list<Example> examples) {
  std::string text = "\nExamples:";
  for (const Example& example : examples) {
    text.append("\n  ").append(example.what).append(":\n      ").append(example.command);
  }
  const std::string footer = command.get_footer();
  command.footer(footer.empty() ? text : footer + text);
}

std::unique_ptr<CLI::App> MakeApp(CommandLine& line) {
  auto app = std::make_unique<CLI::App>(kDescription, "contentseen");
  app->set_version_flag("--version", std::string("contentseen ") + kVersion);
  app->require_subcommand(1);
  AddAllCommands(*app, line);
  app->footer(kFooter);  // last: what is added inherits it
  return app;
}

void AddConfigArguments(CLI::App& command, ConfigArguments& arguments) {
  command.add_option("--config", arguments.file, "Configuration file (TOML)")
      ->type_name("FILE")
      ->group("Configuration");
  auto assigning = std::make_shared<Assigning>();
  auto take = [&command, &arguments, assigning] { Collect(command, *assigning, arguments); };
  CLI::Option* set = command
                         .add_option(
                             "--set", [take](const CLI::results_t&) { return take(), true; },
                             "Set any option: section.key=value; may be repeated")
                         ->type_name(kAssignmentValue)
                         ->expected(1)
                         ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
                         ->group("Configuration");
  assigning->emplace(set, "");
  Options defaults;
  OptionTable table = DeclareOptions(defaults);
  for (const Option& option : table.options()) {
    if (option.flag.empty()) continue;
    assigning->emplace(AddFlag(command, option, take), option.Name());
  }
}

CLI::Validator NoDash() {
  return CLI::Validator(
      [](const std::string& name) {
        return std::string(name == "-" ? "cannot be -: name a file" : "");
      },
      "");
}

CLI::Validator NoNan() {
  return CLI::Validator(
      [](const std::string& number) {
        return std::string(std::isnan(std::strtod(number.c_str(), nullptr)) ? "must be a number"
                                                                            : "");
      },
      "");
}

CLI::Validator FitsUint64() {
  return CLI::Validator(
      [](const std::string& number) {
        return std::string(base::WholeNumber<std::uint64_t>(number)
                               ? ""
                               : "must be a whole number from 0 to 18446744073709551615");
      },
      "");
}

std::optional<LoadedOptions> LoadOrComplain(const ConfigArguments& arguments,
                                            const Remember& remember, Terminal& terminal) {
  tl::expected<LoadedOptions, ConfigProblems> loaded = LoadOptions(arguments, remember);
  if (loaded) return std::move(*loaded);
  for (const std::string& problem : loaded.error()) {
    terminal.err.Write(Escaped(problem) + "\n");
  }
  return std::nullopt;
}

std::optional<Options> LoadOptionsOrComplain(const ConfigArguments& arguments,
                                             Terminal& terminal) {
  std::optional<LoadedOptions> loaded = LoadOrComplain(arguments, {}, terminal);
  if (!loaded) return std::nullopt;
  return std::move(loaded->options);
}

ExitCode Complain(Terminal& terminal, const std::string& message, ExitCode code) {
  terminal.err.Write(Coloured("contentseen:", Colour::kRed, terminal.err.colours()) + " " +
                     Escaped(message) + "\n");
  return code;
}

ExitCode ComplainOfCommand(Terminal& terminal, const std::string& name,
                           const std::string& nearest) {
  const std::string kind = name.starts_with('-') ? "option" : "command";
  const std::string meant = nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
  return Complain(terminal,
                  "there is no " + kind + " '" + name + "'" +
                      (meant.empty() ? ": see 'contentseen --help'" : meant),
                  kExitUsage);
}

int RunCommandLine(const std::vector<std::string>& arguments, Terminal& terminal) {
  try {
    ExitCode code = ParseAndRun(arguments, terminal);
    int error = terminal.out.error();
    if (error == 0 || error == EPIPE) return code;
    return Complain(terminal, std::string("cannot write the output: ") + std::strerror(error));
  } catch (const std::exception& error) {
    // Nothing that we wrote throws: this is memory, or a mistake of a library we use.
    return Complain(terminal, std::string("stopped by an unexpected error: ") + error.what());
  }
}

}  // namespace crawler
