#include "crawler/data_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace crawler {
namespace {

// The process that the lock's file names, in words.
std::string Owner(int descriptor) {
  std::array<char, 32> text{};
  ssize_t got = ::pread(descriptor, text.data(), text.size() - 1, 0);
  return got > 0 ? " by process " + std::string(text.data()) : std::string();
}

}  // namespace

base::Result<std::unique_ptr<DataLock>> DataLock::Take(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return base::Fail("cannot make " + directory + ": " + error.message());
  std::string path = (std::filesystem::path(directory) / "lock").string();
  int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return base::Fail("cannot open " + path + ": " + std::strerror(errno));
  std::unique_ptr<DataLock> lock(new DataLock(descriptor));
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return base::Fail("cannot lock " + path + ": " + std::strerror(errno));
    }
    return base::Fail(directory + " is in use" + Owner(descriptor) +
                      ": wait for it to end, or choose another --data");
  }
  std::string owner = std::to_string(::getpid());
  bool written =
      ::ftruncate(descriptor, 0) == 0 &&
      ::pwrite(descriptor, owner.data(), owner.size(), 0) == static_cast<ssize_t>(owner.size());
  if (!written) return base::Fail("cannot write " + path + ": " + std::strerror(errno));
  return lock;
}

DataLock::~DataLock() { ::close(descriptor_); }

}  // namespace crawler
