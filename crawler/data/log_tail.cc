#include "crawler/data/log_tail.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "base/system_failure.h"
#include "base/whole_number.h"
#include "crawler/io/jsonl.h"
#include "crawler/io/log_file.h"

namespace crawler {
namespace {

/// Up to `length` bytes from `begin` on.
base::Result<std::string> ReadRange(const std::filesystem::path& path, std::uint64_t begin,
                                    std::size_t length) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::SystemFailure(path, "cannot be opened");
  std::string bytes(length, '\0');
  file.seekg(static_cast<std::streamoff>(begin));
  file.read(bytes.data(), static_cast<std::streamsize>(length));
  if (file.bad()) return base::Fail(path.string() + ": cannot be read");
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return bytes;
}

}  // namespace

std::string LogPosition::Text() const {
  return std::to_string(part) + "-" + std::to_string(offset);
}

std::optional<LogPosition> LogPosition::Parse(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == text.npos) return std::nullopt;
  const auto part = base::WholeNumber<std::size_t>(text.substr(0, dash));
  const auto offset = base::WholeNumber<std::uint64_t>(text.substr(dash + 1));
  constexpr auto kOffsetMax = std::uint64_t{1} << 62;
  if (!part || !offset || *offset > kOffsetMax) return std::nullopt;
  return LogPosition{.part = *part, .offset = *offset};
}

base::Result<std::vector<TailLine>> LastLines(const std::filesystem::path& log,
                                              std::size_t lines_max, std::size_t bytes_max) {
  std::error_code error;
  LogPosition at;
  while (std::filesystem::exists(LogPartPath(log, at.part + 1), error)) ++at.part;
  const std::filesystem::path path = LogPartPath(log, at.part);
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) return base::Fail(path.string() + ": cannot be examined: " + error.message());
  const std::uint64_t begin = size - std::min<std::uint64_t>(size, bytes_max);
  auto bytes = ReadRange(path, begin, static_cast<std::size_t>(size - begin));
  if (!bytes) return base::Fail(bytes.error().message);

  std::vector<TailLine> lines;
  std::string_view rest = *bytes;
  at.offset = begin;
  bool whole = begin == 0;  // else the first line has lost its beginning
  for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
    if (whole) lines.push_back({at, std::string(rest.substr(0, end))});
    whole = true;
    rest.remove_prefix(end + 1);
    at.offset += end + 1;
  }
  if (lines.size() > lines_max) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(lines_max));
  }
  return lines;
}

base::Result<std::optional<std::string>> LineAt(const std::filesystem::path& log,
                                                LogPosition position) {
  const std::filesystem::path path = LogPartPath(log, position.part);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  const std::uint64_t offset = position.offset;
  // The byte before must end another line.
  const std::uint64_t begin = offset == 0 ? 0 : offset - 1;
  auto bytes = ReadRange(path, begin, kJsonlLineBytesMax + 1);
  if (!bytes) return base::Fail(bytes.error().message);
  std::string_view line = *bytes;
  if (offset > 0) {
    if (!line.starts_with('\n')) return std::nullopt;
    line.remove_prefix(1);
  }
  const std::size_t end = line.find('\n');
  if (end == line.npos) return std::nullopt;
  return std::string(line.substr(0, end));
}

}  // namespace crawler
