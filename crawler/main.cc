#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "crawler/command_line.h"

int main(int count, char** values) {
  // A closed pipe or socket is a failed write, which its writer sees.
  std::signal(SIGPIPE, SIG_IGN);
  crawler::Terminal terminal{crawler::Output(STDOUT_FILENO), crawler::Output(STDERR_FILENO)};
  return crawler::RunCommandLine(std::vector<std::string>(values + 1, values + count), terminal);
}
