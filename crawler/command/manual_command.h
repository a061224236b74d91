#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen man`, which writes manual pages and docs/commands.md, and `contentseen
/// completion`, which prints the script that completes command lines in a shell: what is said
/// about commands, by the commands' own declarations.
///
/// Ownership: `app` must outlive `line`.
void AddManualCommands(CLI::App& app, CommandLine& line);

/// `contentseen complete WORD...`, which those scripts ask. It is no command for people, and shown
/// nowhere; its words are another command line's, so no parser may touch them.
ExitCode AnswerShell(const CLI::App& app, const std::vector<std::string>& words,
                     Terminal& terminal);

}  // namespace crawler
