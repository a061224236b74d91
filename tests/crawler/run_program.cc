#include "tests/crawler/run_program.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

namespace tests {
namespace {

/// Reads both pipes until both are closed: neither may fill while we wait for the other.
void Drain(std::array<int, 2> descriptors, std::array<std::string*, 2> texts) {
  std::array<pollfd, 2> polled{{{descriptors[0], POLLIN, 0}, {descriptors[1], POLLIN, 0}}};
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      char bytes[4096];
      ssize_t got = ::read(polled[i].fd, bytes, sizeof bytes);
      if (got > 0) {
        texts[i]->append(bytes, static_cast<std::size_t>(got));
      } else {
        ::close(polled[i].fd);
        polled[i].fd = -1;
      }
    }
  }
}

}  // namespace

ProgramRun RunProgram(const std::vector<std::string>& arguments, const std::string& folder,
                      unsigned descriptors_max, unsigned file_bytes_max) {
  ProgramRun run;
  int out[2];
  int err[2];
  if (::pipe(out) != 0 || ::pipe(err) != 0) return run;
  std::string program = CONTENTSEEN_PROGRAM;
  std::vector<char*> values{program.data()};
  std::vector<std::string> copies = arguments;
  for (std::string& copy : copies) values.push_back(copy.data());
  values.push_back(nullptr);

  pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    for (int descriptor : {out[0], out[1], err[0], err[1]}) ::close(descriptor);
    std::signal(SIGXFSZ, SIG_DFL);  // some parents ignore it (Python), and that is inherited
    const rlimit descriptors{descriptors_max, descriptors_max};
    if (descriptors_max > 0 && ::setrlimit(RLIMIT_NOFILE, &descriptors) != 0) ::_exit(126);
    const rlimit file_bytes{file_bytes_max, file_bytes_max};
    if (file_bytes_max > 0 && ::setrlimit(RLIMIT_FSIZE, &file_bytes) != 0) ::_exit(126);
    if (!folder.empty() && ::chdir(folder.c_str()) != 0) ::_exit(126);
    ::execv(program.c_str(), values.data());
    ::_exit(127);
  }
  ::close(out[1]);
  ::close(err[1]);
  Drain({out[0], err[0]}, {&run.out, &run.err});
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return run;
  run.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

}  // namespace tests
