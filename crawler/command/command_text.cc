#include "crawler/command/command_text.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "crawler/command/command_line.h"

namespace crawler {
namespace {

/// Names of those of `chosen` that are shown, in order of declaration.
std::vector<std::string> NamesOf(const std::set<CLI::Option*>& chosen, const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (!std::any_of(chosen.begin(), chosen.end(), [&](auto* one) { return one == option; })) {
      continue;
    }
    names.push_back(option->get_name());
  }
  return names;
}

/// The parser writes a checked number as "UINT:INT in [0 - 100]".
void DescribeValue(const CLI::Option& option, ArgumentText& argument) {
  if (option.get_items_expected_max() == 0) return;  // a flag
  std::string value = option.get_type_name();
  constexpr std::string_view kIn = " in [";
  if (std::size_t in = value.find(kIn); in != value.npos && value.back() == ']') {
    argument.range = value.substr(in + kIn.size());
    argument.range.pop_back();
    if (std::size_t dash = argument.range.find(" - "); dash != argument.range.npos) {
      argument.range.replace(dash, 3, " to ");
    }
    value.resize(value.find(':'));
  }
  if (value == "INT" || value == "UINT") value = "N";
  if (value == "FLOAT") value = "X";
  argument.value = value;
}

ArgumentText DescribeArgument(const CLI::Option& option, const CLI::App& app) {
  ArgumentText argument;
  argument.positional = option.get_positional();
  if (argument.positional) argument.names.push_back(option.get_name(true));
  for (const std::string& name : option.get_snames()) argument.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) argument.names.push_back("--" + name);
  DescribeValue(option, argument);
  argument.help = option.get_description();
  argument.group = option.get_group();
  argument.default_value = option.get_default_str();
  argument.needs = NamesOf(option.get_needs(), app);
  argument.excludes = NamesOf(option.get_excludes(), app);
  argument.required = option.get_required();
  argument.repeats = argument.TakesValue() &&
                     (option.get_expected_max() == CLI::detail::expected_max_vector_size ||
                      option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll);
  return argument;
}

/// A note is a line that ends in a colon and the lines behind it, up to the next one that stands
/// at the left edge.
std::vector<CommandNote> NotesIn(const std::string& footer) {
  std::vector<CommandNote> notes;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == ':' && line.front() != ' ') {
      notes.push_back({line.substr(0, line.size() - 1), ""});
    } else if (!notes.empty() && !line.empty()) {
      notes.back().body += line + "\n";
    }
  }
  return notes;
}

CommandText Describe(const CLI::App& app, const std::string& prefix) {
  CommandText command;
  command.name = prefix + app.get_name();
  command.help = app.get_description();
  command.notes = NotesIn(app.get_footer());
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) command.arguments.push_back(DescribeArgument(*option, app));
  }
  for (const CLI::App* inner : app.get_subcommands(nullptr)) {
    if (!inner->get_group().empty()) {
      command.commands.push_back(Describe(*inner, command.name + " "));
    }
  }
  return command;
}

void Collect(const CommandText& command, std::vector<const CommandText*>& all) {
  all.push_back(&command);
  for (const CommandText& inner : command.commands) Collect(inner, all);
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string CommandText::OwnName() const { return name.substr(name.rfind(' ') + 1); }

CommandText DescribeCommand(const CLI::App& app) { return Describe(app, ""); }

std::string Synopsis(const CommandText& command) {
  std::string text = command.name + " [OPTION]...";
  if (!command.commands.empty()) return text + " COMMAND";
  for (const ArgumentText& argument : command.arguments) {
    if (!argument.positional) continue;
    const std::string name = argument.names[0] + (argument.repeats ? "..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string Sentence(const std::string& help) {
  return help.ends_with('.') || help.ends_with('?') ? help : help + ".";
}

std::string ArgumentHelp(const ArgumentText& argument) {
  std::string text = argument.help;
  auto add = [&text](const std::string& sentence) {
    if (!text.empty() && text.back() != '.' && text.back() != ']') text += '.';
    text += (text.empty() ? "" : " ") + sentence + ".";
  };
  if (!argument.range.empty()) add("From " + argument.range);
  if (!argument.default_value.empty()) add("Default: " + argument.default_value);
  if (argument.required) add("Required");
  if (!argument.needs.empty()) add("Only with " + Joined(argument.needs));
  if (!argument.excludes.empty()) add("Not with " + Joined(argument.excludes));
  return text;
}

std::vector<const CommandText*> AllOf(const CommandText& root) {
  std::vector<const CommandText*> all;
  Collect(root, all);
  return all;
}

}  // namespace crawler
