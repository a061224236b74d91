#include "crawler/data/data_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/descriptor.h"

namespace crawler {
namespace {

std::string PathOf(const std::string& directory) {
  return (std::filesystem::path(directory) / kLockName).string();
}

// The process that the lock's file names; 0 where it names none.
int OwnerIn(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t got = ::pread(descriptor, text.data(), text.size() - 1, 0);
  int owner = 0;
  if (got > 0) std::from_chars(text.data(), text.data() + got, owner);
  return owner;
}

}  // namespace

base::Result<std::unique_ptr<DataLock>> DataLock::Take(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return base::Fail("cannot make " + directory + ": " + error.message());
  const std::string path = PathOf(directory);
  int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return base::Fail("cannot open " + path + ": " + std::strerror(errno));
  std::unique_ptr<DataLock> lock(new DataLock(directory, descriptor));
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return base::Fail("cannot lock " + path + ": " + std::strerror(errno));
    }
    return base::Fail(directory + " is in use by process " + std::to_string(OwnerIn(descriptor)) +
                      ": wait for it to end, or choose another --data");
  }
  std::string owner = std::to_string(::getpid());
  bool written =
      ::ftruncate(descriptor, 0) == 0 &&
      ::pwrite(descriptor, owner.data(), owner.size(), 0) == static_cast<ssize_t>(owner.size());
  if (!written) return base::Fail("cannot write " + path + ": " + std::strerror(errno));
  return lock;
}

std::optional<int> DataLock::Owner(const std::string& directory) {
  const base::Descriptor file(::open(PathOf(directory).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.ok()) return std::nullopt;
  // Shared, and let go at once: it keeps out nobody but a crawl that begins at this very moment.
  const bool held = ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return held ? std::optional(OwnerIn(file.get())) : std::nullopt;
}

base::Status DataLock::CheckHeld() const {
  struct stat there {};
  struct stat held {};
  const bool gone = ::stat(PathOf(directory_).c_str(), &there) != 0;
  // What cannot be asked for now (a network's file system fails, say) may be there all the same.
  if (gone && errno != ENOENT && errno != ENOTDIR) return {};
  if (::fstat(descriptor_, &held) != 0) return {};
  if (!gone && there.st_dev == held.st_dev && there.st_ino == held.st_ino) return {};
  return base::Fail(directory_ +
                    " was moved or deleted while it was in use: nothing more is written, for "
                    "another crawl may be there now");
}

DataLock::~DataLock() { ::close(descriptor_); }

}  // namespace crawler
