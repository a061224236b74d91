#include "crawler/command/manual_command.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include "crawler/command/completion.h"
#include "crawler/command/manual.h"
#include "crawler/io/whole_file.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;

constexpr char kConfigPageName[] = "contentseen.toml.5";

struct ManualCommand {
  std::vector<std::string> command;
  std::string directory;
  bool config = false;
  bool markdown = false;
};

std::string ConfigPage() {
  Options fresh;
  const OptionTable defaults = DeclareOptions(fresh);
  return ConfigManualPage(defaults);
}

std::string Markdown(const CommandText& root) {
  CLI::App app;
  ConfigArguments unused;
  AddConfigArguments(app, unused);
  return CommandsMarkdown(root, DescribeCommand(app));
}

ExitCode WriteAll(const CommandText& root, const fs::path& directory, Terminal& terminal) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return Complain(terminal, directory.string() + ": " + error.message());
  base::Status written = WriteWholeFile(directory / kConfigPageName, ConfigPage());
  for (const CommandText* command : AllOf(root)) {
    if (!written) break;
    written = WriteWholeFile(directory / ManualPageName(*command), ManualPage(*command, root));
  }
  return written ? kExitOk : Complain(terminal, written.error().message);
}

ExitCode Run(const ManualCommand& asked, const CommandText& root, Terminal& terminal) {
  if (!asked.directory.empty()) return WriteAll(root, asked.directory, terminal);
  if (asked.markdown || asked.config) {
    terminal.out.Write(asked.markdown ? Markdown(root) : ConfigPage());
    return kExitOk;
  }
  std::string name = root.name;
  for (const std::string& word : asked.command) name += " " + word;
  for (const CommandText* command : AllOf(root)) {
    if (command->name != name) continue;
    terminal.out.Write(ManualPage(*command, root));
    return kExitOk;
  }
  return ComplainOfCommand(terminal, name);
}

void AddManCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand("man", "Print the manual page of a command");
  auto arguments = std::make_shared<ManualCommand>();
  CLI::Option* name =
      command->add_option("COMMAND", arguments->command, "The command; without one, contentseen")
          ->type_name(kCommandValue);
  CLI::Option* config =
      command->add_flag("--config-file", arguments->config, "The page of the configuration file")
          ->excludes(name);
  CLI::Option* markdown =
      command->add_flag("--markdown", arguments->markdown, "All commands, as docs/commands.md")
          ->excludes(name)
          ->excludes(config);
  command->add_option("--directory", arguments->directory, "Write all pages into this folder")
      ->type_name("DIR")
      ->excludes(name)
      ->excludes(config)
      ->excludes(markdown);
  AddExamples(*command, {{"contentseen man crawl | man -l -", "Read the page of a command"},
                         {"contentseen man --directory pages", "Write all pages"}});
  command->callback([&app, &line, arguments] {
    line.run = [&app, arguments](Terminal& terminal) {
      return Run(*arguments, DescribeCommand(app), terminal);
    };
  });
}

void AddCompletionCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand(
      "completion", "Print the script by which a shell completes command lines");
  auto shell = std::make_shared<std::string>();
  const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  command->add_option("SHELL", *shell, "The shell that will read it")
      ->type_name(OneOf(shells))
      ->check(CLI::IsMember(shells).description(""))
      ->required();
  AddExamples(*command, {{"source <(contentseen completion bash)", "For this bash only"}});
  command->callback([&line, shell] {
    line.run = [shell](Terminal& terminal) {
      terminal.out.Write(CompletionScript(*shell));
      return kExitOk;
    };
  });
}

}  // namespace

void AddManualCommands(CLI::App& app, CommandLine& line) {
  AddManCommand(app, line);
  AddCompletionCommand(app, line);
}

ExitCode AnswerShell(const CLI::App& app, const std::vector<std::string>& words,
                     Terminal& terminal) {
  Options fresh;
  const OptionTable options = DeclareOptions(fresh);
  terminal.out.Write(CompletionAnswer(Complete(DescribeCommand(app), options, words)));
  return kExitOk;
}

}  // namespace crawler
