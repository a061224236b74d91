#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "crawler/settings/options.h"

namespace crawler {

/// What a command line says about the configuration.
struct ConfigArguments {
  /// --config; empty: the defaults.
  std::string file;
  /// ("section.key", value) of --set and of the options' own flags, in the order given.
  std::vector<std::pair<std::string, std::string>> assignments;
};

/// Options of a crawl's last run, by "section.key", with their values as TOML.
using KeptOptions = std::map<std::string, std::string>;

/// Everything that is wrong with a configuration, one sentence each, beginning with its place.
using ConfigProblems = std::vector<std::string>;

/// Options that a file or flags set, by "section.key", and where they did last: "my.toml:3:5" or
/// "command line".
using GivenOptions = std::map<std::string, std::string>;

struct LoadedOptions {
  Options options;
  GivenOptions given;
};

/// What is kept for a crawl that `options` are for; asked once, when the file and the flags have
/// been read. (Kept options that this version does not have are passed over.)
using Remember = std::function<KeptOptions(const Options& options)>;

/// The options that defaults, then what is remembered, then the file, then the flags make. Reports
/// all problems, not only the first:
///
///     my.toml:3:5: contentseen.k must be a whole number from 0 to 10 (bits), not 99
///     my.toml:4:1: unknown key contentseen.treshold; did you mean ...?
///
/// Thread safety: pure but for reading the file. Cost: at most kConfigBytesMax are read.
tl::expected<LoadedOptions, ConfigProblems> LoadOptions(const ConfigArguments& arguments,
                                                        const Remember& remember = {});

/// The largest configuration file.
inline constexpr std::size_t kConfigBytesMax = std::size_t{1} << 20;

/// Sets options from TOML `text`; `name` is what problems call it. A byte-order mark and CRLF are
/// tolerated. Values without a problem are set even when others have one. Adds all that stand
/// there to `given`.
ConfigProblems ApplyToml(std::string_view name, std::string_view text, const OptionTable& table,
                         GivenOptions* given = nullptr);

/// Sets options from command-line assignments. The first value given to a list replaces it, later
/// ones are added; an empty one empties it. Adds them to `given`.
ConfigProblems ApplyAssignments(
    const std::vector<std::pair<std::string, std::string>>& assignments, const OptionTable& table,
    GivenOptions* given = nullptr);

/// The commented configuration file that sets each option of `table` to the value it has;
/// `defaults` is a table of a fresh struct.
std::string ConfigText(const OptionTable& table, const OptionTable& defaults);
/// docs/options.md.
std::string ConfigMarkdown(const OptionTable& defaults);
/// An array of objects, one an option.
std::string ConfigJson(const OptionTable& table, const OptionTable& defaults);

}  // namespace crawler
