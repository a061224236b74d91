#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"

namespace base {

/// The paths of what lies in `folder`, in order. Fails with the folder's name and the system's
/// reason, also where reading it fails half-way: there the library's own loop throws.
Result<std::vector<std::filesystem::path>> EntriesOf(const std::filesystem::path& folder);

}  // namespace base
