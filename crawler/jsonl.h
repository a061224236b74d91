#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"

namespace crawler {

/// The longest line written, and the longest read back.
inline constexpr std::size_t kJsonlLineBytesMax = std::size_t{1} << 20;

/// Appends `text` as a JSON string. What could break a line or mislead a terminal (C0, DEL and C1
/// controls, bidirectional controls, line and paragraph separators) is escaped as \uNNNN; a byte
/// that is not UTF-8 becomes U+FFFD, JSON having no spelling for it.
///
/// Thread safety: pure. Cost: linear.
void AppendJsonText(std::string& out, std::string_view text);

/// One JSON object on one line, field by field.
///
///     JsonLine line;
///     line.Text("url", url);
///     line.Number("depth", depth);
///     writer.Append(line.Finish());
///
/// Thread safety: none.
class JsonLine {
 public:
  void Text(std::string_view key, std::string_view value);
  void Number(std::string_view key, std::uint64_t value);
  void Number(std::string_view key, std::int64_t value);
  /// `json` as it stands. REQUIRES: it is JSON and holds no newline.
  void Raw(std::string_view key, std::string_view json);
  /// With the newline. The object is then to be thrown away.
  std::string Finish();

 private:
  void Key(std::string_view key);

  std::string text_ = "{";
};

/// A file of JSON lines that grows: append-only, one write(2) a line, so that `tail -f` works and
/// no two lines ever mix.
///
///     auto log = JsonlWriter::Open(data / "skipped.jsonl");
///     if (!log) return base::Fail(log.error().message);
///     base::Status written = (*log)->Append(line);
///
/// A process that died in the middle of a line leaves a torn tail: Open() cuts it off, or adds
/// the newline when only that is missing. A line that could not be written whole (disk full) is
/// taken back. The file is locked (flock) against a second writer.
///
/// Thread safety: all methods. Cost: a system call a line.
class JsonlWriter {
 public:
  static base::Result<std::unique_ptr<JsonlWriter>> Open(const std::filesystem::path& path);
  ~JsonlWriter();
  JsonlWriter(const JsonlWriter&) = delete;
  JsonlWriter& operator=(const JsonlWriter&) = delete;

  /// Fails with the file's name and the system's reason; the file is then as it was before.
  /// REQUIRES: `line` ends in its only newline and has at most kJsonlLineBytesMax bytes.
  base::Status Append(std::string_view line) EXCLUDES(mutex_);
  /// What was appended survives a power failure.
  base::Status Sync();

 private:
  JsonlWriter(std::filesystem::path path, int descriptor, std::uint64_t size);

  const std::filesystem::path path_;
  const int descriptor_;
  base::Mutex mutex_;
  std::uint64_t size_ GUARDED_BY(mutex_);  // of whole lines
};

/// Reads such a file from its beginning, also while it is being written.
///
///     auto lines = JsonlReader::Open(path);
///     while (std::optional<JsonlReader::Line> line = lines->Next()) ...
///
/// Thread safety: none. Cost: holds one line and a 64 KiB buffer.
class JsonlReader {
 public:
  struct Line {
    std::size_t number = 0;  // from 1
    /// Without its newline; cut at kJsonlLineBytesMax.
    std::string text;
    bool too_long = false;
  };

  static base::Result<JsonlReader> Open(const std::filesystem::path& path);
  ~JsonlReader();
  JsonlReader(JsonlReader&& other) noexcept;
  JsonlReader& operator=(JsonlReader&&) = delete;

  /// Nothing at the end of the file, or when it cannot be read further: see status().
  std::optional<Line> Next();
  const base::Status& status() const { return status_; }

 private:
  JsonlReader(std::filesystem::path path, int descriptor);
  bool Fill();

  std::filesystem::path path_;
  int descriptor_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of what is unread in buffer_
  std::size_t lines_ = 0;
  base::Status status_;
};

}  // namespace crawler
