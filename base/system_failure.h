#pragma once

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace base {

/// The failing return of a call to the system that has just failed, as "PATH: WHAT: REASON".
///
///     if (::fsync(fd) != 0) return base::SystemFailure(path, "cannot be synced");
inline tl::unexpected<Error> SystemFailure(const std::filesystem::path& path,
                                           std::string_view what, int error = errno) {
  return Fail(path.string() + ": " + std::string(what) + ": " + std::strerror(error));
}

}  // namespace base
