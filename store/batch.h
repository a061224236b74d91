#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/check.h"
#include "store/table.h"

namespace store {

/// Changes that take effect together or not at all. A later change of a key wins.
///
///     Batch batch;
///     batch.Put(Table::kTexts, key, text);
///     batch.Delete(Table::kQueue, entry);
///     base::Status written = store.Write(batch, Durability::kProcess);
///
/// Thread safety: a value. Cost: the bytes of keys and values, and about four a change.
class Batch {
 public:
  void Put(Table table, std::string_view key, std::string_view value) {
    Begin(kPut, table, key);
    base::AppendText(value, bytes_);
  }
  void Delete(Table table, std::string_view key) { Begin(kDelete, table, key); }
  void Append(const Batch& later) { bytes_ += later.bytes_; }

  /// Empties it, and keeps its memory.
  void Clear() { bytes_.clear(); }

  bool empty() const { return bytes_.empty(); }
  std::size_t bytes() const { return bytes_.size(); }

  /// Calls put(table, key, value) or erase(table, key) for each change, in their order.
  template <class Put, class Erase>
  void ForEach(Put put, Erase erase) const {
    base::ByteReader reader(bytes_);
    while (!reader.AtEnd()) {
      const std::uint64_t head = reader.BigEndian(1);
      const auto table = static_cast<Table>(head >> 1);
      const std::string_view key = reader.Text();
      if ((head & 1) == kPut) {
        put(table, key, reader.Text());
      } else {
        erase(table, key);
      }
      CHECK(reader.ok());
    }
  }

 private:
  static constexpr unsigned kDelete = 0;
  static constexpr unsigned kPut = 1;

  void Begin(unsigned what, Table table, std::string_view key) {
    bytes_.push_back(static_cast<char>(static_cast<unsigned>(table) << 1 | what));
    base::AppendText(key, bytes_);
  }

  std::string bytes_;
};

}  // namespace store
