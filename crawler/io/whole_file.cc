#include "crawler/io/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <system_error>

namespace crawler {
namespace {

namespace fs = std::filesystem;

// Other people's files of that name are passed over.
constexpr int kDraftsMax = 100;

base::Status Failure(const fs::path& path, int error) {
  return base::Fail(path.string() + ": cannot be written: " + std::strerror(error));
}

// 0, or the error.
int WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

base::Status WriteInPlace(const fs::path& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return Failure(path, errno);
  int error = WriteAll(file, bytes);
  if (::close(file) != 0 && error == 0) error = errno;
  return error == 0 ? base::Status() : Failure(path, error);
}

// Links followed, so that not the link is replaced but what it leads to.
fs::path Target(const fs::path& path) {
  std::error_code error;
  fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target;
}

}  // namespace

base::Status WriteWholeFile(const fs::path& path, std::string_view bytes, mode_t mode) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
    return WriteInPlace(path, bytes);
  }
  const fs::path target = Target(path);
  std::string draft;
  int file = -1;
  for (int i = 0; file < 0 && i < kDraftsMax; ++i) {
    draft = target.string() + ".part" + (i == 0 ? "" : std::to_string(i));
    file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0 && errno != EEXIST) break;
  }
  if (file < 0) return Failure(path, errno);
  int error = WriteAll(file, bytes);
  if (error == 0 && ::fsync(file) != 0) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(draft.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(draft.c_str());
  return Failure(path, error);
}

}  // namespace crawler
