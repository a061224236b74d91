#include "crawler/text_store.h"

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <array>
#include <utility>

#include "crawler/utf8.h"

namespace crawler {
namespace {

/// Big-endian, so that neighbours in number are neighbours on disk.
class Key {
 public:
  explicit Key(std::uint64_t id) {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      bytes_[i] = static_cast<char>(id >> (8 * (bytes_.size() - 1 - i)));
    }
  }
  rocksdb::Slice slice() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::array<char, 8> bytes_{};
};

class RocksTextStore final : public TextStore {
 public:
  RocksTextStore(std::filesystem::path directory, std::unique_ptr<rocksdb::DB> db,
                 std::uint64_t text_bytes_max)
      : directory_(std::move(directory)), db_(std::move(db)), text_bytes_max_(text_bytes_max) {}

  base::Status Put(std::uint64_t id, std::string_view text) override {
    text = Beginning(text, text_bytes_max_);
    return Checked(db_->Put(rocksdb::WriteOptions(), Key(id).slice(),
                            rocksdb::Slice(text.data(), text.size())));
  }

  base::Result<std::optional<std::string>> Get(std::uint64_t id) const override {
    std::string text;
    rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), Key(id).slice(), &text);
    if (status.IsNotFound()) return std::nullopt;
    if (!status.ok()) return base::Fail(Sentence(status));
    return text;
  }

  base::Status Sync() override { return Checked(db_->SyncWAL()); }

 private:
  std::string Sentence(const rocksdb::Status& status) const {
    return directory_.string() + ": text store: " + status.ToString();
  }
  base::Status Checked(const rocksdb::Status& status) const {
    if (!status.ok()) return base::Fail(Sentence(status));
    return {};
  }

  const std::filesystem::path directory_;
  const std::unique_ptr<rocksdb::DB> db_;
  const std::uint64_t text_bytes_max_;
};

rocksdb::Options StoreOptions(const TextStoreOptions& given) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = static_cast<std::size_t>(given.write_buffer_bytes);
  options.compression = rocksdb::kZSTD;
  options.max_background_jobs = 2;
  options.keep_log_file_num = 2;
  options.max_log_file_size = std::size_t{1} << 20;
  options.info_log_level = rocksdb::WARN_LEVEL;
  rocksdb::BlockBasedTableOptions table;
  // Duplicates stand near their originals in time, hence in number: larger blocks squeeze better.
  table.block_size = std::size_t{32} * 1024;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace

base::Result<std::unique_ptr<TextStore>> OpenTextStore(const std::filesystem::path& directory,
                                                       const TextStoreOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return base::Fail(directory.string() + ": cannot be made: " + error.message());
  }
  rocksdb::DB* raw = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(StoreOptions(options), directory.string(), &raw);
  std::unique_ptr<rocksdb::DB> db(raw);
  if (!status.ok()) {
    return base::Fail(directory.string() + ": cannot open the text store: " + status.ToString());
  }
  return std::make_unique<RocksTextStore>(directory, std::move(db), options.text_bytes_max);
}

base::Result<std::unique_ptr<TextStore>> OpenTextStoreForReading(
    const std::filesystem::path& directory) {
  // The writer may drop a file between our reading its list of files and opening them; the list
  // read anew is then right.
  constexpr int kAttempts = 5;
  rocksdb::Options options = StoreOptions({});
  options.create_if_missing = false;
  rocksdb::Status status;
  for (int i = 0; i < kAttempts; ++i) {
    rocksdb::DB* raw = nullptr;
    status = rocksdb::DB::OpenForReadOnly(options, directory.string(), &raw);
    std::unique_ptr<rocksdb::DB> db(raw);
    if (status.ok()) return std::make_unique<RocksTextStore>(directory, std::move(db), 0);
    if (!status.IsIOError() && !status.IsCorruption()) break;
  }
  return base::Fail(directory.string() + ": cannot read the text store: " + status.ToString());
}

base::Status MemoryTextStore::Put(std::uint64_t id, std::string_view text) {
  base::MutexLock lock(mutex_);
  texts_[id] = Beginning(text, options_.text_bytes_max);
  return {};
}

base::Result<std::optional<std::string>> MemoryTextStore::Get(std::uint64_t id) const {
  base::MutexLock lock(mutex_);
  auto found = texts_.find(id);
  if (found == texts_.end()) return std::nullopt;
  return found->second;
}

}  // namespace crawler
