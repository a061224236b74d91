#pragma once

#include <string>
#include <vector>

namespace tests {

/// How a run of the program ended.
struct ProgramRun {
  /// Exit status, or 128 and the signal that ended it.
  int code = -1;
  std::string out;
  std::string err;
};

/// Runs the built `contentseen` with `arguments` in `folder` ("": where we are), its output
/// through pipes, without NO_COLOR and with the rest of our environment. It may open at most
/// `descriptors_max` files, and write none longer than `file_bytes_max` (0: as we may). Waits for
/// its end.
ProgramRun RunProgram(const std::vector<std::string>& arguments, const std::string& folder = "",
                      unsigned descriptors_max = 0, unsigned file_bytes_max = 0);

}  // namespace tests
