#include "crawler/io/log_file.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/sync_directory.h"
#include "base/system_failure.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReadBytes = std::size_t{256} * 1024;

tl::unexpected<base::Error> TooShort(const fs::path& path) {
  return base::Fail(path.string() +
                    ": is shorter than what was written to it: put a copy back, or begin anew "
                    "with --fresh");
}

/// Holds what counts of a file against its checksum.
base::Status Verify(int descriptor, const fs::path& path, const LogPart& committed) {
  std::string buffer(kReadBytes, '\0');
  std::uint32_t crc = 0;
  std::uint64_t done = 0;
  while (done < committed.bytes) {
    const std::size_t want = std::min<std::uint64_t>(buffer.size(), committed.bytes - done);
    const ssize_t got = ::pread(descriptor, buffer.data(), want, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::SystemFailure(path, "cannot be read");
    if (got == 0) return TooShort(path);
    crc = ::libdeflate_crc32(crc, buffer.data(), static_cast<std::size_t>(got));
    done += static_cast<std::uint64_t>(got);
  }
  if (crc == committed.crc) return {};
  return base::Fail(path.string() +
                    ": was changed or damaged since it was written (its checksum "
                    "differs): put a copy back, or begin anew with --fresh");
}

base::Status WriteAt(int descriptor, const fs::path& path, std::uint64_t at,
                     std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return base::SystemFailure(path, "cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(written));
    at += static_cast<std::uint64_t>(written);
  }
  return {};
}

}  // namespace

fs::path LogPartPath(const fs::path& path, std::size_t number) {
  if (number == 1) return path;
  fs::path part = path;
  part.replace_filename(path.stem().string() + "." + std::to_string(number) +
                        path.extension().string());
  return part;
}

base::Status CheckLogPart(const fs::path& file, const LogPart& committed) {
  const base::Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.ok()) return base::SystemFailure(file, "cannot be opened");
  return Verify(opened.get(), file, committed);
}

base::Result<std::unique_ptr<LogFile>> LogFile::Open(const fs::path& path,
                                                     std::vector<LogPart> committed,
                                                     std::uint64_t part_bytes_max) {
  if (committed.empty()) committed.emplace_back();
  std::unique_ptr<LogFile> log(new LogFile(path, part_bytes_max));
  for (std::size_t i = 0; i < committed.size(); ++i) {
    const bool last = i + 1 == committed.size();
    if (auto opened = log->OpenPart(i + 1, committed[i], last); !opened) {
      return base::Fail(opened.error().message);
    }
  }
  std::error_code error;
  for (std::size_t n = committed.size() + 1; fs::remove(LogPartPath(path, n), error); ++n) {
  }
  if (error) return base::Fail(path.string() + ": a part cannot be deleted: " + error.message());
  return log;
}

LogFile::~LogFile() = default;

base::Status LogFile::OpenPart(std::size_t number, const LogPart& committed, bool last) {
  const fs::path path = LogPartPath(path_, number);
  const int create = committed.bytes == 0 ? O_CREAT : 0;
  base::Descriptor opened(::open(path.c_str(), O_RDWR | O_CLOEXEC | create, 0644));
  if (!opened.ok()) return base::SystemFailure(path, "cannot be opened for writing");
  file_ = std::move(opened);
  if (create != 0) named_ = false;
  number_ = next_number_ = number;
  part_ = next_ = committed;
  struct stat about {};
  if (::fstat(file_.get(), &about) != 0) return base::SystemFailure(path, "cannot be examined");
  if (!S_ISREG(about.st_mode)) return base::Fail(path.string() + ": is not a regular file");
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (size < committed.bytes) return TooShort(path);
  if (last) {
    if (auto sound = Verify(file_.get(), path, committed); !sound) return sound;
  }
  if (size == committed.bytes) return {};
  if (::ftruncate(file_.get(), static_cast<off_t>(committed.bytes)) != 0) {
    return base::SystemFailure(path, "what was not committed cannot be cut off");
  }
  return {};
}

base::Status LogFile::Write(std::string_view lines) {
  next_number_ = number_;
  next_ = part_;
  if (lines.empty()) return {};
  if (part_.bytes >= part_bytes_max_) {
    // Sync() will be asked of the next one only.
    if (base::Status synced = Sync(); !synced) return synced;
    if (auto opened = OpenPart(number_ + 1, {}, /*last=*/true); !opened) return opened;
  }
  const fs::path path = LogPartPath(path_, number_);
  if (auto written = WriteAt(file_.get(), path, part_.bytes, lines); !written) {
    // Nothing is lost when this fails too: the next opening cuts.
    if (::ftruncate(file_.get(), static_cast<off_t>(part_.bytes)) != 0) {
      return base::Fail(written.error().message + "; and the torn line cannot be cut off");
    }
    return written;
  }
  next_.bytes += lines.size();
  next_.crc = ::libdeflate_crc32(next_.crc, lines.data(), lines.size());
  return {};
}

base::Status LogFile::Sync() {
  if (::fdatasync(file_.get()) != 0) {
    return base::SystemFailure(LogPartPath(path_, number_), "cannot be synced");
  }
  if (named_) return {};
  base::Status named = base::SyncDirectory(path_.parent_path());
  named_ = named.has_value();
  return named;
}

void LogFile::Commit() {
  number_ = next_number_;
  part_ = next_;
}

}  // namespace crawler
