#include "base/sync_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/system_failure.h"

namespace base {

Status SyncDirectory(const std::filesystem::path& directory) {
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.ok() && ::fsync(opened.get()) == 0) return {};
  return SystemFailure(directory, "cannot be synced");
}

}  // namespace base
