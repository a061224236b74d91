#include "base/sync_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace base {

Status SyncDirectory(const std::filesystem::path& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && ::fsync(fd) == 0;
  const int error = errno;  // of the first that failed, before close() may change it
  if (fd >= 0) ::close(fd);
  if (synced) return {};
  return Fail(directory.string() + ": cannot be synced: " + std::strerror(error));
}

}  // namespace base
