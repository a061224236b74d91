#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "crawler/command/command_text.h"
#include "crawler/settings/option_table.h"

namespace crawler {

/// What the value KEY=VALUE of --set is called, and COMMAND of `man`: completion knows them.
inline constexpr char kAssignmentValue[] = "KEY=VALUE";
inline constexpr char kCommandValue[] = "COMMAND";

/// What may stand where a command line is being written.
struct Completion {
  struct Word {
    std::string text;
    std::string help;
  };
  enum class Paths : std::uint8_t { kNone, kFiles, kDirectories };
  std::vector<Word> words;
  /// Paths may stand there too; the shell knows them best.
  Paths paths = Paths::kNone;
};

/// Completes the last of `words`, which stand behind the program's name; it may be empty.
///
///     Complete(root, options, {"crawl", "--det"}).words;   // --detector
///
/// Thread safety: pure. Cost: linear in the declarations.
Completion Complete(const CommandText& root, const OptionTable& options,
                    const std::vector<std::string>& words);

/// The script by which "bash", "zsh" or "fish" asks the program itself (`contentseen complete`):
/// one for all versions of it. Empty for another shell.
std::string_view CompletionScript(std::string_view shell);

/// The answer that the scripts read: a line a word, its help behind a tab; then ":files" or
/// ":directories" where paths may stand.
std::string CompletionAnswer(const Completion& completion);

}  // namespace crawler
