#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "crawler/command/command_line.h"

namespace {

// Larger blocks go back to the system when they are freed, whatever lies beside them. Else the
// limit grows to 32 MiB with the first of them, and commits and pages leave holes between what
// stays for the whole crawl.
constexpr int kLargeBytes = 256 * 1024;

}  // namespace

int main(int count, char** values) {
  ::mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  // A closed pipe or socket is a failed write, which its writer sees.
  std::signal(SIGPIPE, SIG_IGN);
  crawler::Terminal terminal{crawler::Output(STDOUT_FILENO), crawler::Output(STDERR_FILENO)};
  return crawler::RunCommandLine(std::vector<std::string>(values + 1, values + count), terminal);
}
