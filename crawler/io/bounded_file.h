#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace crawler {

/// The beginning of a file.
struct BoundedFile {
  std::string bytes;
  /// There is more than was asked for.
  bool cut = false;
};

/// Reads `path` ("-": the standard input) to its end, or to `bytes_max` bytes. Fails with what
/// completes "cannot be opened:" or the like, without the file's name: "No such file or
/// directory", "it is a directory".
///
///     auto file = ReadBoundedFile(name, 1 << 20);
///     if (!file) return base::Fail(name + ": " + file.error().message);
///     if (file->cut) return base::Fail(name + ": is larger than 1 MiB");
///
/// Cost: memory of what is there, not of `bytes_max`.
base::Result<BoundedFile> ReadBoundedFile(const std::filesystem::path& path,
                                          std::size_t bytes_max);

}  // namespace crawler
