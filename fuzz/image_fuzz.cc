// First byte: which bit is flipped afterwards, and where; the rest: what an image holds. It comes
// back as it was put, and with the flipped bit not at all. The same bytes as a file are no image.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/check.h"
#include "contentseen/image.h"
#include "fuzz/fuzz_input.h"

namespace {

/// A file in memory, always the same one.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("image", 0)), path_("/proc/self/fd/" + std::to_string(fd_)) {
    CHECK(fd_ >= 0);
  }
  const std::string& path() const { return path_; }
  std::string Content() const {
    std::string bytes(static_cast<std::size_t>(::lseek(fd_, 0, SEEK_END)), '\0');
    CHECK(::pread(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    return bytes;
  }
  void Become(std::string_view bytes) const {
    CHECK(::ftruncate(fd_, 0) == 0);
    CHECK(::pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }

 private:
  const int fd_;
  const std::string path_;
};

// Whether the image in `file` holds just these bytes, twice.
bool Holds(const MemoryFile& file, std::string_view bytes) {
  contentseen::ImageReader image(file.path(), "name");
  std::vector<char> plain(bytes.size());
  std::vector<std::byte> sparse(bytes.size());
  const bool whole = image.Take(std::span(plain)) && image.TakeSparse(sparse) && image.AtEnd();
  if (!whole) return false;
  CHECK(std::equal(plain.begin(), plain.end(), bytes.begin(), bytes.end()));
  CHECK(std::ranges::equal(std::as_bytes(std::span(plain)), sparse));
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  fuzz::Input input(data, size);
  const std::size_t where = input.Byte();
  const std::string_view bytes = input.Rest();
  {
    contentseen::ImageWriter image(file.path(), "name");
    image.Put(std::span(bytes));
    image.PutSparse(std::as_bytes(std::span(bytes)));
    CHECK(image.Close().has_value());
  }
  CHECK(Holds(file, bytes));
  std::string damaged = file.Content();
  char& byte = damaged[where * damaged.size() / 256];
  byte = static_cast<char>(byte ^ 1 << where % 8);
  file.Become(damaged);
  CHECK(!Holds(file, bytes));
  file.Become(bytes);
  CHECK(!Holds(file, bytes));
  return 0;
}
