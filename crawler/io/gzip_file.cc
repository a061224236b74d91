#include "crawler/io/gzip_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "base/system_failure.h"

namespace crawler {
namespace {

constexpr int kGzipWindowBits = 15 + 16;
constexpr std::string_view kMagic = "\x1f\x8b\x08";

}  // namespace

struct GzipFile::Inflater {
  Inflater() { CHECK(inflateInit2(&stream, kGzipWindowBits) == Z_OK); }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream stream{};
};

base::Result<std::unique_ptr<GzipFile>> GzipFile::Open(const std::filesystem::path& path,
                                                       std::uint64_t offset,
                                                       std::size_t piece_bytes) {
  base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.ok()) return base::SystemFailure(path, "cannot be opened");
  struct stat found {};
  if (::fstat(file.get(), &found) != 0 ||
      ::lseek(file.get(), static_cast<off_t>(offset), SEEK_SET) < 0) {
    return base::SystemFailure(path, "cannot be read");
  }
  return std::unique_ptr<GzipFile>(new GzipFile(
      path, std::move(file), offset, static_cast<std::uint64_t>(found.st_size), piece_bytes));
}

GzipFile::GzipFile(std::filesystem::path path, base::Descriptor file, std::uint64_t offset,
                   std::uint64_t bytes, std::size_t piece_bytes)
    : path_(std::move(path)),
      file_(std::move(file)),
      file_bytes_(bytes),
      piece_bytes_(piece_bytes),
      file_offset_(offset),
      inflater_(std::make_unique<Inflater>()) {}

GzipFile::~GzipFile() = default;

// Reads more of the file behind what is left of it in the buffer.
bool GzipFile::Fill() {
  if (!status_ || at_end_) return false;
  std::string rest(input_);
  const std::size_t kept = rest.size();
  buffer_ = std::move(rest);
  buffer_.resize(kept + piece_bytes_);
  ssize_t got = 0;
  do {
    got = ::read(file_.get(), buffer_.data() + kept, piece_bytes_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) status_ = base::SystemFailure(path_, "cannot be read");
  buffer_.resize(kept + (got > 0 ? static_cast<std::size_t>(got) : 0));
  input_ = buffer_;
  at_end_ = got == 0;
  if (got <= 0) return false;
  file_offset_ += static_cast<std::uint64_t>(got);
  fetched_bytes_ += static_cast<std::uint64_t>(got);
  return true;
}

void GzipFile::BeginMember() {
  in_member_ = true;
  member_begin_ = Position();
  CHECK(inflateReset2(&inflater_->stream, kGzipWindowBits) == Z_OK);
}

bool GzipFile::Read(std::string& out) {
  member_ended_ = false;
  if (!damage_.empty()) return false;
  if (!known_) {
    while (input_.size() < kMagic.size() && Fill()) {
    }
    known_ = true;
    is_gzip_ = input_.starts_with(kMagic);
    member_begin_ = Position();
  }
  if (input_.empty() && !Fill()) {
    if (in_member_ && is_gzip_ && status_) damage_ = "the file ends within a gzip member";
    return false;
  }
  if (is_gzip_) return Inflate(out);
  const std::size_t count = std::min(input_.size(), piece_bytes_ / 2);
  out.append(input_.substr(0, count));
  input_.remove_prefix(count);
  return true;
}

bool GzipFile::Inflate(std::string& out) {
  if (!in_member_) BeginMember();
  z_stream& stream = inflater_->stream;
  const std::size_t room = piece_bytes_ / 2;
  for (;;) {
    const std::size_t before = out.size();
    out.resize(before + room);
    // zlib reads what its older interface calls mutable.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data()));
    stream.avail_in = static_cast<uInt>(input_.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(room);
    const int result = inflate(&stream, Z_NO_FLUSH);
    input_.remove_prefix(input_.size() - stream.avail_in);
    const std::size_t count = room - stream.avail_out;
    out.resize(before + count);
    if (result == Z_STREAM_END) {
      in_member_ = false;
      member_ended_ = true;
      member_end_ = Position();
      return true;
    }
    if (result != Z_OK && result != Z_BUF_ERROR) {
      damage_ = stream.msg != nullptr ? stream.msg : "not a gzip member";
      return count > 0;
    }
    if (count > 0) return true;
    if (input_.empty() && !Fill()) {
      if (status_) damage_ = "the file ends within a gzip member";
      return false;
    }
  }
}

bool GzipFile::GoBack(std::uint64_t offset) {
  const std::uint64_t again = Position() - offset;
  furthest_ = std::max(furthest_, Position());
  if (again_bytes_ + again > kTimesAgain * furthest_ + kBytesAgain) return false;
  if (again <= buffer_.size() - input_.size()) {
    input_ = std::string_view(buffer_).substr(buffer_.size() - input_.size() - again);
  } else {
    if (::lseek(file_.get(), static_cast<off_t>(offset), SEEK_SET) < 0) return false;
    file_offset_ = offset;
    at_end_ = false;
    buffer_.clear();
    input_ = {};
  }
  again_bytes_ += again;
  damage_.clear();
  in_member_ = false;
  return true;
}

bool GzipFile::SkipDamage() {
  CHECK(!damage_.empty());
  damage_.clear();
  in_member_ = false;
  // What looked like the damaged member's bytes may hold the next one's.
  GoBack(member_begin_ + 1);
  for (;;) {
    const std::size_t at = input_.find(kMagic);
    if (at != std::string_view::npos) {
      input_.remove_prefix(at);
      return true;
    }
    // The last two bytes may begin the magic.
    if (input_.size() > 2) input_.remove_prefix(input_.size() - 2);
    if (!Fill()) return false;
  }
}

}  // namespace crawler
