#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace crawler {

/// A file that is written piece by piece, into a draft beside it that takes its place when it is
/// complete: until then, and where that fails or never comes, what was there stays as it was. A
/// link stays a link, to the new file. What is no regular file (a device, a pipe) is written to as
/// it stands. Failures name the path and the system's reason.
///
///     auto file = WholeFile::Open("texts.jsonl");
///     if (!file) return base::Fail(file.error().message);
///     while (...) if (!(*file)->Write(line)) break;
///     if (auto written = (*file)->Finish(); !written) return written;
///
/// Thread safety: none; one at a time for a path. Cost: one fsync().
class WholeFile {
 public:
  /// `mode` is that of a new file, less the umask.
  static base::Result<std::unique_ptr<WholeFile>> Open(const std::filesystem::path& path,
                                                       mode_t mode = 0666);
  /// Leaves no draft.
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// False where that failed, now or earlier; Finish() says why.
  bool Write(std::string_view bytes);
  /// What was written is all that the path holds. REQUIRES: once, and nothing after it.
  base::Status Finish();

 private:
  WholeFile(std::filesystem::path path, std::filesystem::path target, std::string draft, int file);

  const std::filesystem::path path_;
  const std::filesystem::path target_;  // links followed
  std::string draft_;                   // empty: written as it stands, or finished
  int file_;
  int error_ = 0;
};

/// The same of `bytes` at once.
///
/// Thread safety: any thread, one at a time for a path.
base::Status WriteWholeFile(const std::filesystem::path& path, std::string_view bytes,
                            mode_t mode = 0666);

}  // namespace crawler
