#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "contentseen/digest.h"

namespace crawler {

/// What an index says of a record.
struct CdxjEntry {
  std::string url;
  base::WallTime time{};
  std::string mime;  // empty where none was named
  int status = 0;
  std::string digest;  // of the payload, labelled
  /// Of the payload's SHA-256, whatever the digest is: what later copies are recognised by.
  contentseen::Key128 payload;
  std::uint64_t offset = 0;  // in the file
  std::uint64_t length = 0;  // of the gzip member
};

/// A revisit record's media type.
inline constexpr char kRevisitMime[] = "warc/revisit";

/// The index of one WARC file in CDXJ: a line a record, sorted by the bytes of SURT key and time,
/// the rest JSON with the keys that replay tools read (docs/warc.md).
///
///     CdxjIndex index("crawl-00001.warc.gz");
///     index.Add(entry);
///     base::Status written = index.Write(folder / "crawl-00001.cdxj");
///
/// Thread safety: none. Cost: the lines are held in memory: about 300 bytes a record.
class CdxjIndex {
 public:
  explicit CdxjIndex(std::string file_name) : file_name_(std::move(file_name)) {}

  /// REQUIRES: `entry.url` is canonical.
  void Add(const CdxjEntry& entry);
  /// Replaces the file at `path` at once. Sorts, and may then be added to again.
  base::Status Write(const std::filesystem::path& path);
  std::size_t memory_bytes() const {
    return lines_.capacity() * sizeof(std::string) + text_bytes_;
  }

 private:
  std::string file_name_;
  std::vector<std::string> lines_;
  std::size_t text_bytes_ = 0;  // of all lines
};

/// Of a line that CdxjIndex wrote, what a crawl that goes on needs, and who checks the file;
/// nothing of any other line.
struct CdxjPayload {
  contentseen::Key128 payload;
  std::string digest;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool may_be_original = false;
};
std::optional<CdxjPayload> ParseCdxjPayload(const std::string& line);

/// Whether later records may refer to this one as the original of their payload: a page that was
/// found, and said something.
bool MayBeOriginal(const CdxjEntry& entry);

}  // namespace crawler
