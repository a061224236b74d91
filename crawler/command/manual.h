#pragma once

#include <string>

#include "crawler/command/command_text.h"
#include "crawler/settings/option_table.h"

namespace crawler {

/// The manual page of a command in roff (the macros of man(7)), e.g. contentseen-crawl.1; it names
/// the pages of the commands of `root` beside it.
std::string ManualPage(const CommandText& command, const CommandText& root);

/// The manual page contentseen.toml.5: every option of the table.
std::string ConfigManualPage(const OptionTable& defaults);

/// docs/commands.md: every command. What is said about the flags that most commands share, those
/// of `configuration`, stands there once.
std::string CommandsMarkdown(const CommandText& root, const CommandText& configuration);

/// "contentseen-index-plan.1".
std::string ManualPageName(const CommandText& command);

}  // namespace crawler
