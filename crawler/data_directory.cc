#include "crawler/data_directory.h"

#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "crawler/page_archive.h"
#include "crawler/seen_image.h"
#include "crawler/suspects.h"
#include "store/rocks_store.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;
using store::Table;

// Of the tables and logs, as docs/formats.md describes them.
constexpr std::string_view kFormatVersion = "2";
constexpr std::string_view kFormatKey = "format";
constexpr std::string_view kLogPrefix = "log:";
// Where versions before the first one that could be resumed kept texts.
constexpr const char* kOldTexts = "texts";

std::string LogKey(Log log, std::size_t part) {
  std::string key(kLogPrefix);
  key.append(Name(log)).append(":");
  base::AppendBigEndian(part, key, 4);
  return key;
}

base::Status Erase(const std::string& directory) {
  std::vector<fs::path> paths = {StorePath(directory), fs::path(directory) / kOldTexts,
                                 fs::path(directory) / kWarcFolder,
                                 fs::path(directory) / kSeenImageFolder,
                                 fs::path(directory) / kWorkingName};
  std::error_code error;
  for (std::size_t i = 0; i < kLogs; ++i) {
    const fs::path path = fs::path(directory) / Name(static_cast<Log>(i));
    paths.push_back(path);
    for (std::size_t n = 2; fs::exists(LogPartPath(path, n), error); ++n) {
      paths.push_back(LogPartPath(path, n));
    }
  }
  for (const fs::path& path : paths) {
    fs::remove_all(path, error);
    if (error) return base::Fail("cannot delete " + path.string() + ": " + error.message());
  }
  return {};
}

}  // namespace

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

base::Status CheckFormat(const std::string& directory, const store::Store& store) {
  auto format = store.Get(Table::kAbout, kFormatKey);
  if (!format) return base::Fail(format.error().message);
  if (!*format || **format == kFormatVersion) return {};
  return base::Fail(directory + " holds a crawl in format " + **format + ", and this program " +
                    "knows format " + std::string(kFormatVersion) +
                    ": continue it with the program that began it, or choose another --data");
}

fs::path StorePath(const std::string& directory) { return fs::path(directory) / "store"; }

void PutLogPart(Log log, const LogFile& file, store::Batch& batch) {
  std::string value;
  base::AppendBigEndian(file.part().bytes, value);
  base::AppendBigEndian(file.part().crc, value, 4);
  batch.Put(Table::kAbout, LogKey(log, file.number()), value);
}

bool DataDirectory::IsThere(const std::string& directory) {
  std::error_code error;
  for (std::size_t i = 0; i < kLogs; ++i) {
    if (fs::exists(fs::path(directory) / Name(static_cast<Log>(i)), error)) return true;
  }
  return fs::exists(StorePath(directory), error);
}

base::Result<std::unique_ptr<DataDirectory>> DataDirectory::Open(const std::string& directory,
                                                                 const Options& options) {
  auto lock = DataLock::Take(directory);
  if (!lock) return base::Fail(lock.error().message);
  if (options.earlier == Earlier::kErase) {
    if (auto erased = Erase(directory); !erased) return base::Fail(erased.error().message);
  }
  std::unique_ptr<DataDirectory> data(new DataDirectory(std::move(*lock)));
  base::Status opened = data->OpenStoreIn(directory, options);
  if (opened) opened = data->BeginOrResume(directory);
  if (opened) opened = data->OpenLogs(directory, options.log_part_bytes_max);
  if (!opened) return base::Fail(opened.error().message);
  return data;
}

base::Status DataDirectory::OpenStoreIn(const fs::path& directory, const Options& options) {
  const fs::path path = StorePath(directory.string());
  auto opened = options.open_store
                    ? options.open_store(path)
                    : store::OpenRocksStore(
                          path, {.memory_bytes = static_cast<std::size_t>(options.memory_bytes)});
  if (!opened) return base::Fail(opened.error().message);
  store_ = std::move(*opened);
  return {};
}

base::Status DataDirectory::BeginOrResume(const std::string& directory) {
  if (auto known = CheckFormat(directory, *store_); !known) return known;
  auto format = store_->Get(Table::kAbout, kFormatKey);
  if (!format) return base::Fail(format.error().message);
  resumes_ = format->has_value();
  if (resumes_) return {};
  for (std::size_t i = 0; i < kLogs; ++i) {
    const fs::path path = fs::path(directory) / Name(static_cast<Log>(i));
    std::error_code error;
    if (fs::exists(path, error) && fs::file_size(path, error) > 0) {
      return base::Fail(directory +
                        " holds the logs of a crawl that cannot be continued, without "
                        "its store: choose another --data, or --fresh to delete it");
    }
  }
  store::Batch first;
  first.Put(Table::kAbout, kFormatKey, kFormatVersion);
  return store_->Write(first, store::Durability::kPower);
}

base::Status DataDirectory::OpenLogs(const fs::path& directory, std::uint64_t part_bytes_max) {
  for (std::size_t i = 0; i < kLogs; ++i) {
    const auto log = static_cast<Log>(i);
    auto parts = CommittedParts(*store_, log);
    if (!parts) return base::Fail(parts.error().message);
    auto file = LogFile::Open(directory / Name(log), std::move(*parts), part_bytes_max);
    if (!file) return base::Fail(file.error().message);
    logs_[i] = std::move(*file);
  }
  return {};
}

}  // namespace crawler
