#include "contentseen/image.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace contentseen {
namespace {

constexpr std::size_t kBlockMax = std::size_t{1} << 20;
// The system is asked so far ahead, and keeps nothing of what was read: of an image of gigabytes
// the next block comes while this one is taken up, and memory is left for what comes of it.
constexpr std::size_t kAhead = 16 * kBlockMax;

constexpr std::string_view kDamaged = "is damaged, or no image of this version";
constexpr std::string_view kTooShort = "ends too early";

/// Before each block. The last one is empty.
struct Head {
  std::uint64_t size;
  Key128 checksum;
};
static_assert(Plain<Head>);

// Sparse memory: for each group of 64 pieces a mask of those that are not all zeros, then they.
constexpr std::size_t kPiece = 64;
constexpr std::size_t kGroup = 64 * kPiece;
constexpr std::array<std::byte, kPiece> kZeros{};

std::string_view Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Calls call(piece, i) for each piece of a group, i counted from 0.
template <class Byte, class Call>
void ForEachPiece(std::span<Byte> group, Call call) {
  for (std::size_t i = 0; i * kPiece < group.size(); ++i) {
    call(group.subspan(i * kPiece, std::min(kPiece, group.size() - i * kPiece)), i);
  }
}

}  // namespace

ImageWriter::ImageWriter(const std::filesystem::path& path, std::string_view name)
    : path_(path), fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
  if (fd_ < 0) failure_ = path_.string() + ": cannot be made: " + std::strerror(errno);
  block_.reserve(sizeof(Head) + kBlockMax);
  block_.resize(sizeof(Head));
  Put(Xxh3Key(name));
  EndBlock();
}

ImageWriter::~ImageWriter() {
  if (fd_ >= 0) ::close(fd_);
}

void ImageWriter::Append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto some = bytes.first(std::min(bytes.size(), block_.capacity() - block_.size()));
    block_.insert(block_.end(), some.begin(), some.end());
    bytes = bytes.subspan(some.size());
    if (block_.size() == block_.capacity()) EndBlock();
  }
}

void ImageWriter::PutSparse(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto group = bytes.first(std::min(bytes.size(), kGroup));
    bytes = bytes.subspan(group.size());
    std::uint64_t mask = 0;
    ForEachPiece(group, [&mask](std::span<const std::byte> piece, std::size_t i) {
      const bool any = std::memcmp(piece.data(), kZeros.data(), piece.size()) != 0;
      mask |= std::uint64_t{any} << i;
    });
    Put(mask);
    ForEachPiece(group, [this, mask](std::span<const std::byte> piece, std::size_t i) {
      if ((mask >> i & 1) != 0) Append(piece);
    });
  }
}

void ImageWriter::EndBlock() {
  const auto content = std::span(block_).subspan(sizeof(Head));
  const Head head = {content.size(), Xxh3Key(Text(content), chain_)};
  chain_ = head.checksum.low;
  std::memcpy(block_.data(), &head, sizeof head);
  for (std::span<const std::byte> rest = block_; failure_.empty() && !rest.empty();) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written >= 0) {
      rest = rest.subspan(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      failure_ = path_.string() + ": cannot be written: " + std::strerror(errno);
    }
  }
  block_.resize(sizeof(Head));
}

base::Status ImageWriter::Close() {
  if (block_.size() > sizeof(Head)) EndBlock();
  EndBlock();
  if (!failure_.empty()) return base::Fail(failure_);
  return {};
}

ImageReader::ImageReader(const std::filesystem::path& path, std::string_view name)
    : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0) Fail(std::strerror(errno));
  TakeName(name);
}

ImageReader::~ImageReader() {
  if (fd_ >= 0) ::close(fd_);
}

bool ImageReader::Fail(std::string_view why) {
  if (failure_.empty()) failure_ = path_.string() + ": " + std::string(why);
  return false;
}

void ImageReader::TakeName(std::string_view name) {
  if (!NextBlock()) return;
  Key128 key;
  if (block_.size() != sizeof key) {
    Fail(kDamaged);
  } else if (Take(key) && key != Xxh3Key(name)) {
    Fail("was saved under another name, with other options, or by another version");
  }
}

bool ImageReader::TakeBytes(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    if (taken_ == block_.size() && !NextBlock()) return false;
    if (block_.empty()) return Fail(kTooShort);
    const std::size_t some = std::min(bytes.size(), block_.size() - taken_);
    std::memcpy(bytes.data(), block_.data() + taken_, some);
    taken_ += some;
    bytes = bytes.subspan(some);
  }
  return failure_.empty();
}

bool ImageReader::TakeSparse(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const auto group = bytes.first(std::min(bytes.size(), kGroup));
    bytes = bytes.subspan(group.size());
    std::uint64_t mask = 0;
    if (!Take(mask)) return false;
    if (mask == ~std::uint64_t{0}) {
      if (!TakeBytes(group)) return false;
      continue;
    }
    ForEachPiece(group, [this, mask](std::span<std::byte> piece, std::size_t i) {
      if ((mask >> i & 1) != 0) TakeBytes(piece);
    });
  }
  return failure_.empty();
}

// How many of the bytes there are before the file's end; less where it cannot be read, too.
std::size_t ImageReader::Read(std::span<std::byte> bytes) {
  std::size_t size = 0;
  while (size < bytes.size()) {
    const std::span<std::byte> rest = bytes.subspan(size);
    const ssize_t got = ::pread(fd_, rest.data(), rest.size(), static_cast<off_t>(offset_));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) Fail(std::string("cannot be read: ") + std::strerror(errno));
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
    offset_ += static_cast<std::uint64_t>(got);
  }
  return size;
}

// Nothing of a block is given out before all of it is known to be sound. Of the last one that is
// that nothing follows it; it is met as often as it is asked for.
bool ImageReader::NextBlock() {
  if (!failure_.empty()) return false;
  if (ended_) return true;
  Head head;
  const auto head_bytes = std::as_writable_bytes(std::span(&head, 1));
  if (Read(head_bytes) < head_bytes.size()) return Fail(kTooShort);
  if (head.size > kBlockMax) return Fail(kDamaged);
  const auto at = static_cast<off_t>(offset_);
  (void)::posix_fadvise(fd_, at + kAhead, kBlockMax, POSIX_FADV_WILLNEED);
  (void)::posix_fadvise(fd_, 0, at, POSIX_FADV_DONTNEED);
  block_.resize(head.size);
  taken_ = 0;
  if (Read(block_) < block_.size()) return Fail(kTooShort);
  if (Xxh3Key(Text(block_), chain_) != head.checksum) return Fail(kDamaged);
  chain_ = head.checksum.low;
  ended_ = block_.empty();
  std::byte more{};
  if (ended_ && Read({&more, 1}) > 0) return Fail("goes on behind its end");
  return failure_.empty();
}

bool ImageReader::AtEnd() { return taken_ == block_.size() && NextBlock() && block_.empty(); }

tl::unexpected<base::Error> ImageReader::Refusal() const {
  return base::Fail(failure_.empty() ? path_.string() + ": is not what was saved" : failure_);
}

}  // namespace contentseen
