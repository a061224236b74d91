#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace crawler {

/// The lines of a stream, one at a time, for commands that answer a line with a line.
///
///     LineSource lines(stdin);
///     while (std::optional<std::string> line = lines.Next()) Answer(*line);
///
/// A line longer than kLineBytesMax is cut there. CRLF counts as an end of line; a byte order mark
/// at the beginning for nothing.
///
/// Thread safety: none. Ownership: the stream must outlive it, and is not closed.
class LineSource {
 public:
  static constexpr std::size_t kLineBytesMax = std::size_t{64} * 1024;

  explicit LineSource(std::FILE* stream) : stream_(stream) {}

  /// Nothing at the end, or when reading failed: see failure().
  std::optional<std::string> Next() {
    std::string line;
    int c = std::getc(stream_);
    if (c == EOF) {
      if (std::ferror(stream_) != 0) failure_ = errno;
      return std::nullopt;
    }
    for (; c != EOF && c != '\n'; c = std::getc(stream_)) {
      if (line.size() < kLineBytesMax) line.push_back(static_cast<char>(c));
    }
    if (line.ends_with('\r')) line.pop_back();
    if (std::exchange(at_beginning_, false) && line.starts_with(kByteOrderMark)) {
      line.erase(0, kByteOrderMark.size());
    }
    return line;
  }
  /// The system's error that ended the lines; 0 when they came to their end.
  int failure() const { return failure_; }

 private:
  static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

  std::FILE* const stream_;
  bool at_beginning_ = true;
  int failure_ = 0;
};

}  // namespace crawler
