#include <algorithm>

#include "crawler/command/manual.h"

namespace crawler {
namespace {

/// What would end a table's cell or begin a tag or a link, escaped.
std::string Cell(std::string_view text) {
  std::string cell;
  for (char c : text) {
    if (std::string_view("|<[").find(c) != std::string_view::npos) cell += '\\';
    cell += c;
  }
  return cell;
}

std::string ArgumentRow(const ArgumentText& argument) {
  std::string names;
  for (const std::string& name : argument.names) names += (names.empty() ? "" : ", ") + name;
  if (argument.TakesValue() && !argument.positional) names += " " + argument.value;
  if (argument.repeats) names += "...";
  // In code a '|' still ends the cell.
  std::string code;
  for (char c : names) code += c == '|' ? std::string("\\|") : std::string(1, c);
  return "| `" + code + "` | " + Cell(ArgumentHelp(argument)) + " |\n";
}

template <class Taken>
std::string ArgumentTable(const CommandText& command, Taken taken) {
  std::string rows;
  for (const ArgumentText& argument : command.arguments) {
    if (taken(argument)) rows += ArgumentRow(argument);
  }
  return rows.empty() ? rows : "| argument | meaning |\n|---|---|\n" + rows;
}

std::string Section(const CommandText& command, const std::string& shared) {
  std::string text = "\n## " + command.name + "\n\n" + Sentence(command.help) + "\n\n```\n" +
                     Synopsis(command) + "\n```\n\n";
  text += ArgumentTable(command, [&](const ArgumentText& argument) {
    return argument.group != shared && argument.names.back() != "--help";
  });
  if (std::any_of(command.arguments.begin(), command.arguments.end(),
                  [&](const ArgumentText& argument) { return argument.group == shared; })) {
    text += "\nBesides, the [configuration](#configuration).\n";
  }
  for (const CommandNote& note : command.notes) {
    text += "\n" + note.heading + ":\n\n```\n" + note.body + "```\n";
  }
  return text;
}

}  // namespace

std::string CommandsMarkdown(const CommandText& root, const CommandText& configuration) {
  const std::string& shared = configuration.arguments.back().group;
  std::string text =
      "# Commands\n\n"
      "Written by `contentseen man --markdown`; a test checks that it is current. `contentseen\n"
      "COMMAND --help` says the same at a terminal, `contentseen man COMMAND` as a manual page.\n"
      "\n| command | what it does |\n|---|---|\n";
  for (const CommandText* command : AllOf(root)) {
    if (command == &root) continue;
    std::string anchor = command->name;
    std::replace(anchor.begin(), anchor.end(), ' ', '-');
    text += "| [`" + command->name + "`](#" + anchor + ") | " + Cell(command->help) + " |\n";
  }
  for (const CommandText* command : AllOf(root)) text += Section(*command, shared);
  text +=
      "\n## Configuration\n\nCommands that crawl, read or judge pages take these; "
      "[options.md](options.md) says more.\n\n";
  return text + ArgumentTable(configuration, [&](const ArgumentText& argument) {
           return argument.group == shared;
         });
}

}  // namespace crawler
