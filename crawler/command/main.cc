#include <fcntl.h>
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

// Where one of the standard streams is closed, the first file that is opened would take its place
// and get what is written there. What fails instead is the reading or writing.
void OccupyStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest number that is free. (Where there is no /dev/null, all is as it was.)
    static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace

int main(int count, char** values) {
  OccupyStandardStreams();
  ::mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  // A closed pipe or socket is a failed write, which its writer sees.
  std::signal(SIGPIPE, SIG_IGN);
  // So is a file that would grow longer than the system lets us write one (`ulimit -f`).
  std::signal(SIGXFSZ, SIG_IGN);
  crawler::Terminal terminal{crawler::Output(STDOUT_FILENO), crawler::Output(STDERR_FILENO)};
  return crawler::RunCommandLine(std::vector<std::string>(values + 1, values + count), terminal);
}
