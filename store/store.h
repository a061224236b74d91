#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/batch.h"
#include "store/table.h"

namespace store {

/// What a write survives once it has returned.
enum class Durability {
  kProcess,  // the death of this process, e.g. by kill -9
  kPower,    // also that of the machine
};

/// Goes through a part of one table in the order of its keys, over what the table held when it was
/// made.
///
///     auto cursor = store.Read(Table::kQueue, from, until);
///     for (; cursor->Valid(); cursor->Next()) Use(cursor->key(), cursor->value());
///     if (!cursor->status()) return cursor->status();
///
/// Thread safety: none. Ownership: must not outlive its store.
class Cursor {
 public:
  virtual ~Cursor() = default;
  /// False at the end, and when reading failed: see status().
  virtual bool Valid() const = 0;
  /// REQUIRES: Valid(), as for value(). Views that the next Next() ends.
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  virtual void Next() = 0;
  virtual base::Status status() const = 0;
};

/// Ordered tables of byte strings that outlive the process, changed by atomic batches.
///
/// Promises: a reader sees all of a batch or nothing of it, and so does who opens the store after
/// a crash; what a crash takes is a tail of the batches written; bytes that were damaged on disk
/// are reported and never given out.
/// Thread safety: all methods.
class Store {
 public:
  virtual ~Store() = default;

  /// Fails with the system's reason; nothing of the batch is then to be found, and the call may be
  /// repeated (a full disk may have got room).
  virtual base::Status Write(const Batch& batch, Durability durability) = 0;
  /// From now on: for what is kept in memory of changes and of what was read. A hint.
  virtual void SetMemory(std::size_t /*bytes*/) {}
  /// Nothing when there is no such key.
  virtual base::Result<std::optional<std::string>> Get(Table table,
                                                       std::string_view key) const = 0;
  /// The keys in [from, until); an empty `until` is the end of the table.
  virtual std::unique_ptr<Cursor> Read(Table table, std::string_view from = {},
                                       std::string_view until = {}) const = 0;
  /// The keys that begin so.
  std::unique_ptr<Cursor> ReadPrefix(Table table, std::string_view prefix) const {
    return Read(table, prefix, AfterPrefix(prefix));
  }
  /// The first key behind all that begin so: an `until` for Read().
  static std::string AfterPrefix(std::string_view prefix) {
    std::string after(prefix);
    while (!after.empty() && after.back() == '\xff') after.pop_back();
    if (!after.empty()) ++after.back();
    return after;
  }
};

}  // namespace store
