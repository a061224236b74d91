#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "crawler/io/utf8.h"

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
    if (std::exchange(at_beginning_, false)) line = std::string(WithoutByteOrderMark(line));
    return line;
  }
  /// The system's error that ended the lines; 0 when they came to their end.
  int failure() const { return failure_; }

 private:
  std::FILE* const stream_;
  bool at_beginning_ = true;
  int failure_ = 0;
};

/// Gives each line of `stream` to `take`: "TEXT" after `usual`, "BEFORE<tab>TEXT" after its own.
/// Ends when `take` gives false. Fails when a line cannot be read.
inline base::Status ForEachLine(
    std::FILE* stream, const std::string& usual,
    const std::function<bool(const std::string& before, const std::string& text)>& take) {
  LineSource lines(stream);
  while (std::optional<std::string> line = lines.Next()) {
    const std::size_t tab = line->find('\t');
    const bool has_own = tab != std::string::npos;
    if (!take(has_own ? line->substr(0, tab) : usual, has_own ? line->substr(tab + 1) : *line)) {
      return {};
    }
  }
  if (lines.failure() == 0) return {};
  return base::Fail(std::string("cannot read the input: ") + std::strerror(lines.failure()));
}

}  // namespace crawler
