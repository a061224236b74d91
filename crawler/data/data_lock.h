#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"

namespace crawler {

/// Who holds it alone may write a data directory: an flock on DATA/lock, which the system takes
/// back when its process ends, however it ends.
///
///     auto lock = DataLock::Take("contentseen-data");
///     if (!lock) return base::Fail(lock.error().message);   // names the owner's process
///
/// Thread safety: none.
class DataLock {
 public:
  /// Makes the directory where it is missing. Fails when another process (or another lock of
  /// this one) holds it.
  static base::Result<std::unique_ptr<DataLock>> Take(const std::string& directory);
  /// The process that holds it at this moment, if one does; 0 where that is known, but not which.
  /// Changes nothing.
  static std::optional<int> Owner(const std::string& directory);
  /// Fails where the directory was moved or deleted meanwhile, maybe replaced: then it keeps
  /// nobody out of what stands in its place. Cost: two system calls.
  base::Status CheckHeld() const;
  ~DataLock();
  DataLock(const DataLock&) = delete;
  DataLock& operator=(const DataLock&) = delete;

 private:
  DataLock(std::string directory, int descriptor)
      : directory_(std::move(directory)), descriptor_(descriptor) {}
  const std::string directory_;
  const int descriptor_;
};

/// Name of the file in a data directory.
inline constexpr char kLockName[] = "lock";

}  // namespace crawler
