#pragma once

#include <unistd.h>

#include <utility>

namespace base {

/// A file descriptor that is closed with its scope.
///
///     const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
///     if (!file.ok()) return base::SystemFailure(path, "cannot be opened");
class Descriptor {
 public:
  /// Takes what open() and the like give: none when it is negative.
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  /// May change errno.
  ~Descriptor() {
    if (ok()) ::close(fd_);
  }

  bool ok() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace base
