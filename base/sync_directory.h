#pragma once

#include <filesystem>

#include "base/result.h"

namespace base {

/// The names in `directory` survive a power failure: of a file that was made there, what it holds
/// is nothing without.
Status SyncDirectory(const std::filesystem::path& directory);

}  // namespace base
