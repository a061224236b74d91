#include "store/memory_store.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace store {
namespace {

using Row = std::pair<std::string, std::string>;

class RowsCursor final : public Cursor {
 public:
  explicit RowsCursor(std::vector<Row> rows) : rows_(std::move(rows)) {}
  bool Valid() const override { return at_ < rows_.size(); }
  std::string_view key() const override { return rows_[at_].first; }
  std::string_view value() const override { return rows_[at_].second; }
  void Next() override { ++at_; }
  base::Status status() const override { return {}; }

 private:
  const std::vector<Row> rows_;
  std::size_t at_ = 0;
};

}  // namespace

base::Status MemoryStore::Write(const Batch& batch, Durability) {
  base::MutexLock lock(mutex_);
  auto* const tables = &tables_;  // the lambdas run within ForEach, under the lock
  batch.ForEach(
      [tables](Table table, std::string_view key, std::string_view value) {
        (*tables)[static_cast<std::size_t>(table)].insert_or_assign(std::string(key), value);
      },
      [tables](Table table, std::string_view key) {
        (*tables)[static_cast<std::size_t>(table)].erase(std::string(key));
      });
  return {};
}

base::Result<std::optional<std::string>> MemoryStore::Get(Table table,
                                                          std::string_view key) const {
  base::MutexLock lock(mutex_);
  const Rows& rows = tables_[static_cast<std::size_t>(table)];
  const auto found = rows.find(key);
  if (found == rows.end()) return std::nullopt;
  return found->second;
}

std::unique_ptr<Cursor> MemoryStore::Read(Table table, std::string_view from,
                                          std::string_view until) const {
  std::vector<Row> rows;
  base::MutexLock lock(mutex_);
  const Rows& all = tables_[static_cast<std::size_t>(table)];
  for (auto row = all.lower_bound(from); row != all.end(); ++row) {
    if (!until.empty() && row->first >= until) break;
    rows.emplace_back(*row);
  }
  return std::make_unique<RowsCursor>(std::move(rows));
}

}  // namespace store
