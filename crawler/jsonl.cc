#include "crawler/jsonl.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/check.h"
#include "crawler/utf8.h"

namespace crawler {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} * 1024;

tl::unexpected<base::Error> SystemFailure(const std::filesystem::path& path, const char* what) {
  return base::Fail(path.string() + ": " + what + ": " + std::strerror(errno));
}

/// Closes what was opened when the way out is early.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

void AppendEscape(std::string& out, char32_t c) {
  char text[8];
  std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(c));
  out += text;
}

/// The bytes of `path` from `begin` to `end`.
base::Result<std::string> ReadRange(int descriptor, const std::filesystem::path& path,
                                    std::uint64_t begin, std::uint64_t end) {
  std::string bytes(end - begin, '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    ssize_t got = ::pread(descriptor, bytes.data() + have, bytes.size() - have,
                          static_cast<off_t>(begin + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemFailure(path, "cannot be read");
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

/// Makes the file end in a newline, or be empty; gives its size.
base::Result<std::uint64_t> RepairTail(int descriptor, const std::filesystem::path& path) {
  struct stat about {};
  if (::fstat(descriptor, &about) != 0) return SystemFailure(path, "cannot be examined");
  if (!S_ISREG(about.st_mode)) return base::Fail(path.string() + ": is not a regular file");
  auto size = static_cast<std::uint64_t>(about.st_size);
  std::uint64_t begin = size - std::min<std::uint64_t>(size, kJsonlLineBytesMax + 1);
  base::Result<std::string> tail = ReadRange(descriptor, path, begin, size);
  if (!tail) return base::Fail(tail.error().message);
  if (tail->empty() || tail->back() == '\n') return size;

  std::size_t newline = tail->rfind('\n');
  if (newline == tail->npos && begin > 0) {
    return base::Fail(path.string() +
                      ": its last line has more than 1 MiB, so it is not a log of "
                      "this program: move it away");
  }
  std::size_t torn = newline == tail->npos ? 0 : newline + 1;
  if (nlohmann::json::accept(tail->begin() + static_cast<std::ptrdiff_t>(torn), tail->end())) {
    if (::write(descriptor, "\n", 1) != 1) return SystemFailure(path, "cannot be written");
    return size + 1;
  }
  if (::ftruncate(descriptor, static_cast<off_t>(begin + torn)) != 0) {
    return SystemFailure(path, "its torn last line cannot be cut off");
  }
  return begin + torn;
}

}  // namespace

void AppendJsonText(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    CodePoint c = FirstCodePoint(text);
    if (!c.valid) {
      out += "\xef\xbf\xbd";  // U+FFFD
    } else if (c.value == '"' || c.value == '\\') {
      out += '\\';
      out += static_cast<char>(c.value);
    } else if (c.value == '\n') {
      out += "\\n";
    } else if (c.value == '\t') {
      out += "\\t";
    } else if (IsUnsafeToPrint(c.value)) {
      AppendEscape(out, c.value);
    } else {
      out.append(text.substr(0, c.bytes));
    }
    text.remove_prefix(c.bytes);
  }
  out += '"';
}

void JsonLine::Key(std::string_view key) {
  if (text_.size() > 1) text_ += ',';
  AppendJsonText(text_, key);
  text_ += ':';
}

void JsonLine::Text(std::string_view key, std::string_view value) {
  Key(key);
  AppendJsonText(text_, value);
}

void JsonLine::Number(std::string_view key, std::uint64_t value) {
  Key(key);
  text_ += std::to_string(value);
}

void JsonLine::Number(std::string_view key, std::int64_t value) {
  Key(key);
  text_ += std::to_string(value);
}

void JsonLine::Raw(std::string_view key, std::string_view json) {
  Key(key);
  text_ += json;
}

std::string JsonLine::Finish() {
  text_ += "}\n";
  return std::move(text_);
}

base::Result<std::unique_ptr<JsonlWriter>> JsonlWriter::Open(const std::filesystem::path& path) {
  Descriptor descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (descriptor.get() < 0) return SystemFailure(path, "cannot be opened for writing");
  if (::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return base::Fail(path.string() +
                        ": another crawl is writing it; wait for its end or choose "
                        "another data directory (--data)");
    }
    return SystemFailure(path, "cannot be locked");
  }
  base::Result<std::uint64_t> size = RepairTail(descriptor.get(), path);
  if (!size) return base::Fail(size.error().message);
  return std::unique_ptr<JsonlWriter>(new JsonlWriter(path, descriptor.Release(), *size));
}

JsonlWriter::JsonlWriter(std::filesystem::path path, int descriptor, std::uint64_t size)
    : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

JsonlWriter::~JsonlWriter() { ::close(descriptor_); }

base::Status JsonlWriter::Append(std::string_view line) {
  CHECK(!line.empty() && line.find('\n') == line.size() - 1);
  CHECK(line.size() <= kJsonlLineBytesMax);
  base::MutexLock lock(mutex_);
  ssize_t written = 0;
  do {
    written = ::write(descriptor_, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(line.size())) {
    size_ += line.size();
    return {};
  }
  // Part of it went out: the disk is full, or a limit on the file's size was met.
  if (written >= 0) errno = ENOSPC;
  base::Status failure = SystemFailure(path_, "cannot be written");
  if (written > 0 && ::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) {
    return base::Fail(failure.error().message +
                      "; and its torn last line cannot be cut off: " + std::strerror(errno));
  }
  return failure;
}

base::Status JsonlWriter::Sync() {
  if (::fdatasync(descriptor_) != 0) return SystemFailure(path_, "cannot be synced");
  return {};
}

base::Result<JsonlReader> JsonlReader::Open(const std::filesystem::path& path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SystemFailure(path, "cannot be opened");
  return JsonlReader(path, descriptor);
}

JsonlReader::JsonlReader(std::filesystem::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

JsonlReader::JsonlReader(JsonlReader&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      lines_(other.lines_),
      status_(std::move(other.status_)) {}

JsonlReader::~JsonlReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool JsonlReader::Fill() {
  if (!status_) return false;
  buffer_.resize(kReadBytes);
  begin_ = 0;
  ssize_t got = 0;
  do {
    got = ::read(descriptor_, buffer_.data(), buffer_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) status_ = SystemFailure(path_, "cannot be read");
  buffer_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return got > 0;
}

std::optional<JsonlReader::Line> JsonlReader::Next() {
  Line line{.number = lines_ + 1, .text = {}};
  while (begin_ < buffer_.size() || Fill()) {
    std::size_t newline = buffer_.find('\n', begin_);
    std::size_t end = std::min(newline, buffer_.size());
    std::size_t room = kJsonlLineBytesMax - line.text.size();
    line.text.append(buffer_, begin_, std::min(end - begin_, room));
    line.too_long = line.too_long || end - begin_ > room;
    begin_ = end + (newline == buffer_.npos ? 0 : 1);
    if (newline != buffer_.npos) {
      lines_ += 1;
      return line;
    }
  }
  if (line.text.empty()) return std::nullopt;
  lines_ += 1;
  return line;
}

}  // namespace crawler
