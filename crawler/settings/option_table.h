#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/result.h"

namespace crawler {

/// A value as TOML (and a flag) writes it. Durations, byte sizes and choices are text here.
using OptionValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

/// The value in TOML's spelling: strings quoted, lists in brackets.
std::string TomlText(const OptionValue& value);

enum class OptionKind : std::uint8_t {
  kBool,
  kInteger,
  kDuration,
  kBytes,
  kText,
  kTextList,
  kChoice,
};

/// One row of the option table: everything that is said about an option anywhere (file, flag,
/// errors, documentation) comes from here.
///
/// Ownership: `get` and `set` refer to the struct that was bound; it must outlive the row.
struct Option {
  std::string section;
  std::string key;
  /// Its own flag on the command line, e.g. "--k"; empty when only --set reaches it.
  std::string flag;
  std::string help;
  OptionKind kind = OptionKind::kText;
  /// What the value must be, for errors and documentation: "a whole number from 0 to 16 (bits)".
  std::string allowed;
  /// What the help calls the flag's value: "N", "DIR", "{host,domain,any}"; see command_text.h.
  std::string value;
  /// Of a choice: all that it can be.
  std::vector<std::string> words;
  /// Shown by no command and in no message.
  bool secret = false;
  /// See About.
  bool leaves_out = false;
  std::function<OptionValue()> get;
  /// Fails with the half sentence that follows the option's name: "must be ..., not ...".
  std::function<base::Status(const OptionValue&)> set;

  /// "section.key".
  std::string Name() const { return section + "." + key; }
};

/// The value of `option` for showing: "***" for each text of a secret one.
OptionValue ShownValue(const Option& option);

/// The kind's name in documentation: "integer", "duration", ...
std::string_view Name(OptionKind kind);

/// The value of `option` that a command-line argument means. A list is one element here, and
/// empty text the empty list.
base::Result<OptionValue> ValueFromArgument(const Option& option, const std::string& argument);

/// A choice as help writes it: "{near,exact}".
std::string OneOf(const std::vector<std::string>& words);

/// What is said about an option besides its type and range.
struct About {
  std::string_view key;
  std::string_view help;
  std::string_view flag = {};
  /// Of a number: "bits", "pages".
  std::string_view unit = {};
  /// Option::value, where the kind does not say enough: "DIR".
  std::string_view value = {};
  /// The value is a secret, or may hold one.
  bool secret = false;
  /// Of a text: may be no UTF-8, as names of files may, and secrets. TOML has no spelling for such
  /// a value, so it is for what is not kept.
  bool any_bytes = false;
  /// Decides which links are left out. A crawl that goes on does not take up those that were.
  bool leaves_out = false;
};

/// Rows in order of declaration, filled by options.cc:
///
///     table.Section("contentseen", "Whether a page was seen before.");
///     table.Integer({.key = "k", .help = "...", .flag = "--k", .unit = "bits"}, options.k, 0,
///     16);
///
/// The default of an option is what the bound member holds when it is declared on a fresh struct.
///
/// Thread safety: none. Ownership: see Option.
class OptionTable {
 public:
  struct SectionHeading {
    std::string name;
    std::string help;
  };

  void Section(std::string_view name, std::string_view help) {
    sections_.push_back({std::string(name), std::string(help)});
  }

  void Bool(const About& about, bool& value);

  template <std::integral T>
  void Integer(const About& about, T& value, std::int64_t low, std::int64_t high) {
    CHECK(std::in_range<T>(low) && std::in_range<T>(high));
    AddInteger(
        about, low, high, [&value] { return static_cast<std::int64_t>(value); },
        [&value](std::int64_t v) { value = static_cast<T>(v); });
  }

  /// Byte sizes: "2 MiB" or a number of bytes.
  template <std::unsigned_integral T>
  void Bytes(const About& about, T& value, std::uint64_t low, std::uint64_t high) {
    CHECK(std::in_range<T>(high));
    AddBytes(
        about, low, high, [&value] { return static_cast<std::uint64_t>(value); },
        [&value](std::uint64_t v) { value = static_cast<T>(v); });
  }

  /// Durations: "500ms" or a number of seconds. One that is finer than T is refused.
  template <class Rep, class Period>
  void Duration(const About& about, std::chrono::duration<Rep, Period>& value,
                std::chrono::nanoseconds low, std::chrono::nanoseconds high) {
    using T = std::chrono::duration<Rep, Period>;
    AddDuration(
        about, low, high, std::chrono::nanoseconds(T(1)),
        [&value] { return std::chrono::duration_cast<std::chrono::nanoseconds>(value); },
        [&value](std::chrono::nanoseconds v) { value = std::chrono::duration_cast<T>(v); });
  }

  /// Says what is wrong with a text, as "is not a regular expression: ..."; empty when nothing.
  using TextRule = std::function<std::string(const std::string&)>;

  /// UTF-8 (but see About) without control characters, at most `bytes_max` long. `what` completes
  /// "must be".
  void Text(const About& about, std::string& value, std::string_view what, std::size_t bytes_max,
            TextRule rule = nullptr);
  /// At most `count_max` such texts.
  void TextList(const About& about, std::vector<std::string>& value, std::string_view what,
                std::size_t count_max, std::size_t bytes_max, TextRule rule = nullptr);

  /// One of `words`. REQUIRES: `value` is one of them.
  void Choice(const About& about, std::string& value, const std::vector<std::string>& words);

  template <class E>
  requires std::is_enum_v<E>
  void Choice(const About& about, E& value, std::vector<std::pair<std::string, E>> names) {
    std::vector<std::string> words;
    words.reserve(names.size());
    for (const auto& [word, unused] : names) words.push_back(word);
    AddChoice(
        about, std::move(words),
        [&value, names] {
          std::size_t index = 0;
          while (index < names.size() && names[index].second != value) ++index;
          return index;
        },
        [&value, names](std::size_t index) { value = names[index].second; });
  }

  const std::vector<SectionHeading>& sections() const& { return sections_; }
  // Not on a temporary: `for (... : DeclareOptions(o).options())` would dangle.
  const std::vector<SectionHeading>& sections() const&& = delete;
  const std::vector<Option>& options() const& { return options_; }
  const std::vector<Option>& options() const&& = delete;
  /// The row named "section.key", or null.
  const Option* Find(std::string_view name) const;
  /// The known name nearest to `name` by edit distance; empty when none is near.
  std::string Nearest(std::string_view name) const;

 private:
  Option& Add(const About& about, OptionKind kind, std::string allowed);
  void AddInteger(const About& about, std::int64_t low, std::int64_t high,
                  std::function<std::int64_t()> get, std::function<void(std::int64_t)> set);
  void AddBytes(const About& about, std::uint64_t low, std::uint64_t high,
                std::function<std::uint64_t()> get, std::function<void(std::uint64_t)> set);
  void AddDuration(const About& about, std::chrono::nanoseconds low, std::chrono::nanoseconds high,
                   std::chrono::nanoseconds step, std::function<std::chrono::nanoseconds()> get,
                   std::function<void(std::chrono::nanoseconds)> set);
  void AddChoice(const About& about, std::vector<std::string> words,
                 std::function<std::size_t()> get, std::function<void(std::size_t)> set);

  std::vector<SectionHeading> sections_;
  std::vector<Option> options_;
};

}  // namespace crawler
