#include "crawler/crawl/data_directory.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/entries_of.h"
#include "base/sync_directory.h"
#include "crawler/crawl/seen_image.h"
#include "crawler/data/data_format.h"
#include "crawler/pipeline/suspects.h"
#include "crawler/warc/page_archive.h"
#include "store/rocks_store.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;
// Where versions before the first one that could be resumed kept texts.
constexpr const char* kOldTexts = "texts";

base::Status Erase(const std::string& directory) {
  std::vector<fs::path> paths = {
      StorePath(directory), fs::path(directory) / kOldTexts, fs::path(directory) / kWarcFolder,
      fs::path(directory) / kSeenImageFolder, fs::path(directory) / kWorkingName};
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

bool HoldsArchive(const fs::path& directory) {
  const auto paths = base::EntriesOf(directory / kWarcFolder);
  if (!paths) return false;  // a folder that cannot be read cannot be written either
  return std::any_of(paths->begin(), paths->end(),
                     [](const fs::path& path) { return path.string().ends_with(".warc.gz"); });
}

// A crawl that begins cuts what does not count off its files: it must not meet those of another.
base::Status HoldsNoOther(const fs::path& directory) {
  for (std::size_t i = 0; i < kLogs; ++i) {
    const fs::path path = directory / Name(static_cast<Log>(i));
    std::error_code error;
    if (fs::exists(path, error) && fs::file_size(path, error) > 0) {
      return base::Fail(directory.string() +
                        " holds the logs of a crawl that cannot be continued, without "
                        "its store: choose another --data, or --fresh to delete it");
    }
  }
  if (!HoldsArchive(directory)) return {};
  return base::Fail((directory / kWarcFolder).string() +
                    " holds the WARC files of another crawl: move them away, or choose another "
                    "--data");
}

}  // namespace

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
  if (options.earlier == Earlier::kErase && IsThere(directory)) {
    if (auto erased = Erase(directory); !erased) return base::Fail(erased.error().message);
  }
  std::unique_ptr<DataDirectory> data(new DataDirectory(std::move(*lock)));
  std::error_code ignored;  // shows when the store is opened
  base::Status opened;
  const bool is_new = !options.open_store && !fs::exists(StorePath(directory), ignored);
  if (is_new) opened = HoldsNoOther(directory);
  if (opened) opened = data->OpenStoreIn(directory, options);
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
  auto begun = HasBegun(directory, *store_);
  if (!begun) return base::Fail(begun.error().message);
  resumes_ = *begun;
  if (resumes_) return {};
  if (auto alone = HoldsNoOther(directory); !alone) return alone;
  store::Batch first;
  PutFormat(first);
  base::Status written = store_->Write(first, store::Durability::kPower);
  if (written) written = base::SyncDirectory(directory);
  std::error_code ignored;  // there is one, and it was just used
  // The directory's own name, as far as the one above can be synced: it may not be ours to read.
  static_cast<void>(base::SyncDirectory(fs::canonical(directory, ignored).parent_path()));
  return written;
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
