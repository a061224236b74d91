#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/io/terminal.h"
#include "crawler/settings/config_file.h"

namespace crawler {

/// How the program ends; told in --help.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailure = 1,  // something failed while running: disk, network, port
  kExitUsage = 2,    // command line, configuration or seeds: nothing was started
};

/// Where a parsed command line leaves what is to be done. Parsing only decides; the work is run
/// after it, outside the reach of the parser's exceptions.
///
/// A command is one pair of files and adds itself (see config_command.cc for the smallest):
///
///     void AddConfigCommand(CLI::App& app, CommandLine& line) {
///       CLI::App* command = app.add_subcommand("config", "Print the configuration file");
///       auto arguments = std::make_shared<ConfigArguments>();
///       AddConfigArguments(*command, *arguments);
///       command->callback([&line, arguments] {
///         line.run = [arguments](Terminal& terminal) { return RunConfig(*arguments, terminal); };
///       });
///     }
struct CommandLine {
  std::function<ExitCode(Terminal&)> run;
};

/// Adds --config, --set and every flag that the option table declares.
///
/// Ownership: `arguments` must outlive the parsing.
void AddConfigArguments(CLI::App& command, ConfigArguments& arguments);

/// For options that name a file and nothing else: refuses "-", which would be a file of that name,
/// and is the standard input or output elsewhere.
CLI::Validator NoDash();
/// Refuses "nan", which CLI::Range takes for a number of any range.
CLI::Validator NoNan();
/// Refuses what is no whole number from 0 to 2^64 - 1: -1 and what is too large would become the
/// largest there is.
CLI::Validator FitsUint64();

/// LoadOptions(), with its problems told on the error stream; nothing when there are any.
std::optional<LoadedOptions> LoadOrComplain(const ConfigArguments& arguments,
                                            const Remember& remember, Terminal& terminal);
/// The same of what no crawl has kept.
std::optional<Options> LoadOptionsOrComplain(const ConfigArguments& arguments, Terminal& terminal);

/// "contentseen: <message>" on the error stream; gives `code` back.
ExitCode Complain(Terminal& terminal, const std::string& message, ExitCode code = kExitFailure);

/// The same of a command or an option that there is not; `nearest` is what was perhaps meant.
ExitCode ComplainOfCommand(Terminal& terminal, const std::string& name,
                           const std::string& nearest = "");

/// A command line and what it is for.
struct Example {
  std::string_view command;
  std::string_view what;
};

/// Shows `examples` at the end of the command's help and in its manual.
void AddExamples(CLI::App& command, std::initializer_list<Example> examples);

/// The declarations of the whole program; parsing leaves in `line` what is to be done.
///
/// Ownership: `line` must outlive it, and it what is in `line`.
std::unique_ptr<CLI::App> MakeApp(CommandLine& line);

/// The whole program: `arguments` without the program's name.
int RunCommandLine(const std::vector<std::string>& arguments, Terminal& terminal);

/// Registers the commands; each is declared in its own <name>_command.h.
void AddAllCommands(CLI::App& app, CommandLine& line);

}  // namespace crawler
