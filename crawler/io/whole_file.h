#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace crawler {

/// Writes `bytes` as all that `path` holds, into a draft beside it that takes its place when it is
/// complete: until then, and where that fails, what was there stays as it was. A link stays a
/// link, to the new file. What is no regular file (a device, a pipe) is written to as it stands.
/// Fails with the path and the system's reason. `mode` is that of a new file, less the umask.
///
/// Thread safety: any thread, one at a time for a path. Cost: one fsync().
base::Status WriteWholeFile(const std::filesystem::path& path, std::string_view bytes,
                            mode_t mode = 0666);

}  // namespace crawler
