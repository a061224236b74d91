#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
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

/// Reads a file of JSON lines from its beginning, also while it is being written, and then the
/// parts that follow it (log_file.h).
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

  /// Reads `bytes_max` of all parts together at most: for who wants only what counted at a moment.
  static base::Result<JsonlReader> Open(
      const std::filesystem::path& path,
      std::uint64_t bytes_max = std::numeric_limits<std::uint64_t>::max());

  /// Nothing at the end of the file, or when it cannot be read further: see status().
  std::optional<Line> Next();
  const base::Status& status() const { return status_; }

 private:
  JsonlReader(std::filesystem::path path, base::Descriptor file, std::uint64_t bytes_max);
  bool Fill();
  bool OpenNextPart();

  std::filesystem::path path_;  // of the first part
  std::size_t part_ = 1;
  base::Descriptor file_;
  std::uint64_t left_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of what is unread in buffer_
  std::size_t lines_ = 0;
  base::Status status_;
};

}  // namespace crawler
