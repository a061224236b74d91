#include "crawler/command/completion.h"

#include <algorithm>
#include <optional>

namespace crawler {
namespace {

/// "a" and "b" of "{a,b}"; nothing of another value.
std::vector<std::string> ChoicesIn(std::string_view value) {
  std::vector<std::string> choices;
  if (value.size() < 2 || value.front() != '{' || value.back() != '}') return choices;
  value = value.substr(1, value.size() - 2);
  while (true) {
    const std::size_t comma = value.find(',');
    choices.emplace_back(value.substr(0, comma));
    if (comma == value.npos) return choices;
    value.remove_prefix(comma + 1);
  }
}

const ArgumentText* FindOption(const CommandText& command, std::string_view name) {
  for (const ArgumentText& argument : command.arguments) {
    if (argument.positional) continue;
    const auto& names = argument.names;
    if (std::find(names.begin(), names.end(), name) != names.end()) return &argument;
  }
  return nullptr;
}

const CommandText* FindCommand(const CommandText& command, std::string_view name) {
  for (const CommandText& inner : command.commands) {
    if (inner.OwnName() == name) return &inner;
  }
  return nullptr;
}

/// The positional argument that the word number `index` of them would be.
const ArgumentText* PositionalAt(const CommandText& command, std::size_t index) {
  const ArgumentText* last = nullptr;
  for (const ArgumentText& argument : command.arguments) {
    if (!argument.positional) continue;
    last = &argument;
    if (index-- == 0) return last;
  }
  return last != nullptr && last->repeats ? last : nullptr;
}

/// Where the words before the last one lead.
struct Position {
  const CommandText* command = nullptr;
  /// The option that the last word is the value of.
  const ArgumentText* option = nullptr;
  std::size_t positionals = 0;
  bool options_ended = false;  // by "--"
};

Position Follow(const CommandText& root, const std::vector<std::string>& words) {
  Position at{.command = &root};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (at.option != nullptr) {
      at.option = nullptr;
    } else if (at.options_ended || word.empty() || word[0] != '-') {
      const CommandText* inner = FindCommand(*at.command, word);
      if (inner != nullptr) at.command = inner;
      if (inner == nullptr) ++at.positionals;
    } else if (word == "--") {
      at.options_ended = true;
    } else {
      at.option = FindOption(*at.command, word);
      if (at.option != nullptr && !at.option->TakesValue()) at.option = nullptr;
    }
  }
  return at;
}

class Completer {
 public:
  Completer(const CommandText& root, const OptionTable& options)
      : root_(root), options_(options) {}

  Completion Run(const std::vector<std::string>& words) {
    const Position at = Follow(root_, words);
    begun_ = words.empty() ? "" : words.back();
    const std::size_t equals = begun_.find('=');
    if (at.option != nullptr) {
      AddValues(*at.option);
    } else if (begun_.starts_with("--") && equals != begun_.npos) {
      const ArgumentText* option = FindOption(*at.command, begun_.substr(0, equals));
      prefix_ = begun_.substr(0, equals + 1);
      begun_.erase(0, equals + 1);
      if (option != nullptr && option->TakesValue()) AddValues(*option);
    } else if (begun_.starts_with("-") && !at.options_ended) {
      AddOptions(*at.command);
    } else {
      for (const CommandText& inner : at.command->commands) Add(inner.OwnName(), inner.help);
      const ArgumentText* argument = PositionalAt(*at.command, at.positionals);
      if (argument != nullptr) AddValues(*argument);
    }
    return std::move(found_);
  }

 private:
  void Add(const std::string& word, const std::string& help) {
    if (word.starts_with(begun_)) found_.words.push_back({prefix_ + word, help});
  }

  void AddOptions(const CommandText& command) {
    for (const ArgumentText& argument : command.arguments) {
      if (argument.positional) continue;
      for (const std::string& name : argument.names) Add(name, argument.help);
    }
  }

  void AddValues(const ArgumentText& argument) {
    for (const std::string& choice : ChoicesIn(argument.value)) Add(choice, "");
    if (argument.value == kAssignmentValue) AddAssignments();
    if (argument.value == kCommandValue) {
      for (const CommandText& inner : root_.commands) Add(inner.OwnName(), inner.help);
    }
    if (argument.value.find("FILE") != std::string::npos) {
      found_.paths = Completion::Paths::kFiles;
    } else if (argument.value == "DIR") {
      found_.paths = Completion::Paths::kDirectories;
    }
  }

  void AddAssignments() {
    const std::size_t equals = begun_.find('=');
    for (const Option& option : options_.options()) {
      const std::string key = option.Name() + "=";
      if (equals == begun_.npos) {
        Add(key, option.help);
      } else if (begun_.starts_with(key)) {
        for (const std::string& word : option.words) Add(key + word, "");
        if (option.kind == OptionKind::kBool) {
          Add(key + "true", "");
          Add(key + "false", "");
        }
      }
    }
  }

  const CommandText& root_;
  const OptionTable& options_;
  std::string begun_;
  std::string prefix_;
  Completion found_;
};

// The shell cuts words at = and : too; here they are joined again, and what the cut left in front
// of the cursor's word is taken off the answers.
constexpr std::string_view kBash = R"script(# bash completion for contentseen
_contentseen() {
  local word begun help line cut=""
  local -a words=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ ${#words[@]} -gt 0 && ( $word == [=:]* || ${words[-1]} == *[=:] ) ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  begun=${words[-1]}
  [[ $begun == *[=:]* ]] && cut=${begun%"${begun##*[=:]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default ;;
      :directories) compopt -o dirnames ;;
      *)
        word=${line%%$'\t'*}
        [[ $word == *= ]] && compopt -o nospace
        COMPREPLY+=("${word#"$cut"}")
        ;;
    esac
  done < <("${COMP_WORDS[0]/#\~\//$HOME/}" complete "${words[@]}" 2>/dev/null)
}
complete -F _contentseen contentseen
)script";

constexpr std::string_view kZsh = R"script(#compdef contentseen
_contentseen() {
  local line word
  local -a plain assigned
  while IFS= read -r line; do
    case $line in
      :files) _files ;;
      :directories) _files -/ ;;
      *)
        word=${line%%$'\t'*}
        word=${word//:/\\:}
        [[ $line == *$'\t'?* ]] && word+=:${line#*$'\t'}
        if [[ ${line%%$'\t'*} == *= ]]; then assigned+=($word); else plain+=($word); fi
        ;;
    esac
  done < <(${(Q)words[1]} complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( $#plain )) && _describe contentseen plain
  (( $#assigned )) && _describe contentseen assigned -S ''
  return 0
}
if [[ $funcstack[1] == _contentseen ]]; then
  _contentseen "$@"
else
  compdef _contentseen contentseen
fi
)script";

constexpr std::string_view kFish = R"script(# fish completion for contentseen
function __contentseen_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (commandline -ct)
            case ':directories'
                __fish_complete_directories (commandline -ct) ''
            case '*'
                echo $line
        end
    end
end
complete -c contentseen -f -a '(__contentseen_complete)'
)script";

}  // namespace

Completion Complete(const CommandText& root, const OptionTable& options,
                    const std::vector<std::string>& words) {
  return Completer(root, options).Run(words);
}

std::string_view CompletionScript(std::string_view shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  if (shell == "fish") return kFish;
  return {};
}

std::string CompletionAnswer(const Completion& completion) {
  std::string answer;
  for (const Completion::Word& word : completion.words) {
    answer += word.text + (word.help.empty() ? "" : "\t" + word.help) + "\n";
  }
  if (completion.paths == Completion::Paths::kFiles) answer += ":files\n";
  if (completion.paths == Completion::Paths::kDirectories) answer += ":directories\n";
  return answer;
}

}  // namespace crawler
