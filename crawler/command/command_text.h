#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace crawler {

/// One option, flag or positional argument of a command, as it was declared.
struct ArgumentText {
  /// "-o", "--output"; of a positional argument its one name, "DATA".
  std::vector<std::string> names;
  /// What the help calls the value: "N", "FILE"; empty for a flag. "{near,exact}" is a choice, and
  /// FILE and DIR are paths, alone or in "FILE|URL".
  std::string value;
  /// "0 to 100"; empty where nothing is said of it.
  std::string range;
  std::string help;
  /// Of the heading under which it stands: "Options", "Filters", "Configuration".
  std::string group;
  /// Where it has one that is worth telling.
  std::string default_value;
  /// Names of the arguments that it needs, and of those that it cannot be with.
  std::vector<std::string> needs;
  std::vector<std::string> excludes;
  bool positional = false;
  bool required = false;
  bool repeats = false;

  bool TakesValue() const { return !value.empty(); }
};

/// A heading and its lines at the end of a command's help: examples, exit codes.
struct CommandNote {
  std::string heading;
  std::string body;
};

/// All that a command's declaration says. What is written about commands anywhere besides --help
/// (manual pages, docs/commands.md, completion) is made from this.
///
///     CommandText root = DescribeCommand(app);
///     root.commands[0].name;  // "contentseen crawl"
struct CommandText {
  /// With the names of the commands it belongs to.
  std::string name;
  std::string help;
  std::vector<ArgumentText> arguments;
  std::vector<CommandNote> notes;
  std::vector<CommandText> commands;

  /// "index" of "contentseen index".
  std::string OwnName() const;
};

/// Walks `app`: arguments and commands in order of declaration, without what it hides.
CommandText DescribeCommand(const CLI::App& app);

/// "contentseen compare [OPTION]... A B".
std::string Synopsis(const CommandText& command);

/// `help` with its full stop, unless it has an end.
std::string Sentence(const std::string& help);

/// The help of one argument as sentences: its range, default and what it goes with besides.
std::string ArgumentHelp(const ArgumentText& argument);

/// `root` and all commands under it, depth first. Ownership: pointers into `root`.
std::vector<const CommandText*> AllOf(const CommandText& root);

}  // namespace crawler
