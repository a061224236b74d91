#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "store/store.h"

namespace tests {

/// A store whose writes fail where a test says so. What is underneath outlives it, as a disk does.
///
/// Thread safety: as that of what is underneath; `fails` is called by one thread at a time.
class FaultStore final : public store::Store {
 public:
  /// Says of the n-th write (from 1) whether it fails.
  using Fails = std::function<bool(std::uint64_t nth)>;

  FaultStore(std::shared_ptr<store::Store> disk, Fails fails)
      : disk_(std::move(disk)), fails_(std::move(fails)) {}

  base::Status Write(const store::Batch& batch, store::Durability durability) override {
    {
      std::lock_guard lock(mutex_);
      if (fails_(++writes_)) return base::Fail("the disk is full, says the test");
    }
    return disk_->Write(batch, durability);
  }
  base::Result<std::optional<std::string>> Get(store::Table table,
                                               std::string_view key) const override {
    return disk_->Get(table, key);
  }
  std::unique_ptr<store::Cursor> Read(store::Table table, std::string_view from,
                                      std::string_view until) const override {
    return disk_->Read(table, from, until);
  }

 private:
  const std::shared_ptr<store::Store> disk_;
  std::mutex mutex_;
  const Fails fails_;
  std::uint64_t writes_ = 0;
};

}  // namespace tests
