#include <nlohmann/json.hpp>

#include "crawler/settings/config_file.h"

namespace crawler {
namespace {

constexpr std::size_t kCommentColumns = 96;

/// `text` as comment lines.
std::string Comment(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (end > kCommentColumns) {
      end = text.rfind(' ', kCommentColumns);
      if (end == text.npos || end == 0) end = text.find(' ');
      if (end == text.npos) end = text.size();
    }
    lines.append("# ").append(text.substr(0, end)).append("\n");
    text.remove_prefix(end);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  return lines;
}

std::string Sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = char(text[0] - 'a' + 'A');
  return text + ".";
}

/// A '|' would end a table's cell.
std::string Cell(std::string_view text) {
  std::string cell;
  for (char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

/// The default of the row that is also `option` in a table of a fresh struct.
std::string DefaultOf(const Option& option, const OptionTable& defaults) {
  return TomlText(defaults.Find(option.Name())->get());
}

nlohmann::ordered_json JsonValue(const OptionValue& value) {
  return std::visit([](const auto& v) { return nlohmann::ordered_json(v); }, value);
}

}  // namespace

std::string ConfigText(const OptionTable& table, const OptionTable& defaults) {
  std::string text =
      "# Configuration of contentseen. Every option is listed; one that is left out keeps its\n"
      "# default. Check a file with: contentseen crawl --check-config --config FILE\n";
  for (const auto& section : table.sections()) {
    text += "\n" + Comment(section.help) + "[" + section.name + "]\n";
    for (const Option& option : table.options()) {
      if (option.section != section.name) continue;
      text += "\n" + Comment(option.help);
      text += Comment(Sentence(option.allowed) + " Default: " + DefaultOf(option, defaults) +
                      (option.flag.empty() ? "" : ". Flag: " + option.flag));
      const bool hidden =
          option.secret && ShownValue(option) != defaults.Find(option.Name())->get();
      if (hidden) text += "# Set, and not shown here. ";
      text += option.key + " = " + TomlText(ShownValue(option)) + "\n";
    }
  }
  return text;
}

std::string ConfigMarkdown(const OptionTable& defaults) {
  std::string text =
      "# Options\n\n"
      "Written by `contentseen config --markdown`; a test checks that it is current. Every "
      "option\n"
      "stands in a TOML file (`--config FILE`) under its section, or on the command line as\n"
      "`--set section.key=value`; some have a flag of their own. The command line wins over the\n"
      "file, the file over the defaults. `contentseen config` prints all of this as a file to\n"
      "start from.\n";
  for (const auto& section : defaults.sections()) {
    text += "\n## [" + section.name + "]\n\n" + section.help +
            "\n\n| key | default | must be | flag | meaning |\n|---|---|---|---|---|\n";
    for (const Option& option : defaults.options()) {
      if (option.section != section.name) continue;
      text += "| `" + option.key + "` | `" + Cell(TomlText(option.get())) + "` | " +
              Cell(option.allowed) + " | " + (option.flag.empty() ? "" : "`" + option.flag + "`") +
              " | " + Cell(option.help) + " |\n";
    }
  }
  return text;
}

std::string ConfigJson(const OptionTable& table, const OptionTable& defaults) {
  auto rows = nlohmann::ordered_json::array();
  for (const Option& option : table.options()) {
    nlohmann::ordered_json row;
    row["name"] = option.Name();
    row["type"] = Name(option.kind);
    row["value"] = JsonValue(ShownValue(option));
    row["default"] = JsonValue(defaults.Find(option.Name())->get());
    row["allowed"] = option.allowed;
    if (!option.flag.empty()) row["flag"] = option.flag;
    row["help"] = option.help;
    rows.push_back(std::move(row));
  }
  return rows.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace crawler
