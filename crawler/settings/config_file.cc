#include "crawler/settings/config_file.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include <toml++/toml.h>

#include "crawler/io/bounded_file.h"
#include "crawler/io/edit_distance.h"
#include "crawler/io/utf8.h"

namespace crawler {
namespace {

constexpr std::size_t kSyntaxErrorsMax = 20;
/// Dots of one key. No option has more than one. To toml++ each is a table within a table, and it
/// lets go of those by recursion.
constexpr std::size_t kKeyDotsMax = 8;
/// Problems that come with what may have been meant: a file with more of them means none of it.
constexpr std::size_t kHintsMax = 100;
/// Bytes of a key that a message shows.
constexpr std::size_t kShownBytesMax = 80;

constexpr std::string_view kCommandLine = "command line";

std::string Place(std::string_view name, const toml::source_position& at) {
  return std::string(name) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

/// Overwrites lines so that what follows can still be checked: one line, or, when that is a
/// table's heading, the lines up to the next heading. Line numbers stay. False when there was
/// nothing left to overwrite.
bool BlankOut(std::string& text, std::size_t line) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i < line && begin != text.npos; ++i) {
    begin = text.find('\n', begin);
    if (begin != text.npos) ++begin;
  }
  if (begin == text.npos || begin >= text.size()) return false;
  std::size_t first = text.find_first_not_of(" \t", begin);
  bool heading = first != text.npos && text[first] == '[';
  bool changed = false;
  do {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    for (std::size_t i = begin; i < end; ++i) {
      if (text[i] == '\r' && i + 1 == end) continue;
      changed = changed || text[i] != ' ';
      text[i] = ' ';
    }
    begin = end + 1;
  } while (heading && begin < text.size() && text[begin] != '[');
  return changed;
}

/// "Error while parsing string: expected ..." without its first half.
std::string WithoutPreamble(std::string_view what) {
  if (what.starts_with("Error while parsing ")) {
    std::size_t colon = what.find(": ");
    if (colon != what.npos) what.remove_prefix(colon + 2);
  }
  return std::string(what);
}

/// Where the string ends that `text` begins with. One that is not closed goes as far as toml++
/// reads it: to the end of the line, or of the file.
std::size_t StringEnd(std::string_view text) {
  const char quote = text.front();
  const bool many_lines = text.size() >= 3 && text[1] == quote && text[2] == quote;
  const std::string mark(many_lines ? 3 : 1, quote);
  std::size_t at = mark.size();
  while (at < text.size() && !text.substr(at).starts_with(mark) &&
         (many_lines || text[at] != '\n')) {
    at += quote == '"' && text[at] == '\\' ? 2 : 1;
  }
  at = std::min(at + mark.size(), text.size());
  // The last two quotes within may touch those that close it.
  for (int i = 0; many_lines && i < 2 && at < text.size() && text[at] == quote; ++i) ++at;
  return at;
}

/// The line of the first key with more than kKeyDotsMax dots; 0 where there is none.
std::size_t LineOfDeepKey(std::string_view text) {
  std::size_t line = 1;
  std::size_t dots = 0;
  while (!text.empty()) {
    const char first = text.front();
    std::size_t end = 1;
    if (first == '#') {
      end = std::min(text.find('\n'), text.size());
    } else if (first == '"' || first == '\'') {
      end = StringEnd(text);
    } else if (first == '.') {
      if (++dots > kKeyDotsMax) return line;
    } else if (std::string_view("\n=,[]{}").find(first) != std::string_view::npos) {
      dots = 0;  // a key ends here, or none has begun
    }
    line += static_cast<std::size_t>(std::count(text.begin(), text.begin() + end, '\n'));
    text.remove_prefix(end);
  }
  return 0;
}

/// As much of a key as a message may show.
std::string Shown(std::string_view key) {
  const std::string_view beginning = Beginning(key, kShownBytesMax);
  return std::string(beginning) + (beginning.size() < key.size() ? "..." : "");
}

/// The tables of `text`, without the lines that are not TOML, or are too deep to be any of ours;
/// those go to `problems`.
std::optional<toml::table> Parse(std::string_view name, std::string text,
                                 ConfigProblems& problems) {
  for (std::size_t i = 0; i < kSyntaxErrorsMax; ++i) {
    std::size_t bad_line = LineOfDeepKey(text);
    if (bad_line != 0) {
      problems.push_back(
          Place(name, {static_cast<toml::source_index>(bad_line), 1}) +
          ": a key of too many parts: write [section], and below it its keys without a dot");
    } else {
      try {
        return toml::parse(std::string_view(text), name);
      } catch (const toml::parse_error& error) {
        std::string_view what = error.description();
        bool duplicate = what.find("cannot redefine") != what.npos;
        problems.push_back(Place(name, error.source().begin) +
                           (duplicate ? ": given twice: " : ": not TOML: ") +
                           WithoutPreamble(what));
        bad_line = error.source().begin.line;
      }
    }
    if (!BlankOut(text, bad_line)) break;
  }
  return std::nullopt;
}

std::optional<std::vector<std::string>> Texts(const toml::array& array) {
  std::vector<std::string> texts;
  for (const toml::node& element : array) {
    const auto* text = element.as_string();
    if (text == nullptr) return std::nullopt;
    texts.push_back(text->get());
  }
  return texts;
}

/// Nothing for dates, times, tables and lists of anything but text: no option is such a value.
std::optional<OptionValue> ValueOf(const toml::node& node) {
  if (const auto* v = node.as_boolean()) return OptionValue(v->get());
  if (const auto* v = node.as_integer()) return OptionValue(v->get());
  if (const auto* v = node.as_floating_point()) return OptionValue(v->get());
  if (const auto* v = node.as_string()) return OptionValue(v->get());
  if (const auto* v = node.as_array()) {
    if (auto texts = Texts(*v)) return OptionValue(std::move(*texts));
  }
  return std::nullopt;
}

/// Walks a parsed file along the option table.
class Applier {
 public:
  Applier(std::string_view name, const OptionTable& table, ConfigProblems& problems,
          GivenOptions* given)
      : name_(name), table_(table), problems_(problems), given_(given) {}

  void ApplyRoot(const toml::table& root) {
    for (const auto& [key, node] : root) {
      const std::string name(key.str());
      bool known = std::any_of(table_.sections().begin(), table_.sections().end(),
                               [&](const auto& section) { return section.name == name; });
      if (!known) {
        Report(key.source(), UnknownAtTop(name, node));
      } else if (const toml::table* section = node.as_table()) {
        ApplySection(name, *section);
      } else {
        std::string sentence = name;
        sentence.append(" is a section: write [").append(name).append("] and its keys below it");
        Report(key.source(), std::move(sentence));
      }
    }
  }

 private:
  void ApplySection(const std::string& section, const toml::table& keys) {
    for (const auto& [key, node] : keys) {
      std::string full = section + "." + std::string(key.str());
      const Option* option = table_.Find(full);
      if (option == nullptr) {
        Report(key.source(), "unknown key " + Shown(full) + DidYouMean(NearestOption(full)));
        continue;
      }
      if (given_ != nullptr) (*given_)[full] = Place(name_, node.source().begin);
      std::optional<OptionValue> value = ValueOf(node);
      if (!value) {
        std::ostringstream type;
        type << node.type();
        Report(node.source(), full + " must be " + option->allowed + ", not this " + type.str());
        continue;
      }
      base::Status status = option->set(*value);
      if (!status) Report(node.source(), full + " " + status.error().message);
    }
  }

  std::string UnknownAtTop(const std::string& key, const toml::node& node) const {
    if (!node.is_table()) {
      // A key before any section: is it one of some section?
      std::string nearest = NearestOption(key);
      std::string hint;
      if (!nearest.empty()) {
        std::size_t dot = nearest.find('.');
        hint = "; did you mean " + nearest.substr(dot + 1) + " under [" + nearest.substr(0, dot) +
               "]?";
      }
      return "unknown key " + Shown(key) + hint;
    }
    NearestName nearest(key);
    for (const auto& section : table_.sections()) {
      nearest.Offer("[" + section.name + "]", EditDistance(key, section.name));
    }
    return "unknown section [" + Shown(key) + "]" + DidYouMean(nearest.name());
  }

  std::string NearestOption(std::string_view name) const {
    return problems_.size() < kHintsMax ? table_.Nearest(name) : "";
  }

  static std::string DidYouMean(const std::string& nearest) {
    return nearest.empty() ? "" : "; did you mean " + nearest + "?";
  }

  void Report(const toml::source_region& where, std::string what) {
    problems_.push_back(Place(name_, where.begin) + ": " + std::move(what));
  }

  const std::string_view name_;
  const OptionTable& table_;
  ConfigProblems& problems_;
  GivenOptions* const given_;  // null: nobody asks
};

/// "my.toml:12:5: ..." in the order of the file.
void SortByPlace(std::string_view name, ConfigProblems& problems) {
  struct Placed {
    std::pair<unsigned long, unsigned long> at;
    std::string problem;
  };
  std::vector<Placed> placed;
  for (std::string& problem : problems) {
    Placed& one = placed.emplace_back();
    std::istringstream numbers(problem.substr(std::min(name.size() + 1, problem.size()), 30));
    char colon = 0;
    numbers >> one.at.first >> colon >> one.at.second;
    one.problem = std::move(problem);
  }
  std::ranges::stable_sort(placed, {}, &Placed::at);
  problems.clear();
  for (Placed& one : placed) problems.push_back(std::move(one.problem));
}

base::Result<std::string> ReadConfig(const std::string& name) {
  auto refuse = [&](const std::string& why) {
    return base::Fail(name + ": cannot read the configuration: " + why);
  };
  base::Result<BoundedFile> file = ReadBoundedFile(name, kConfigBytesMax);
  if (!file) {
    std::error_code ignored;
    const bool is_there = std::filesystem::exists(name, ignored);
    return refuse(file.error().message +
                  (is_there ? "" : " (contentseen config prints one to begin with)"));
  }
  if (file->cut) return refuse("it is larger than 1 MiB");
  return std::move(file->bytes);
}

ConfigProblems ApplyKept(const KeptOptions& kept, const GivenOptions& given,
                         const OptionTable& table) {
  std::string text;
  for (const auto& [name, value] : kept) {
    if (table.Find(name) == nullptr || given.contains(name)) continue;
    text.append(name).append(" = ").append(value).append("\n");
  }
  return ApplyToml("the crawl's earlier options", text, table);
}

/// Each with the place where one of its options was given; what contradicts itself without any was
/// told before.
ConfigProblems PlacedContradictions(const LoadedOptions& loaded) {
  ConfigProblems problems;
  for (Contradiction& one : Contradictions(loaded.options)) {
    std::string place;
    for (const std::string& name : one.options) {
      const auto given = loaded.given.find(name);
      if (given == loaded.given.end()) continue;
      place = given->second + ": ";
      break;
    }
    problems.push_back(place + one.sentence);
  }
  return problems;
}

}  // namespace

ConfigProblems ApplyToml(std::string_view name, std::string_view text, const OptionTable& table,
                         GivenOptions* given) {
  ConfigProblems problems;
  std::optional<toml::table> root = Parse(name, std::string(WithoutByteOrderMark(text)), problems);
  if (root) Applier(name, table, problems, given).ApplyRoot(*root);
  SortByPlace(name, problems);
  return problems;
}

ConfigProblems ApplyAssignments(
    const std::vector<std::pair<std::string, std::string>>& assignments, const OptionTable& table,
    GivenOptions* given) {
  ConfigProblems problems;
  std::set<const Option*> begun;  // lists that already hold a value of the command line
  for (const auto& [name, argument] : assignments) {
    const Option* option = table.Find(name);
    if (option == nullptr) {
      std::string nearest = table.Nearest(name);
      problems.push_back(std::string(kCommandLine) + ": unknown option " + Shown(name) +
                         (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
      continue;
    }
    if (given != nullptr) (*given)[name] = kCommandLine;
    base::Result<OptionValue> value = ValueFromArgument(*option, argument);
    auto* list = value ? std::get_if<std::vector<std::string>>(&*value) : nullptr;
    if (list != nullptr && !begun.insert(option).second && !list->empty()) {
      OptionValue old = option->get();
      auto& all = std::get<std::vector<std::string>>(old);
      all.insert(all.end(), list->begin(), list->end());
      value = std::move(old);
    }
    base::Status status = value ? option->set(*value) : base::Fail(value.error().message);
    if (!status) {
      problems.push_back(std::string(kCommandLine) + ": " + name + " " + status.error().message);
    }
  }
  return problems;
}

tl::expected<LoadedOptions, ConfigProblems> LoadOptions(const ConfigArguments& arguments,
                                                        const Remember& remember) {
  LoadedOptions loaded;
  OptionTable table = DeclareOptions(loaded.options);
  ConfigProblems problems;
  if (!arguments.file.empty()) {
    base::Result<std::string> text = ReadConfig(arguments.file);
    if (text) {
      problems = ApplyToml(arguments.file, *text, table, &loaded.given);
    } else {
      problems.push_back(text.error().message);
    }
  }
  for (std::string& problem : ApplyAssignments(arguments.assignments, table, &loaded.given)) {
    problems.push_back(std::move(problem));
  }
  if (problems.empty() && remember) {
    problems = ApplyKept(remember(loaded.options), loaded.given, table);
  }
  if (problems.empty()) problems = PlacedContradictions(loaded);
  if (!problems.empty()) return tl::unexpected<ConfigProblems>(std::move(problems));
  return loaded;
}

}  // namespace crawler
