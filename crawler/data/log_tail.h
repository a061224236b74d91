#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace crawler {

/// Where a line of a log begins, which names it for good: logs only grow, in parts
/// (LogPartPath()).
struct LogPosition {
  std::size_t part = 1;
  std::uint64_t offset = 0;

  /// "1-4711", and back; nothing for any other text.
  std::string Text() const;
  static std::optional<LogPosition> Parse(std::string_view text);

  friend bool operator==(const LogPosition&, const LogPosition&) = default;
};

struct TailLine {
  LogPosition position;
  std::string text;  // without its newline
};

/// The last lines of a log that grows, oldest first: at most `lines_max`, of the last `bytes_max`
/// bytes of its last part. A line still being written is left out. Fails when the file cannot be
/// read.
///
/// Thread safety: yes, also beside the log's writer. Cost: reads bytes_max bytes at most.
base::Result<std::vector<TailLine>> LastLines(const std::filesystem::path& log,
                                              std::size_t lines_max, std::size_t bytes_max);

/// The line that begins at `position`; nothing when none does.
base::Result<std::optional<std::string>> LineAt(const std::filesystem::path& log,
                                                LogPosition position);

}  // namespace crawler
