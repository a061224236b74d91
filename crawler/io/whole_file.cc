#include "crawler/io/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

#include "base/system_failure.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;

// Other people's files of that name are passed over.
constexpr int kDraftsMax = 100;

constexpr char kFailed[] = "cannot be written";

// Links followed, so that not the link is replaced but what it leads to.
fs::path Target(const fs::path& path) {
  std::error_code error;
  fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target;
}

}  // namespace

base::Result<std::unique_ptr<WholeFile>> WholeFile::Open(const fs::path& path, mode_t mode) {
  struct stat found {};
  const bool as_it_stands = ::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
  const fs::path target = Target(path);
  std::string draft;
  int file = -1;
  if (as_it_stands) file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  for (int i = 0; file < 0 && !as_it_stands && i < kDraftsMax; ++i) {
    draft = target.string() + ".part" + (i == 0 ? "" : std::to_string(i));
    file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0 && errno != EEXIST) break;
  }
  if (file < 0) return base::SystemFailure(path, kFailed);
  return std::unique_ptr<WholeFile>(new WholeFile(path, target, std::move(draft), file));
}

WholeFile::WholeFile(fs::path path, fs::path target, std::string draft, int file)
    : path_(std::move(path)), target_(std::move(target)), draft_(std::move(draft)), file_(file) {}

WholeFile::~WholeFile() {
  if (file_ >= 0) ::close(file_);
  if (!draft_.empty()) ::unlink(draft_.c_str());
}

bool WholeFile::Write(std::string_view bytes) {
  while (error_ == 0 && !bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  return error_ == 0;
}

base::Status WholeFile::Finish() {
  if (error_ == 0 && !draft_.empty() && ::fsync(file_) != 0) error_ = errno;
  if (::close(std::exchange(file_, -1)) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0 && !draft_.empty() && ::rename(draft_.c_str(), target_.c_str()) != 0) {
    error_ = errno;
  }
  if (error_ != 0) return base::SystemFailure(path_, kFailed, error_);
  draft_.clear();
  return {};
}

base::Status WriteWholeFile(const fs::path& path, std::string_view bytes, mode_t mode) {
  auto file = WholeFile::Open(path, mode);
  if (!file) return base::Fail(file.error().message);
  (*file)->Write(bytes);
  return (*file)->Finish();
}

}  // namespace crawler
