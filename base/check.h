#pragma once

/// CHECK(condition): a precondition or invariant whose breach is a bug in this program. It stops
/// the process with the place and the condition, in every build type. Never used for what a user,
/// a file, the network or a page can cause: those are base::Result or a crawl disposition.
///
///     CHECK(begin <= end);
///
/// Thread safety: yes. Cost: one predictable branch.
#define CHECK(condition)                                   \
  do {                                                     \
    if (!(condition)) [[unlikely]]                         \
      ::base::CheckFailed(#condition, __FILE__, __LINE__); \
  } while (false)

namespace base {

/// Prints one line to standard error and aborts.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line) noexcept;

}  // namespace base
