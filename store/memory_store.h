#pragma once

#include <array>
#include <map>
#include <string>

#include "base/mutex.h"
#include "store/store.h"

namespace store {

/// A store that ends with its process, for tests and for crawls that keep nothing.
///
/// Thread safety: all methods. Cost: a Read() copies what it will give.
class MemoryStore final : public Store {
 public:
  base::Status Write(const Batch& batch, Durability durability) override EXCLUDES(mutex_);
  base::Result<std::optional<std::string>> Get(Table table, std::string_view key) const override
      EXCLUDES(mutex_);
  std::unique_ptr<Cursor> Read(Table table, std::string_view from,
                               std::string_view until) const override EXCLUDES(mutex_);

 private:
  using Rows = std::map<std::string, std::string, std::less<>>;

  mutable base::Mutex mutex_;
  std::array<Rows, kTables> tables_ GUARDED_BY(mutex_);
};

}  // namespace store
