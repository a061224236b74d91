#include <algorithm>
#include <cctype>
#include <sstream>

#include "crawler/command/manual.h"
#include "crawler/version.h"

namespace crawler {
namespace {

/// `text` so that roff shows each character as it is.
std::string Roff(std::string_view text) {
  std::string roff;
  for (char c : text) {
    switch (c) {
      case '\\':
        roff += "\\e";
        break;
      case '-':
        roff += "\\-";
        break;
      case '\'':
        roff += "\\(aq";
        break;
      case '`':
        roff += "\\(ga";
        break;
      case '^':
        roff += "\\(ha";
        break;
      case '~':
        roff += "\\(ti";
        break;
      case '\n':
        // A line that begins with a dot would be a request.
        roff += "\n\\&";
        break;
      default:
        roff += c;
    }
  }
  return roff;
}

std::string Bold(std::string_view text) { return "\\fB" + Roff(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Roff(text) + "\\fR"; }
std::string Line(std::string_view text) { return "\\&" + Roff(text) + "\n"; }

std::string Heading(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return ".SH " + Roff(text) + "\n";
}

std::string PageHead(const std::string& name, int section, const std::string& help) {
  // No date: the same sources give the same page.
  return ".TH " + Roff(name) + " " + std::to_string(section) + " \"\" \"contentseen " + kVersion +
         "\" \"ContentSeen\"\n.nh\n.ad l\n.SH NAME\n" + Roff(name) + " \\- " + Roff(help) + "\n";
}

std::string Dashed(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string ArgumentHead(const ArgumentText& argument) {
  std::string head;
  for (const std::string& name : argument.names) {
    head += (head.empty() ? "" : ", ") + (argument.positional ? Italic(name) : Bold(name));
  }
  if (argument.TakesValue() && !argument.positional) head += " " + Italic(argument.value);
  return head;
}

/// The arguments by their headings, those of the first heading first.
std::string Arguments(const CommandText& command) {
  std::vector<std::string> groups;
  for (const ArgumentText& argument : command.arguments) {
    if (std::find(groups.begin(), groups.end(), argument.group) == groups.end()) {
      groups.push_back(argument.group);
    }
  }
  std::string text = Heading("Options");
  for (const std::string& group : groups) {
    if (group != groups.front()) text += ".SS " + Roff(group) + "\n";
    for (const ArgumentText& argument : command.arguments) {
      if (argument.group != group) continue;
      text += ".TP\n" + ArgumentHead(argument) + "\n" + Line(ArgumentHelp(argument));
    }
  }
  return text;
}

std::string Commands(const CommandText& command) {
  std::string text = Heading("Commands");
  for (const CommandText& inner : command.commands) {
    text += ".TP\n" + Bold(inner.name) + "\n" + Line(Sentence(inner.help));
  }
  return text;
}

/// As it is written: examples, lists.
std::string Note(const CommandNote& note) {
  return Heading(note.heading) + ".nf\n" + Line(note.body.substr(0, note.body.size() - 1)) +
         ".fi\n";
}

std::string SeeAlso(const CommandText& command, const CommandText& root) {
  std::vector<std::string> names;
  if (&command != &root) names.push_back(root.name);
  const auto& near = command.commands.empty() ? root.commands : command.commands;
  for (const CommandText& other : near) {
    if (other.name != command.name) names.push_back(Dashed(other.name));
  }
  std::string text = Heading("See also");
  for (const std::string& name : names) text += Bold(name) + "(1),\n";
  return text + Bold("contentseen.toml") + "(5)\n";
}

}  // namespace

std::string ManualPageName(const CommandText& command) { return Dashed(command.name) + ".1"; }

std::string ManualPage(const CommandText& command, const CommandText& root) {
  std::string text = PageHead(Dashed(command.name), 1, command.help);
  text += Heading("Synopsis") + Bold(command.name) +
          Roff(Synopsis(command).substr(command.name.size())) + "\n";
  if (!command.commands.empty()) text += Commands(command);
  text += Arguments(command);
  for (const CommandNote& note : command.notes) text += Note(note);
  return text + SeeAlso(command, root);
}

std::string ConfigManualPage(const OptionTable& defaults) {
  std::string text = PageHead("contentseen.toml", 5, "configuration of contentseen");
  text += Heading("Description") +
          Line(
              "A file in TOML, given with --config; an option that is left out keeps its default. "
              "The command line wins over the file: --set section.key=value sets any option, and "
              "some have a flag of their own. 'contentseen config' prints a file to start from, "
              "'contentseen crawl --check-config --config FILE' checks one.");
  for (const auto& section : defaults.sections()) {
    text += Heading("[" + section.name + "]") + Line(section.help);
    for (const Option& option : defaults.options()) {
      if (option.section != section.name) continue;
      text += ".TP\n" + Bold(option.key) + Roff(" = " + TomlText(option.get())) + "\n" +
              Line(option.help) + ".br\n" + Line("Must be " + option.allowed + ".");
      if (!option.flag.empty()) text += ".br\nFlag: " + Bold(option.flag) + "\n";
    }
  }
  return text + Heading("See also") + Bold("contentseen") + "(1)\n";
}

}  // namespace crawler
