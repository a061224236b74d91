// Both stores, held against a map.

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "store/memory_store.h"
#include "store/rocks_store.h"
#include "tests/temp_folder.h"

namespace store {
namespace {

namespace fs = std::filesystem;
using Rows = std::map<std::string, std::string>;

Rows All(const Store& store, Table table, const std::string& from = {},
         const std::string& until = {}) {
  Rows rows;
  auto cursor = store.Read(table, from, until);
  for (; cursor->Valid(); cursor->Next()) {
    EXPECT_TRUE(rows.emplace(cursor->key(), cursor->value()).second);
  }
  EXPECT_TRUE(cursor->status());
  return rows;
}

class StoreTest : public testing::TestWithParam<bool> {
 protected:
  // The real one survives its object.
  std::unique_ptr<Store> Open() {
    if (!GetParam()) return std::make_unique<MemoryStore>();
    auto store = OpenRocksStore(folder_ / "store", {});
    EXPECT_TRUE(store) << store.error().message;
    return std::move(*store);
  }
  tests::TempFolder folder_;
};

TEST_P(StoreTest, AgreesWithAMap) {
  std::mt19937 random(5);
  std::unique_ptr<Store> store = Open();
  std::array<Rows, kTables> model;
  auto key = [&random] { return std::string(1 + random() % 3, static_cast<char>(random() % 4)); };
  for (int i = 0; i < 600; ++i) {
    Batch batch;
    for (std::size_t n = random() % 6; n > 0; --n) {
      const std::size_t table = random() % kTables;
      const std::string k = key();
      if (random() % 3 == 0) {
        batch.Delete(static_cast<Table>(table), k);
        model[table].erase(k);
      } else {
        const std::string value(random() % 200, 'v');
        batch.Put(static_cast<Table>(table), k, value);
        model[table][k] = value;
      }
    }
    const auto durability = i % 50 == 0 ? Durability::kPower : Durability::kProcess;
    ASSERT_TRUE(store->Write(batch, durability));
    if (GetParam() && i % 200 == 199) {
      store.reset();
      store = Open();
    }
    const std::size_t table = random() % kTables;
    const std::string from = key();
    const std::string until = from + key();
    EXPECT_EQ(All(*store, static_cast<Table>(table)), model[table]);
    EXPECT_EQ(All(*store, static_cast<Table>(table), from, until),
              Rows(model[table].lower_bound(from), model[table].lower_bound(until)));
    const auto found = model[table].find(from);
    const auto got = store->Get(static_cast<Table>(table), from);
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, found == model[table].end() ? std::nullopt : std::optional(found->second));
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, StoreTest, testing::Bool(), [](const auto& test) {
  return std::string(test.param ? "Rocks" : "Memory");
});

// ---- What a crash may do to the real one

Batch Numbered(int n) {
  Batch batch;
  batch.Put(Table::kAbout, "n", std::to_string(n));
  batch.Put(Table::kQueue, std::to_string(n), std::string(50, 'q'));
  if (n > 1) batch.Delete(Table::kQueue, std::to_string(n - 1));
  return batch;
}

// The logs of batches in a store's directory, the first written first.
std::vector<fs::path> LogsOf(const fs::path& store) {
  std::vector<fs::path> logs;
  for (const auto& entry : fs::directory_iterator(store)) {
    if (entry.path().extension() == ".log" && entry.file_size() > 0) logs.push_back(entry);
  }
  std::sort(logs.begin(), logs.end());
  return logs;
}
// The only one.
fs::path LogOf(const fs::path& store) {
  const std::vector<fs::path> logs = LogsOf(store);
  EXPECT_EQ(logs.size(), 1U);
  return logs.empty() ? fs::path() : logs.front();
}

// Whole batches, in order, up to some n.
void ExpectAPrefix(const Store& store, int last) {
  const auto n = store.Get(Table::kAbout, "n");
  ASSERT_TRUE(n);
  const Rows queue = All(store, Table::kQueue);
  if (!*n) {
    EXPECT_TRUE(queue.empty());
    return;
  }
  EXPECT_LE(std::stoi(**n), last);
  EXPECT_EQ(queue, (Rows{{**n, std::string(50, 'q')}}));
}

class RocksStoreTest : public testing::Test {
 protected:
  static constexpr int kBatches = 12;
  RocksStoreTest() {
    auto store = OpenRocksStore(folder_ / "store", {});
    for (int n = 1; n <= kBatches; ++n) {
      EXPECT_TRUE((*store)->Write(Numbered(n), Durability::kProcess));
    }
    // As the death of the process leaves it: closing would tidy up.
    fs::copy(folder_ / "store", folder_ / "dead", fs::copy_options::recursive);
  }
  fs::path Copy() {
    fs::remove_all(folder_ / "copy");
    fs::copy(folder_ / "dead", folder_ / "copy", fs::copy_options::recursive);
    return folder_ / "copy";
  }
  tests::TempFolder folder_;
};

TEST_F(RocksStoreTest, ATornLogGivesAPrefixOfTheBatches) {
  const std::uintmax_t size = fs::file_size(LogOf(folder_ / "dead"));
  for (std::uintmax_t cut = 0; cut <= size; cut += 23) {
    const fs::path copy = Copy();
    fs::resize_file(LogOf(copy), cut);
    auto store = OpenRocksStore(copy, {});
    ASSERT_TRUE(store) << cut << ": " << store.error().message;
    ExpectAPrefix(**store, kBatches);
    ASSERT_TRUE((*store)->Write(Numbered(1), Durability::kProcess));
  }
}

/// As after the death of a process with two logs of batches; how many of them there were.
int MakeTwoLogs(const fs::path& made) {
  int last = 0;
  {
    auto store = OpenRocksStore(made, {.memory_bytes = std::size_t{8} << 20});
    if (!store) throw std::runtime_error(store.error().message);
    for (int after = 0; after<50; after += LogsOf(made).size()> 1 ? 1 : 0) {
      Batch batch;
      batch.Put(Table::kAbout, std::to_string(++last), "");
      batch.Put(Table::kQueue, std::to_string(last), std::string(1'000, 'q'));
      if (auto written = (*store)->Write(batch, Durability::kProcess); !written || last > 10'000) {
        throw std::runtime_error("there never was a second log");
      }
    }
  }
  EXPECT_EQ(LogsOf(made).size(), 2U);
  fs::remove(made / "SEAL");
  return last;
}

// As power leaves them that is cut while the first was not yet synced.
TEST_F(RocksStoreTest, ATornLogBeforeAnotherGivesAPrefixOfTheBatchesToo) {
  const fs::path made = folder_ / "two";
  const int last = MakeTwoLogs(made);
  for (const std::uintmax_t lost : {1, 100, 5'000, 40'000}) {
    const fs::path copy = folder_ / "copy";
    fs::remove_all(copy);
    fs::copy(made, copy, fs::copy_options::recursive);
    const fs::path first = LogsOf(copy).front();
    fs::resize_file(first, fs::file_size(first) - lost);
    auto store = OpenRocksStore(copy, {});
    if (!store) {  // what was behind the gap is in a table already
      EXPECT_NE(store.error().message.find(copy.string()), std::string::npos);
      continue;
    }
    int there = 0;
    while ((*store)->Get(Table::kAbout, std::to_string(there + 1)).value()) ++there;
    EXPECT_LT(there, last);
    EXPECT_EQ(All(**store, Table::kAbout).size(), static_cast<std::size_t>(there)) << lost;
    EXPECT_EQ(All(**store, Table::kQueue).size(), static_cast<std::size_t>(there)) << lost;
  }
}

TEST_F(RocksStoreTest, ALogThatIsGoneOrEmptyBeforeAnotherIsRefused) {
  const fs::path made = folder_ / "two";
  MakeTwoLogs(made);
  for (const bool gone : {true, false}) {
    const fs::path copy = folder_ / "copy";
    fs::remove_all(copy);
    fs::copy(made, copy, fs::copy_options::recursive);
    const fs::path first = LogsOf(copy).front();
    if (gone) {
      fs::remove(first);
    } else {
      fs::resize_file(first, 0);
    }
    EXPECT_FALSE(OpenRocksStoreForReading(copy)) << gone;
    EXPECT_FALSE(OpenRocksStore(copy, {})) << gone;
  }
}

// The list of files has the tables, too.
TEST_F(RocksStoreTest, ACutListOfFilesIsRefusedOrGivesAPrefixOfTheBatches) {
  int refused = 0;
  for (std::uintmax_t cut = 0;; cut += 5) {
    const fs::path copy = Copy();
    fs::path list;
    for (const auto& entry : fs::directory_iterator(copy)) {
      if (entry.path().filename().string().starts_with("MANIFEST")) list = entry.path();
    }
    const std::uintmax_t size = fs::file_size(list);
    if (cut > size) break;
    fs::resize_file(list, size - cut);
    auto store = OpenRocksStore(copy, {});
    refused += store ? 0 : 1;
    if (store) ExpectAPrefix(**store, kBatches);
    if (HasFailure()) FAIL() << "less " << cut << " bytes";
  }
  EXPECT_GT(refused, 10);
}

TEST_F(RocksStoreTest, AFlippedBitInTheLogIsRefusedOrOnlyTearsIt) {
  const std::uintmax_t size = fs::file_size(LogOf(folder_ / "dead"));
  int refused = 0;
  for (std::uintmax_t at = 0; at < size; at += 29) {
    const fs::path copy = Copy();
    std::string bytes = tests::ReadFile(LogOf(copy));
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    tests::WriteFile(LogOf(copy), bytes);
    auto store = OpenRocksStore(copy, {});
    if (store) {
      ExpectAPrefix(**store, kBatches);
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

// The files of a store that was closed, whose ends no checksum of their own covers.
std::vector<fs::path> SealedFiles(const fs::path& store) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(store)) {
    const std::string name = entry.path().filename().string();
    const bool sealed = name == "CURRENT" || name == "SEAL" || name.starts_with("MANIFEST-") ||
                        entry.path().extension() == ".log";
    if (sealed && entry.file_size() > 0) files.push_back(entry.path());
  }
  return files;
}

// Expects that nobody opens it, that the reason names the file, and that nothing is changed.
void ExpectRefused(const fs::path& store, const fs::path& file) {
  const std::string bytes = fs::exists(file) ? tests::ReadFile(file) : "";
  for (const auto& opened : {OpenRocksStore(store, {}), OpenRocksStoreForReading(store)}) {
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().message.find(file.string() + ": "), std::string::npos)
        << opened.error().message;
    EXPECT_NE(opened.error().message.find("or delete " + (store / "SEAL").string()),
              std::string::npos);
  }
  EXPECT_EQ(fs::exists(file) ? tests::ReadFile(file) : "", bytes);
}

TEST_F(RocksStoreTest, OnceClosedAFlippedBitInAnyByteIsRefused) {
  const fs::path closed = folder_ / "store";
  const std::vector<fs::path> files = SealedFiles(closed);
  ASSERT_EQ(files.size(), 4U);  // CURRENT, SEAL, one MANIFEST, one log of batches
  for (const fs::path& file : files) {
    const std::string bytes = tests::ReadFile(file);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
      tests::WriteFile(file, flipped);
      ExpectRefused(closed, file);
      if (HasFailure()) FAIL() << file << ", byte " << at;
    }
    tests::WriteFile(file, bytes);
  }
  auto store = OpenRocksStore(closed, {});
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ((*store)->Get(Table::kAbout, "n").value(), std::to_string(kBatches));
}

TEST_F(RocksStoreTest, OnceClosedAFileThatIsCutLongerOrGoneIsRefused) {
  const fs::path closed = folder_ / "store";
  for (const fs::path& file : SealedFiles(closed)) {
    const std::string bytes = tests::ReadFile(file);
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
      tests::WriteFile(file, bytes.substr(0, size));
      ExpectRefused(closed, file);
    }
    tests::WriteFile(file, bytes + '\0');
    ExpectRefused(closed, file);
    if (file.filename() != "SEAL" && file.filename() != "CURRENT") {
      fs::remove(file);
      ExpectRefused(closed, file);
    }
    tests::WriteFile(file, bytes);
    if (HasFailure()) FAIL() << file;
  }
}

TEST_F(RocksStoreTest, SealsNothingThatTookItsPlace) {
  const fs::path path = folder_ / "store";
  auto store = OpenRocksStore(path, {});
  ASSERT_TRUE(store) << store.error().message;
  fs::rename(path, folder_ / "moved");
  fs::copy(folder_ / "moved", path);
  store->reset();
  EXPECT_FALSE(fs::exists(path / "SEAL"));
}

TEST_F(RocksStoreTest, WithoutItsSealAClosedStoreIsReadAsAfterACrash) {
  const fs::path closed = folder_ / "store";
  const std::uintmax_t size = fs::file_size(LogOf(closed));
  fs::resize_file(LogOf(closed), size - 1);
  EXPECT_FALSE(OpenRocksStore(closed, {}));
  fs::remove(closed / "SEAL");
  auto store = OpenRocksStore(closed, {});
  ASSERT_TRUE(store) << store.error().message;
  ExpectAPrefix(**store, kBatches);
  EXPECT_FALSE(fs::exists(closed / "SEAL"));  // while it is open
  *store = nullptr;
  EXPECT_TRUE(fs::exists(closed / "SEAL"));
  EXPECT_TRUE(OpenRocksStore(closed, {}));
}

// Or from then on a torn log would pass for what a crash does.
TEST_F(RocksStoreTest, AnOpenThatFailsLeavesItSealed) {
  const fs::path closed = folder_ / "store";
  ASSERT_TRUE(OpenRocksStore(closed, {}));  // what was in the log is sorted now
  fs::path sorted;
  for (const auto& entry : fs::directory_iterator(closed)) {
    if (entry.path().extension() == ".sst") sorted = entry.path();
  }
  ASSERT_FALSE(sorted.empty());
  fs::rename(sorted, folder_ / "away");
  EXPECT_FALSE(OpenRocksStore(closed, {}));
  fs::rename(folder_ / "away", sorted);
  EXPECT_TRUE(fs::exists(closed / "SEAL"));
  for (const fs::path& file : SealedFiles(closed)) {
    const std::string bytes = tests::ReadFile(file);
    tests::WriteFile(file, bytes.substr(0, bytes.size() - 1));
    ExpectRefused(closed, file);
    tests::WriteFile(file, bytes);
  }
  auto store = OpenRocksStore(closed, {});
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ((*store)->Get(Table::kAbout, "n").value(), std::to_string(kBatches));
  EXPECT_FALSE(OpenRocksStore(closed, {}));  // somebody has it open
  EXPECT_FALSE(fs::exists(closed / "SEAL"));
}

TEST_F(RocksStoreTest, RefusesASecondWriterAndLetsReadersIn) {
  auto first = OpenRocksStore(folder_ / "dead", {});
  ASSERT_TRUE(first);
  EXPECT_FALSE(OpenRocksStore(folder_ / "dead", {}));
  auto reader = OpenRocksStoreForReading(folder_ / "dead");
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ((*reader)->Get(Table::kAbout, "n").value(), std::to_string(kBatches));
  EXPECT_FALSE((*reader)->Write(Numbered(1), Durability::kProcess));
}

TEST_F(RocksStoreTest, AStoreWhoseMakerDiedIsEmptyToReadersAndIsMadeByTheNextWriter) {
  fs::create_directories(folder_ / "none yet");
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* half = nullptr;  // has the default family only
  ASSERT_TRUE(rocksdb::DB::Open(options, (folder_ / "half").string(), &half).ok());
  delete half;
  for (const char* name : {"none yet", "half"}) {
    auto reader = OpenRocksStoreForReading(folder_ / name);
    ASSERT_TRUE(reader) << name << ": " << reader.error().message;
    EXPECT_EQ((*reader)->Get(Table::kAbout, "n").value(), std::nullopt);
    auto writer = OpenRocksStore(folder_ / name, {});
    ASSERT_TRUE(writer) << name << ": " << writer.error().message;
    ASSERT_TRUE((*writer)->Write(Numbered(1), Durability::kProcess));
    auto full = OpenRocksStoreForReading(folder_ / name);
    ASSERT_TRUE(full);
    EXPECT_EQ((*full)->Get(Table::kAbout, "n").value(), "1");
  }
}

// RocksDB would begin a new store, and delete the files of the old one.
TEST_F(RocksStoreTest, AStoreThatHasLostItsCurrentFileIsRefusedAndKept) {
  const fs::path copy = Copy();
  const std::string log = tests::ReadFile(LogOf(copy));
  fs::remove(copy / "CURRENT");
  auto refused = OpenRocksStore(copy, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("CURRENT is missing"), std::string::npos);
  EXPECT_FALSE(OpenRocksStoreForReading(copy));
  EXPECT_EQ(tests::ReadFile(LogOf(copy)), log);
}

TEST_F(RocksStoreTest, MemoryMayBeChangedWhileItIsUsed) {
  auto store = OpenRocksStore(Copy(), {});
  ASSERT_TRUE(store);
  for (int n = 1; n <= 50; ++n) {
    (*store)->SetMemory(std::size_t{8 + static_cast<std::size_t>(n) % 5 * 20} << 20);
    ASSERT_TRUE((*store)->Write(Numbered(n), Durability::kProcess));
    EXPECT_EQ((*store)->Get(Table::kAbout, "n").value(), std::to_string(n));
  }
}

TEST_F(RocksStoreTest, NamesWhatItCannotOpen) {
  tests::WriteFile(folder_ / "file", "x");
  auto store = OpenRocksStore(folder_ / "file" / "store", {});
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message.find((folder_ / "file").string()), std::string::npos);
  EXPECT_FALSE(OpenRocksStoreForReading(folder_ / "none"));
  EXPECT_FALSE(fs::exists(folder_ / "none"));
}

}  // namespace
}  // namespace store
