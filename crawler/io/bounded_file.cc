#include "crawler/io/bounded_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace crawler {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

}  // namespace

base::Result<BoundedFile> ReadBoundedFile(const std::filesystem::path& path,
                                          std::size_t bytes_max) {
  std::error_code ignored;  // a failure to ask shows as a failure to open
  if (std::filesystem::is_directory(path, ignored)) return base::Fail("it is a directory");
  std::ifstream stream(path == "-" ? "/dev/stdin" : path, std::ios::binary);
  if (!stream) return base::Fail(std::strerror(errno));
  BoundedFile file;
  std::string piece(std::min(kPieceBytes, bytes_max + 1), '\0');
  while (file.bytes.size() <= bytes_max) {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    if (stream.bad()) return base::Fail("a read failed");
    if (stream.gcount() == 0) break;
    file.bytes.append(piece, 0, static_cast<std::size_t>(stream.gcount()));
  }
  file.cut = file.bytes.size() > bytes_max;
  if (file.cut) file.bytes.resize(bytes_max);
  return file;
}

}  // namespace crawler
