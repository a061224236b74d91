#include "store/rocks_store.h"

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>
#include <rocksdb/write_buffer_manager.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdarg>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/entries_of.h"
#include "base/mutex.h"
#include "store/memory_store.h"
#include "store/seal.h"

namespace store {
namespace {

// Of a batch as large as this the memory is given back.
constexpr std::size_t kSpareBytesMax = std::size_t{8} << 20;
// Who reads all of a table reads it as fast as the disk goes.
constexpr std::size_t kWholeTableReadahead = std::size_t{2} << 20;

rocksdb::Slice SliceOf(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view ViewOf(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

tl::unexpected<base::Error> Failure(const std::filesystem::path& directory, std::string_view what,
                                    const rocksdb::Status& status) {
  return base::Fail(directory.string() + ": " + std::string(what) + ": " + status.ToString());
}

class RocksCursor final : public Cursor {
 public:
  RocksCursor(const std::filesystem::path& directory, rocksdb::DB& db,
              rocksdb::ColumnFamilyHandle* family, std::string_view from, std::string_view until)
      : directory_(directory), until_(until), until_slice_(until_) {
    rocksdb::ReadOptions options;
    options.fill_cache = false;  // each of our scans reads what nobody reads again
    if (from.empty() && until.empty()) options.readahead_size = kWholeTableReadahead;
    if (!until_.empty()) options.iterate_upper_bound = &until_slice_;
    rows_.reset(db.NewIterator(options, family));
    rows_->Seek(SliceOf(from));
  }
  bool Valid() const override { return rows_->Valid(); }
  std::string_view key() const override { return ViewOf(rows_->key()); }
  std::string_view value() const override { return ViewOf(rows_->value()); }
  void Next() override { rows_->Next(); }
  base::Status status() const override {
    if (!rows_->status().ok()) return Failure(directory_, "cannot be read", rows_->status());
    return {};
  }

 private:
  const std::filesystem::path& directory_;
  const std::string until_;
  const rocksdb::Slice until_slice_;
  std::unique_ptr<rocksdb::Iterator> rows_;
};

// RocksDB writes a log of events, and brings the process down when the disk has no room for it
// (7.8: an assertion in WritableFileWriter). What matters comes as a Status.
class NoEventLog final : public rocksdb::Logger {
 public:
  NoEventLog() : rocksdb::Logger(rocksdb::FATAL_LEVEL) {}
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

// What all families share: half for blocks read, half for changes not yet in sorted files.
struct Memory {
  explicit Memory(std::size_t bytes)
      : blocks(rocksdb::NewLRUCache(bytes / 2)),
        changes(std::make_shared<rocksdb::WriteBufferManager>(bytes / 2)) {}
  void Set(std::size_t bytes) const {
    blocks->SetCapacity(bytes / 2);
    changes->SetBufferSize(bytes / 2);
  }

  std::shared_ptr<rocksdb::Cache> blocks;
  std::shared_ptr<rocksdb::WriteBufferManager> changes;
};

// Which directory has this name; nothing where none has.
std::optional<std::pair<dev_t, ino_t>> IdentityOf(const std::filesystem::path& directory) {
  struct stat about {};
  if (::stat(directory.c_str(), &about) != 0) return std::nullopt;
  return std::pair(about.st_dev, about.st_ino);
}

enum class Access : std::uint8_t { kRead, kWrite };

class RocksStore final : public Store {
 public:
  RocksStore(std::filesystem::path directory, Access access, Memory memory,
             std::unique_ptr<rocksdb::DB> db, std::vector<rocksdb::ColumnFamilyHandle*> families)
      : directory_(std::move(directory)),
        identity_(IdentityOf(directory_)),
        access_(access),
        memory_(std::move(memory)),
        db_(std::move(db)),
        families_(std::move(families)) {}
  ~RocksStore() override {
    // What took the place of a directory that was moved or deleted is not ours to seal.
    const bool in_place = IdentityOf(directory_) == identity_;
    for (rocksdb::ColumnFamilyHandle* family : families_) {
      CHECK(db_->DestroyColumnFamilyHandle(family).ok());
    }
    const bool closed = db_->Close().ok();
    db_.reset();
    // A store that cannot be sealed, on a full disk say, is one whose process died: nothing lost.
    if (access_ == Access::kWrite && closed && in_place) static_cast<void>(Seal(directory_));
  }
  RocksStore(const RocksStore&) = delete;
  RocksStore& operator=(const RocksStore&) = delete;

  base::Status Write(const Batch& batch, Durability durability) override {
    std::unique_ptr<rocksdb::WriteBatch> changes = TakeSpare();
    base::Status written = Write(batch, durability, *changes);
    KeepSpare(std::move(changes));
    return written;
  }

  void SetMemory(std::size_t bytes) override { memory_.Set(bytes); }

  base::Result<std::optional<std::string>> Get(Table table, std::string_view key) const override {
    std::string value;
    const rocksdb::Status status =
        db_->Get(rocksdb::ReadOptions(), Family(table), SliceOf(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    if (!status.ok()) return Failure(directory_, "cannot be read", status);
    return value;
  }

  std::unique_ptr<Cursor> Read(Table table, std::string_view from,
                               std::string_view until) const override {
    return std::make_unique<RocksCursor>(directory_, *db_, Family(table), from, until);
  }

 private:
  rocksdb::ColumnFamilyHandle* Family(Table table) const {
    return families_[static_cast<std::size_t>(table)];
  }

  // An empty one, with the memory of an earlier one where that is free: fresh memory would cost as
  // much as the copy.
  std::unique_ptr<rocksdb::WriteBatch> TakeSpare() {
    base::MutexLock lock(mutex_);
    if (spare_ == nullptr) return std::make_unique<rocksdb::WriteBatch>();
    return std::move(spare_);
  }
  void KeepSpare(std::unique_ptr<rocksdb::WriteBatch> changes) {
    if (changes->GetDataSize() > kSpareBytesMax) return;
    changes->Clear();
    base::MutexLock lock(mutex_);
    spare_ = std::move(changes);
  }

  base::Status Write(const Batch& batch, Durability durability, rocksdb::WriteBatch& changes) {
    rocksdb::Status status;
    auto note = [&status](const rocksdb::Status& added) {
      if (status.ok()) status = added;
    };
    batch.ForEach(
        [&](Table table, std::string_view key, std::string_view value) {
          note(changes.Put(Family(table), SliceOf(key), SliceOf(value)));
        },
        [&](Table table, std::string_view key) {
          note(changes.Delete(Family(table), SliceOf(key)));
        });
    if (!status.ok()) return Failure(directory_, "cannot be written", status);
    rocksdb::WriteOptions options;
    options.sync = durability == Durability::kPower;
    status = db_->Write(options, &changes);
    if (status.ok()) return {};
    // After a failed write RocksDB refuses all others until it is told that the cause may have
    // passed; whether it has shows when the caller tries again.
    const rocksdb::Status resumed = db_->Resume();
    const bool tells_more = !resumed.ok() && !resumed.IsBusy();  // busy: about to try by itself
    return Failure(directory_, "cannot be written", tells_more ? resumed : status);
  }

  const std::filesystem::path directory_;
  const std::optional<std::pair<dev_t, ino_t>> identity_;
  const Access access_;
  const Memory memory_;
  std::unique_ptr<rocksdb::DB> db_;
  // By Table, then "default", which RocksDB insists on.
  const std::vector<rocksdb::ColumnFamilyHandle*> families_;

  base::Mutex mutex_;
  std::unique_ptr<rocksdb::WriteBatch> spare_ GUARDED_BY(mutex_);  // null while one has it
};

bool IsLogOfSomething(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  return file.extension() == ".log" && !error && bytes > 0;
}

// The logs of batches that were not yet written to tables.
std::size_t LogsIn(const std::filesystem::path& directory) {
  std::size_t logs = 0;
  const auto files = base::EntriesOf(directory);
  if (!files) return 0;  // opening it will say so
  for (const std::filesystem::path& file : *files) logs += IsLogOfSomething(file) ? 1 : 0;
  return logs;
}

// Whether anything was ever written to the store in `directory`.
bool HasRecords(const std::filesystem::path& directory) {
  const auto files = base::EntriesOf(directory);
  if (!files) return true;  // who knows
  return std::any_of(files->begin(), files->end(), [](const std::filesystem::path& file) {
    return file.extension() == ".sst" || IsLogOfSomething(file);
  });
}

rocksdb::DBOptions DatabaseOptions(const RocksStoreOptions& given, const Memory& memory,
                                   const std::filesystem::path& directory) {
  using Recovery = rocksdb::WALRecoveryMode;
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  // One that is missing beside records is lost, with a part of the list of files.
  options.create_missing_column_families = !HasRecords(directory);
  options.paranoid_checks = true;
  // A crash tears the end of the log; anything else that does not read back is damage. Of several
  // logs a loss of power may have torn an earlier one: what follows must not be applied over the
  // gap.
  options.wal_recovery_mode = LogsIn(directory) > 1 ? Recovery::kPointInTimeRecovery
                                                    : Recovery::kTolerateCorruptedTailRecords;
  // And a log that is gone altogether leaves a gap, too.
  options.track_and_verify_wals_in_manifest = true;
  options.write_buffer_manager = memory.changes;
  options.max_total_wal_size = given.memory_bytes;
  options.max_background_jobs = 2;
  options.max_open_files = 256;
  // Where the system has no thread for one of several (7.8), the others end the process.
  options.max_file_opening_threads = 1;
  options.info_log = std::make_shared<NoEventLog>();
  return options;
}

// Hashes and digests do not compress, and texts come compressed; URLs and robots.txt do.
rocksdb::CompressionType CompressionOf(Table table) {
  switch (table) {
    case Table::kNames:
    case Table::kRobots:
      return rocksdb::kZSTD;
    case Table::kQueue:
    case Table::kHosts:
    case Table::kSeeds:
      return rocksdb::kLZ4Compression;
    case Table::kAbout:
    case Table::kDocuments:
    case Table::kSeen:
    case Table::kTexts:
      break;
  }
  return rocksdb::kNoCompression;
}

std::vector<rocksdb::ColumnFamilyDescriptor> Families(const RocksStoreOptions& given,
                                                      const Memory& memory) {
  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = memory.blocks;
  // No filters: nobody asks for keys that are not there. And an index for each part of a file, of
  // which those in use stay in the cache, or it would grow with the tables.
  blocks.cache_index_and_filter_blocks = true;
  blocks.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  // Documents are only ever read from the first to the last.
  rocksdb::BlockBasedTableOptions large_blocks = blocks;
  large_blocks.block_size = std::size_t{32} * 1024;

  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (std::size_t i = 0; i < kTables; ++i) {
    const auto table = static_cast<Table>(i);
    rocksdb::ColumnFamilyOptions options;
    options.compression = CompressionOf(table);
    options.write_buffer_size = given.memory_bytes / 8;
    options.table_factory.reset(
        rocksdb::NewBlockBasedTableFactory(table == Table::kDocuments ? large_blocks : blocks));
    families.emplace_back(std::string(Name(table)), options);
  }
  families.emplace_back(rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions());
  return families;
}

bool HasCurrent(const std::filesystem::path& directory) {
  std::error_code error;
  return std::filesystem::exists(directory / "CURRENT", error);
}

// Whether who makes the store in `directory` has not come to its end, or died on the way: files
// and families are made one by one, and nothing is written before the last of them.
bool IsUnfinished(const std::filesystem::path& directory) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error) || HasRecords(directory)) return false;
  std::vector<std::string> families;
  const rocksdb::Status listed =
      rocksdb::DB::ListColumnFamilies(rocksdb::DBOptions(), directory.string(), &families);
  if (!listed.ok()) return !HasCurrent(directory);
  for (std::size_t i = 0; i < kTables; ++i) {
    const std::string_view name = Name(static_cast<Table>(i));
    if (std::find(families.begin(), families.end(), name) == families.end()) return true;
  }
  return false;
}

// What a sealed store has become by an open that failed: still whole, as RocksDB leaves it. Not
// where somebody else opened it in the meantime.
void SealAgain(const std::filesystem::path& directory) {
  rocksdb::Env* const system = rocksdb::Env::Default();
  rocksdb::FileLock* lock = nullptr;
  if (!system->LockFile((directory / "LOCK").string(), &lock).ok()) return;
  static_cast<void>(Seal(directory));
  static_cast<void>(system->UnlockFile(lock));
}

}  // namespace

base::Result<std::unique_ptr<Store>> OpenRocksStore(const std::filesystem::path& directory,
                                                    const RocksStoreOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return base::Fail(directory.string() + ": cannot be made: " + error.message());
  if (!HasCurrent(directory) && HasRecords(directory)) {
    // RocksDB would take it for a new one, and tidy up.
    return base::Fail(directory.string() +
                      ": is damaged: its file CURRENT is missing: put a copy back, or begin anew "
                      "with --fresh");
  }
  if (auto intact = CheckSeal(directory); !intact) return base::Fail(intact.error().message);
  const base::Result<bool> broken = BreakSeal(directory);
  if (!broken) return base::Fail(broken.error().message);
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  rocksdb::DB* raw = nullptr;
  Memory memory(options.memory_bytes);
  const rocksdb::Status status =
      rocksdb::DB::Open(DatabaseOptions(options, memory, directory), directory.string(),
                        Families(options, memory), &families, &raw);
  std::unique_ptr<rocksdb::DB> db(raw);
  if (!status.ok()) {
    if (*broken) SealAgain(directory);
    return Failure(directory, "cannot be opened", status);
  }
  return std::make_unique<RocksStore>(directory, Access::kWrite, std::move(memory), std::move(db),
                                      std::move(families));
}

base::Result<std::unique_ptr<Store>> OpenRocksStoreForReading(
    const std::filesystem::path& directory) {
  if (IsUnfinished(directory)) return std::make_unique<MemoryStore>();
  if (auto intact = CheckSeal(directory); !intact) return base::Fail(intact.error().message);
  // The writer may drop a file between our reading its list of files and opening them; the list
  // read anew is then right.
  constexpr int kAttempts = 5;
  const RocksStoreOptions given;
  Memory memory(given.memory_bytes);
  rocksdb::DBOptions options = DatabaseOptions(given, memory, directory);
  options.create_if_missing = false;
  options.create_missing_column_families = false;
  rocksdb::Status status;
  for (int i = 0; i < kAttempts; ++i) {
    std::vector<rocksdb::ColumnFamilyHandle*> families;
    rocksdb::DB* raw = nullptr;
    status = rocksdb::DB::OpenForReadOnly(options, directory.string(), Families(given, memory),
                                          &families, &raw);
    std::unique_ptr<rocksdb::DB> db(raw);
    if (status.ok()) {
      return std::make_unique<RocksStore>(directory, Access::kRead, std::move(memory),
                                          std::move(db), std::move(families));
    }
    if (!status.IsIOError() && !status.IsCorruption()) break;
  }
  return Failure(directory, "cannot be read", status);
}

}  // namespace store
