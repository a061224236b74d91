#include "crawler/settings/option_table.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <tuple>

#include "base/check.h"
#include "crawler/io/edit_distance.h"
#include "crawler/io/units.h"
#include "parser/utf8.h"

namespace crawler {
namespace {

// What machines call a kind, and what stands for its value where usage is shown.
struct KindWords {
  std::string_view name;
  std::string_view value;
};
KindWords WordsOf(OptionKind kind) {
  switch (kind) {
    case OptionKind::kBool:
      return {"boolean", ""};
    case OptionKind::kInteger:
      return {"integer", "N"};
    case OptionKind::kDuration:
      return {"duration", "TIME"};
    case OptionKind::kBytes:
      return {"byte size", "SIZE"};
    case OptionKind::kText:
      return {"text", "TEXT"};
    case OptionKind::kTextList:
      return {"list", "TEXT"};
    case OptionKind::kChoice:
      return {"choice", ""};
  }
  CHECK(false);
}

std::string Number(double value) {
  std::string text(32, '\0');
  auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  CHECK(error == std::errc());
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

std::string TomlString(std::string_view text) {
  // A literal string needs no escapes: best for regular expressions.
  if (text.find('\\') != text.npos && text.find('\'') == text.npos) {
    return std::string("'").append(text).append("'");
  }
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string_view Described(const OptionValue& value) {
  constexpr std::string_view kNames[] = {"true or false", "a whole number", "a fractional number",
                                         "text", "a list"};
  return kNames[value.index()];
}

base::Status WrongType(const std::string& allowed, const OptionValue& value) {
  return base::Fail("must be " + allowed + ", not " + std::string(Described(value)));
}

base::Status Outside(const std::string& allowed, const OptionValue& value) {
  return base::Fail("must be " + allowed + ", not " + TomlText(value));
}

/// What is wrong with one text, as "is ..."; empty when nothing.
std::string TextFault(const std::string& text, std::size_t bytes_max, bool any_bytes,
                      const OptionTable::TextRule& rule) {
  if (text.size() > bytes_max) {
    return "is " + std::to_string(text.size()) + " bytes long, at most " +
           std::to_string(bytes_max) + " are allowed";
  }
  auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), is_control)) return "contains a control character";
  if (!any_bytes && !parser::IsWellFormedUtf8(text)) return "is not UTF-8";
  return rule ? rule(text) : std::string();
}

/// The example of a size, for options that take it.
constexpr std::uint64_t kUsualBytes = std::uint64_t{64} << 10;

/// Some that an option takes: "\"2s\", \"5min\" ".
std::string DurationExamples(std::chrono::nanoseconds low, std::chrono::nanoseconds high,
                             std::chrono::nanoseconds step) {
  using namespace std::chrono_literals;
  std::string examples;
  for (const std::chrono::nanoseconds one : {500ms, 2'000ms, 300'000ms}) {
    if (one < low || one > high || one.count() % step.count() != 0) continue;
    examples.append(examples.empty() ? "\"" : ", \"").append(FormatDuration(one)).append("\"");
  }
  return examples.empty() ? FormatDuration(high) + " " : examples + " ";
}

std::string WithUnit(std::string_view unit) {
  return unit.empty() ? std::string() : " (" + std::string(unit) + ")";
}

}  // namespace

std::string TomlText(const OptionValue& value) {
  struct Spell {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const {
      std::string text = Number(v);
      // TOML tells a float from an integer by its point or exponent.
      return text.find_first_of(".en") == text.npos ? text + ".0" : text;
    }
    std::string operator()(const std::string& v) const { return TomlString(v); }
    std::string operator()(const std::vector<std::string>& v) const {
      std::string text = "[";
      for (const std::string& element : v) {
        if (text.size() > 1) text += ", ";
        text += TomlString(element);
      }
      return text + "]";
    }
  };
  return std::visit(Spell{}, value);
}

std::string_view Name(OptionKind kind) { return WordsOf(kind).name; }

std::string OneOf(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "{" : ",").append(word);
  return text + "}";
}

base::Result<OptionValue> ValueFromArgument(const Option& option, const std::string& argument) {
  const char* end = argument.data() + argument.size();
  auto refuse = [&] {
    return base::Fail("must be " + option.allowed + ", not '" + argument + "'");
  };
  switch (option.kind) {
    case OptionKind::kBool:
      if (argument == "true" || argument == "false") return OptionValue(argument == "true");
      return refuse();
    case OptionKind::kInteger: {
      std::int64_t value = 0;
      auto [stop, error] = std::from_chars(argument.data(), end, value);
      if (error != std::errc() || stop != end) return refuse();
      return OptionValue(value);
    }
    case OptionKind::kTextList:
      if (argument == "[]" || argument.starts_with("[\"") || argument.starts_with("['")) {
        return base::Fail("takes one plain value (for more it is given again), not '" + argument +
                          "'");
      }
      if (argument.empty()) return OptionValue(std::vector<std::string>());
      return OptionValue(std::vector<std::string>{argument});
    case OptionKind::kDuration:
    case OptionKind::kBytes:
    case OptionKind::kText:
    case OptionKind::kChoice:
      break;
  }
  return OptionValue(argument);
}

OptionValue ShownValue(const Option& option) {
  OptionValue value = option.get();
  if (!option.secret) return value;
  constexpr char kHidden[] = "***";
  if (auto* text = std::get_if<std::string>(&value); text != nullptr && !text->empty()) {
    *text = kHidden;
  } else if (auto* list = std::get_if<std::vector<std::string>>(&value)) {
    for (std::string& entry : *list) entry = kHidden;
  }
  return value;
}

Option& OptionTable::Add(const About& about, OptionKind kind, std::string allowed) {
  CHECK(!sections_.empty());
  Option& option = options_.emplace_back();
  option.section = sections_.back().name;
  option.key = about.key;
  option.flag = about.flag;
  option.help = about.help;
  option.kind = kind;
  option.allowed = std::move(allowed);
  option.value = about.value.empty() ? WordsOf(kind).value : about.value;
  option.secret = about.secret;
  option.leaves_out = about.leaves_out;
  return option;
}

void OptionTable::Bool(const About& about, bool& value) {
  Option& option = Add(about, OptionKind::kBool, "true or false");
  option.get = [&value] { return OptionValue(value); };
  option.set = [&value, allowed = option.allowed](const OptionValue& given) -> base::Status {
    const bool* flag = std::get_if<bool>(&given);
    if (flag == nullptr) return WrongType(allowed, given);
    value = *flag;
    return {};
  };
}

void OptionTable::AddInteger(const About& about, std::int64_t low, std::int64_t high,
                             std::function<std::int64_t()> get,
                             std::function<void(std::int64_t)> set) {
  Option& option =
      Add(about, OptionKind::kInteger,
          "a whole number from " + Grouped(low) + " to " + Grouped(high) + WithUnit(about.unit));
  option.get = [get = std::move(get)] { return OptionValue(get()); };
  option.set = [=, set = std::move(set),
                allowed = option.allowed](const OptionValue& given) -> base::Status {
    const auto* number = std::get_if<std::int64_t>(&given);
    if (number == nullptr) return WrongType(allowed, given);
    if (*number < low || *number > high) return Outside(allowed, given);
    set(*number);
    return {};
  };
}

void OptionTable::AddBytes(const About& about, std::uint64_t low, std::uint64_t high,
                           std::function<std::uint64_t()> get,
                           std::function<void(std::uint64_t)> set) {
  Option& option =
      Add(about, OptionKind::kBytes,
          "a size from " + FormatBytes(low) + " to " + FormatBytes(high) + ", as \"" +
              FormatBytes(std::clamp(kUsualBytes, low, high)) + "\" or a number of bytes");
  option.get = [get = std::move(get)] { return OptionValue(FormatBytes(get())); };
  option.set = [=, set = std::move(set),
                allowed = option.allowed](const OptionValue& given) -> base::Status {
    std::optional<std::uint64_t> bytes;
    if (const auto* number = std::get_if<std::int64_t>(&given)) {
      if (*number >= 0) bytes = static_cast<std::uint64_t>(*number);
    } else if (const auto* text = std::get_if<std::string>(&given)) {
      bytes = ParseBytes(*text);
    } else {
      return WrongType(allowed, given);
    }
    if (!bytes || *bytes < low || *bytes > high) return Outside(allowed, given);
    set(*bytes);
    return {};
  };
}

void OptionTable::AddDuration(const About& about, std::chrono::nanoseconds low,
                              std::chrono::nanoseconds high, std::chrono::nanoseconds step,
                              std::function<std::chrono::nanoseconds()> get,
                              std::function<void(std::chrono::nanoseconds)> set) {
  Option& option = Add(about, OptionKind::kDuration,
                       "a duration from " + FormatDuration(low) + " to " + FormatDuration(high) +
                           ", as " + DurationExamples(low, high, step) + "or a number of seconds");
  option.get = [get = std::move(get)] { return OptionValue(FormatDuration(get())); };
  option.set = [=, set = std::move(set),
                allowed = option.allowed](const OptionValue& given) -> base::Status {
    std::optional<std::chrono::nanoseconds> duration;
    if (const auto* text = std::get_if<std::string>(&given)) {
      duration = ParseDuration(*text);
    } else if (std::holds_alternative<std::int64_t>(given) ||
               std::holds_alternative<double>(given)) {
      duration = ParseDuration(TomlText(given));
    } else {
      return WrongType(allowed, given);
    }
    if (!duration || *duration < low || *duration > high) return Outside(allowed, given);
    if (duration->count() % step.count() != 0) {
      return base::Fail("is counted in steps of " + FormatDuration(step) + ", not " +
                        TomlText(given));
    }
    set(*duration);
    return {};
  };
}

void OptionTable::Text(const About& about, std::string& value, std::string_view what,
                       std::size_t bytes_max, TextRule rule) {
  Option& option = Add(about, OptionKind::kText, std::string(what));
  option.get = [&value] { return OptionValue(value); };
  option.set = [=, &value, any_bytes = about.any_bytes || about.secret, rule = std::move(rule),
                allowed = option.allowed](const OptionValue& given) -> base::Status {
    const auto* text = std::get_if<std::string>(&given);
    if (text == nullptr) return WrongType(allowed, given);
    std::string fault = TextFault(*text, bytes_max, any_bytes, rule);
    if (!fault.empty()) return base::Fail("must be " + allowed + ", but the text given " + fault);
    value = *text;
    return {};
  };
}

void OptionTable::TextList(const About& about, std::vector<std::string>& value,
                           std::string_view what, std::size_t count_max, std::size_t bytes_max,
                           TextRule rule) {
  Option& option = Add(about, OptionKind::kTextList, std::string(what));
  option.get = [&value] { return OptionValue(value); };
  option.set = [=, &value, rule = std::move(rule), secret = option.secret,
                allowed = option.allowed](const OptionValue& given) -> base::Status {
    const auto* list = std::get_if<std::vector<std::string>>(&given);
    if (list == nullptr) return WrongType(allowed, given);
    if (list->size() > count_max) {
      return base::Fail("has " + std::to_string(list->size()) + " elements, at most " +
                        std::to_string(count_max) + " are allowed");
    }
    for (const std::string& text : *list) {
      std::string fault = TextFault(text, bytes_max, secret, rule);
      if (fault.empty()) continue;
      std::string sentence = "must be ";
      sentence.append(allowed).append(", but ");
      sentence.append(secret ? "one of the texts given" : TomlString(text))
          .append(" ")
          .append(fault);
      return base::Fail(std::move(sentence));
    }
    value = *list;
    return {};
  };
}

void OptionTable::AddChoice(const About& about, std::vector<std::string> words,
                            std::function<std::size_t()> get,
                            std::function<void(std::size_t)> set) {
  std::string allowed = "one of";
  for (const std::string& word : words) {
    allowed.append(&word == &words.front() ? " \"" : ", \"").append(word).append("\"");
  }
  Option& option = Add(about, OptionKind::kChoice, std::move(allowed));
  option.value = OneOf(words);
  option.words = words;
  option.get = [words, get = std::move(get)] {
    std::size_t index = get();
    CHECK(index < words.size());
    return OptionValue(words[index]);
  };
  option.set = [words, set = std::move(set),
                allowed = option.allowed](const OptionValue& given) -> base::Status {
    const auto* text = std::get_if<std::string>(&given);
    if (text == nullptr) return WrongType(allowed, given);
    auto found = std::find(words.begin(), words.end(), *text);
    if (found == words.end()) return Outside(allowed, given);
    set(static_cast<std::size_t>(found - words.begin()));
    return {};
  };
}

void OptionTable::Choice(const About& about, std::string& value,
                         const std::vector<std::string>& words) {
  AddChoice(
      about, words,
      [&value, words] {
        return static_cast<std::size_t>(std::find(words.begin(), words.end(), value) -
                                        words.begin());
      },
      [&value, words](std::size_t index) { value = words[index]; });
}

const Option* OptionTable::Find(std::string_view name) const {
  for (const Option& option : options_) {
    if (option.Name() == name) return &option;
  }
  return nullptr;
}

std::string OptionTable::Nearest(std::string_view name) const {
  // The right key in the wrong section counts as one slip.
  std::string_view key = name.substr(name.find('.') == name.npos ? 0 : name.find('.') + 1);
  NearestName nearest(key);
  for (const Option& option : options_) {
    const std::string known = option.Name();
    nearest.Offer(known, std::min(EditDistance(name, known), EditDistance(key, option.key) + 1));
  }
  return nearest.name();
}

}  // namespace crawler
