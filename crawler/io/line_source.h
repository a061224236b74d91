#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>

namespace crawler {

/// The lines of a stream, one at a time, for commands that answer a line with a line.
///
///     LineSource lines(stdin);
///     while (std::optional<std::string> line = lines.Next()) Answer(*line);
///
/// A line longer than kLineBytesMax is cut there. CRLF counts as an end of line.
///
/// Thread safety: none. Ownership: the stream must outlive it, and is not closed.
class LineSource {
 public:
  static constexpr std::size_t kLineBytesMax = std::size_t{64} * 1024;

  explicit LineSource(std::FILE* stream) : stream_(stream) {}

  /// Nothing at the end, or when reading failed.
  std::optional<std::string> Next() {
    std::string line;
    int c = std::getc(stream_);
    if (c == EOF) return std::nullopt;
    for (; c != EOF && c != '\n'; c = std::getc(stream_)) {
      if (line.size() < kLineBytesMax) line.push_back(static_cast<char>(c));
    }
    if (line.ends_with('\r')) line.pop_back();
    return line;
  }

 private:
  std::FILE* const stream_;
};

}  // namespace crawler
