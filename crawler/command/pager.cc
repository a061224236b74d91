#include "crawler/command/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

extern char** environ;

namespace crawler {
namespace {

/// The command for the shell; empty for none.
std::string PagerCommand() {
  const char* pager = std::getenv("PAGER");
  std::string command = pager == nullptr ? "less" : pager;
  if (command == "cat") return {};
  // For the pager alone, not for us.
  return command.empty() ? command : "LESS=${LESS-FRX} LESSCHARSET=utf-8 exec " + command;
}

/// A signal that is ignored within a scope.
class Ignored {
 public:
  explicit Ignored(int signal) : signal_(signal) {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(signal, &ignore, &before_);
  }
  ~Ignored() { sigaction(signal_, &before_, nullptr); }
  Ignored(const Ignored&) = delete;
  Ignored& operator=(const Ignored&) = delete;

 private:
  const int signal_;
  struct sigaction before_ {};
};

/// Starts `command` with `input` as its standard input and `output` as its output; -1 on failure.
pid_t Spawn(const std::string& command, int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGINT);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::string shell = "sh";
  std::string option = "-c";
  std::string text = command;
  char* const arguments[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t child = -1;
  const int error = posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

/// False when the text was shown to nobody.
bool ShowBy(const std::string& command, int output, const std::string& text) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  const Ignored interrupt(SIGINT);     // Ctrl-C is the pager's as long as it lives
  const Ignored broken_pipe(SIGPIPE);  // it may be quit before it has read all
  const pid_t child = Spawn(command, ends[0], output);
  ::close(ends[0]);
  if (child > 0) Output(ends[1]).Write(text);  // whoever quits the pager early wants no more
  ::close(ends[1]);
  if (child < 0) return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // The shell's word for a command that is not there.
  return !(WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126));
}

}  // namespace

void WritePaged(Output& out, const std::string& text) {
  const std::optional<std::size_t> height = out.Height();
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  const std::string command = PagerCommand();
  const bool wanted = height && lines >= *height && !command.empty();
  if (!wanted || !ShowBy(command, out.descriptor(), text)) out.Write(text);
}

}  // namespace crawler
