#include "crawler/data/data_format.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "base/bytes.h"
#include "base/entries_of.h"

namespace crawler {
namespace {

using store::Table;

constexpr std::string_view kFormatKey = "format";
constexpr std::string_view kLogPrefix = "log:";

std::string LogKey(Log log, std::size_t part) {
  std::string key(kLogPrefix);
  key.append(Name(log)).append(":");
  base::AppendBigEndian(part, key, 4);
  return key;
}

}  // namespace

std::filesystem::path StorePath(const std::string& directory) {
  return std::filesystem::path(directory) / "store";
}

std::vector<std::string> LogsIn(const std::string& directory) {
  std::vector<std::string> logs;
  const auto paths = base::EntriesOf(directory);
  if (!paths) return logs;  // who reads them says what is wrong with the directory
  for (const std::filesystem::path& path : *paths) {
    if (path.extension() == ".jsonl") logs.push_back(path.string());
  }
  return logs;
}

base::Result<bool> HasBegun(const std::string& directory, const store::Store& store) {
  auto format = store.Get(Table::kAbout, kFormatKey);
  if (!format) return base::Fail(format.error().message);
  if (!*format) return false;
  if (**format == kFormatVersion) return true;
  return base::Fail(directory + " holds a crawl in format " + **format + ", and this program " +
                    "knows format " + std::string(kFormatVersion) +
                    ": continue it with the program that began it, or choose another --data");
}

void PutFormat(store::Batch& batch) { batch.Put(Table::kAbout, kFormatKey, kFormatVersion); }

base::Result<std::vector<LogPart>> CommittedParts(const store::Store& store, Log log) {
  std::vector<LogPart> parts;
  for (std::size_t n = 1;; ++n) {
    auto value = store.Get(Table::kAbout, LogKey(log, n));
    if (!value) return base::Fail(value.error().message);
    if (!*value) return parts;
    base::ByteReader reader(**value);
    LogPart part;
    part.bytes = reader.BigEndian();
    part.crc = static_cast<std::uint32_t>(reader.BigEndian(4));
    if (!reader.AtEnd()) return base::Fail("the length of a log is none");
    parts.push_back(part);
  }
}

void PutLogPart(Log log, const LogFile& file, store::Batch& batch) {
  std::string value;
  base::AppendBigEndian(file.part().bytes, value);
  base::AppendBigEndian(file.part().crc, value, 4);
  batch.Put(Table::kAbout, LogKey(log, file.number()), value);
}

}  // namespace crawler
