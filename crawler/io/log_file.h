#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"

namespace crawler {

/// How much of one part of a log counts, and the CRC-32 of that.
struct LogPart {
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;

  friend bool operator==(const LogPart&, const LogPart&) = default;
};

/// The file of part `number` (from 1) of the log at `path`: "pages.jsonl", "pages.2.jsonl", ...
std::filesystem::path LogPartPath(const std::filesystem::path& path, std::size_t number);

/// Reads what counts of a part, and fails when it is missing, shorter, or not what was written.
/// Nothing is changed; somebody may be writing the log meanwhile.
base::Status CheckLogPart(const std::filesystem::path& file, const LogPart& committed);

/// A log of lines that grows by commits: what was written counts only once Commit() was called,
/// and who opens the log later gives the parts that counted then, and finds exactly those.
///
///     auto log = LogFile::Open(data / "skipped.jsonl", parts, part_bytes_max);
///     base::Status written = (*log)->Write(lines);     // may fail, and be repeated
///     ... note (*log)->number() and (*log)->part() where they last ...
///     (*log)->Commit();
///
/// A part that has reached `part_bytes_max` is followed by a new one.
///
/// Thread safety: none. Cost: Write is one write(2); Open reads the last part once.
class LogFile {
 public:
  /// Holds the last part against its checksum and the others against their length, cuts off what
  /// follows that, and deletes parts that are not in `committed`. Fails when a part is missing or
  /// shorter, and when the last one is not what was written: CheckLogPart() tells it of any.
  static base::Result<std::unique_ptr<LogFile>> Open(const std::filesystem::path& path,
                                                     std::vector<LogPart> committed,
                                                     std::uint64_t part_bytes_max);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  /// Writes `lines` after what is committed, in the place of what was written and not committed.
  /// Fails with the file's name and the system's reason.
  base::Status Write(std::string_view lines);
  /// What was written survives a power failure.
  base::Status Sync();
  /// What was written counts.
  void Commit();

  /// The last part, what was written last included.
  std::size_t number() const { return next_number_; }
  const LogPart& part() const { return next_; }

 private:
  LogFile(std::filesystem::path path, std::uint64_t part_bytes_max)
      : path_(std::move(path)), part_bytes_max_(part_bytes_max) {}
  base::Status OpenPart(std::size_t number, const LogPart& committed, bool last);

  const std::filesystem::path path_;
  const std::uint64_t part_bytes_max_;
  bool named_ = true;  // the directory was synced since the last part was made
  base::Descriptor file_{-1};
  std::size_t number_ = 1;  // of the part that file_ is, and what of it counts
  LogPart part_;
  std::size_t next_number_ = 1;  // the same with what was written last
  LogPart next_;
};

}  // namespace crawler
