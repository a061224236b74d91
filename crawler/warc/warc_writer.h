#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "contentseen/digest_map.h"
#include "crawler/warc/cdxj.h"
#include "crawler/warc/warc_reader.h"
#include "crawler/warc/warc_record.h"

namespace crawler {

/// Where a series of WARC files is to be written.
struct WarcWriterOptions {
  std::filesystem::path directory;
  /// A file that has reached it is followed by a new one; 1 MiB to 64 GiB.
  std::uint64_t file_bytes_max = std::uint64_t{1} << 30;
  WarcDigest digest = WarcDigest::kSha1;
  /// Named fields of the warcinfo record at the beginning of each file.
  WarcFields about = {};
};

/// How far a series was written: `bytes` of file `number` (from 1); what comes later does not
/// count. {0, 0}: nothing.
struct WarcPosition {
  std::uint32_t number = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const WarcPosition&, const WarcPosition&) = default;
};

/// A record that later ones may refer to.
struct WarcOriginal {
  std::string id;
  std::string url;
  std::string date;
};

/// A record ready for its file.
struct WarcMember {
  std::string bytes;  // one gzip member
  /// Nothing: not indexed. Offset and length are filled in by the writer.
  std::optional<CdxjEntry> entry = std::nullopt;
};

/// The number in "contentseen-20260101000000-00001.warc.gz", with or without ".open"; nothing of
/// another name.
std::optional<std::uint32_t> WarcFileNumber(std::string_view name);

/// The index of a finished file.
std::filesystem::path WarcIndexPath(const std::filesystem::path& finished);
/// The file of an index, with its number; nothing of another name.
std::optional<std::pair<std::uint32_t, std::filesystem::path>> IndexedWarcFile(
    const std::filesystem::path& index);

/// Whether a run left a file in `directory` that it did not finish. What cannot be read has none.
bool HasUnfinishedWarcFile(const std::filesystem::path& directory);

/// For reading our own files, whose bodies the fetcher has bounded.
inline constexpr WarcReaderOptions kOwnWarcFiles{
    .block_bytes_max = (std::size_t{1} << 30) + (1U << 20),
    .head_bytes_max = std::size_t{1} << 20};

/// Writes a series of WARC files, one gzip member a record: NAME-00001.warc.gz, -00002 ... The
/// file being written is called *.open; when it is full or the series is closed it gets its name
/// and an index beside it, NAME-00001.cdxj.
///
///     auto writer = WarcWriter::Open({.directory = "data/warc"}, clock, position);
///     auto written = (*writer)->Append({response, request});      // side by side in one file
///     if (auto closed = (*writer)->Close(); !closed) return closed;
///
/// After a crash: opened with the position that counts, it cuts the series back to that, whatever
/// was written behind it; opened without, it cuts a torn record off the last file's end and goes
/// on there. It remembers the payloads of all files, so that a copy can refer to its original; but
/// not those whose records name another kind of digest than WarcWriterOptions::digest.
///
/// Thread safety: all methods. Cost: Append is one pwrite(2) under a lock; memory: 40 bytes for
/// each different payload of the series, and 300 for each record of the file being written.
class WarcWriter {
 public:
  static base::Result<std::unique_ptr<WarcWriter>> Open(
      const WarcWriterOptions& options, const base::Clock& clock,
      std::optional<WarcPosition> position = std::nullopt);
  ~WarcWriter();
  WarcWriter(const WarcWriter&) = delete;
  WarcWriter& operator=(const WarcWriter&) = delete;

  /// Puts the members into one file, next to one another. Fails with the file's name and the
  /// system's reason; the series is then as it was before. With `unless_known` it writes nothing,
  /// and gives false, when a record with the first entry's payload was written before.
  base::Result<bool> Append(const std::vector<WarcMember>& members, bool unless_known)
      EXCLUDES(mutex_);

  /// The first record written with that payload, read back from its file; nothing when there is
  /// none, or its file is gone.
  std::optional<WarcOriginal> Original(const contentseen::Key128& payload) const EXCLUDES(mutex_);

  /// All that was appended.
  WarcPosition position() const EXCLUDES(mutex_);
  /// Of the payloads remembered, and of the index of the file being written.
  std::size_t memory_bytes() const EXCLUDES(mutex_);
  /// What was appended survives a power failure. Fails where it may not, and then no Append(),
  /// Sync() or Close() succeeds any more.
  base::Status Sync() EXCLUDES(mutex_);
  /// Gives the last file its name and index. What is appended later goes into a new file.
  base::Status Close() EXCLUDES(mutex_);

 private:
  struct File {
    std::filesystem::path path;
    bool open = false;
  };

  WarcWriter(const WarcWriterOptions& options, const base::Clock& clock);
  base::Status Recover(std::optional<WarcPosition> position) EXCLUDES(mutex_);
  base::Status FindFiles() REQUIRES(mutex_);
  base::Status CutTo(const WarcPosition& position) REQUIRES(mutex_);
  base::Status Reopen(std::uint32_t number, bool committed) REQUIRES(mutex_);
  base::Status Scan(std::uint32_t number, std::uint64_t& whole_bytes) REQUIRES(mutex_);
  base::Status Remember(std::uint32_t number) REQUIRES(mutex_);
  base::Status Begin() REQUIRES(mutex_);
  base::Status Write(std::string_view bytes) REQUIRES(mutex_);
  base::Status Finish() REQUIRES(mutex_);
  base::Status NotSynced(const std::filesystem::path& path) REQUIRES(mutex_);
  void Index(CdxjEntry entry) REQUIRES(mutex_);
  void Learn(const contentseen::Key128& payload, std::string_view digest, std::uint32_t number,
             std::uint64_t offset);
  std::filesystem::path PathOf(std::uint32_t number) const EXCLUDES(mutex_);

  const WarcWriterOptions options_;
  const base::Clock& clock_;
  // By payload: number of the file and offset in it, packed.
  contentseen::DigestMap<std::uint64_t> originals_;

  mutable base::Mutex mutex_;
  std::map<std::uint32_t, File> files_ GUARDED_BY(mutex_);
  // The file being written or looked through, the last but for looking; -1: none is open.
  std::uint32_t number_ GUARDED_BY(mutex_) = 0;
  int descriptor_ GUARDED_BY(mutex_) = -1;
  std::uint64_t bytes_ GUARDED_BY(mutex_) = 0;
  CdxjIndex index_ GUARDED_BY(mutex_);
  base::Status synced_ GUARDED_BY(mutex_);
  bool named_ GUARDED_BY(mutex_) = true;  // the directory was synced since the last file was made
};

}  // namespace crawler
