#include "crawler/command/commands.h"

#include <memory>

namespace crawler {
namespace {

struct ConfigCommand {
  ConfigArguments config;
  bool json = false;
  bool markdown = false;
};

ExitCode Run(const ConfigCommand& command, Terminal& terminal) {
  std::optional<Options> options = LoadOptionsOrComplain(command.config, terminal);
  if (!options) return kExitUsage;
  OptionTable table = DeclareOptions(*options);
  Options fresh;
  OptionTable defaults = DeclareOptions(fresh);
  std::string text = command.markdown ? ConfigMarkdown(defaults)
                     : command.json   ? ConfigJson(table, defaults)
                                      : ConfigText(table, defaults);
  terminal.out.Write(text);
  return kExitOk;
}

}  // namespace

void AddConfigCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand(
      "config", "Print the configuration file: defaults, or what --config and --set make of them");
  auto arguments = std::make_shared<ConfigCommand>();
  AddConfigArguments(*command, arguments->config);
  CLI::Option* json = command->add_flag("--json", arguments->json, "As JSON");
  command->add_flag("--markdown", arguments->markdown, "As docs/options.md (defaults only)")
      ->excludes(json);
  AddExamples(*command, {{"contentseen config > my.toml", "A file to start from"},
                         {"contentseen config --config my.toml --set contentseen.k=5",
                          "What a file and a change of it come to"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
