#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "crawler/data/data_lock.h"
#include "crawler/data/journal.h"
#include "store/store.h"

namespace crawler {

/// The directory where a crawl keeps everything: its lock, its store and its logs.
///
///     auto data = DataDirectory::Open("contentseen-data", {});
///     if (!data) return base::Fail(data.error().message);
///     if ((*data)->resumes()) Restore((*data)->store());
///     Journal journal(options, (*data)->store(), (*data)->TakeLogs(), clock);
///
/// Thread safety: none. Ownership: must outlive what uses its store.
class DataDirectory {
 public:
  /// What to do about an earlier crawl in the directory.
  enum class Earlier : std::uint8_t { kResume, kErase };
  using OpenStore =
      std::function<base::Result<std::unique_ptr<store::Store>>(const std::filesystem::path&)>;

  struct Options {
    Earlier earlier = Earlier::kResume;
    /// A part of a log that has grown so far is followed by a new one; 1 MiB to 1 TiB.
    std::uint64_t log_part_bytes_max = std::uint64_t{1} << 30;
    /// For the store, of 64 MiB and more.
    std::uint64_t memory_bytes = std::uint64_t{64} << 20;
    /// Opens the store; empty: in RocksDB. For tests.
    OpenStore open_store = {};
  };

  /// Makes the directory where it is missing. Fails when another process uses it, when what it
  /// holds is damaged or of another version, or files of a crawl without its store, or when it
  /// cannot be written. kErase deletes what crawls write, where one IsThere().
  static base::Result<std::unique_ptr<DataDirectory>> Open(const std::string& directory,
                                                           const Options& options);
  /// Whether `directory` holds what a crawl wrote.
  static bool IsThere(const std::string& directory);

  /// An earlier crawl is there, to be continued.
  bool resumes() const { return resumes_; }
  /// Fails where the directory was moved or deleted since it was opened (see DataLock).
  base::Status CheckHeld() const { return lock_->CheckHeld(); }
  store::Store& store() { return *store_; }
  /// REQUIRES: once.
  LogFiles TakeLogs() { return std::move(logs_); }

 private:
  explicit DataDirectory(std::unique_ptr<DataLock> lock) : lock_(std::move(lock)) {}
  base::Status OpenStoreIn(const std::filesystem::path& directory, const Options& options);
  base::Status BeginOrResume(const std::string& directory);
  base::Status OpenLogs(const std::filesystem::path& directory, std::uint64_t part_bytes_max);

  const std::unique_ptr<DataLock> lock_;
  std::unique_ptr<store::Store> store_;
  LogFiles logs_;
  bool resumes_ = false;
};

}  // namespace crawler
