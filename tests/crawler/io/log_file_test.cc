#include "crawler/io/log_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/temp_folder.h"

namespace {

std::atomic<int> directories_synced{0};

}  // namespace

// Stands before the C library's.
extern "C" int fsync(int descriptor) {
  struct stat about {};
  if (::fstat(descriptor, &about) == 0 && S_ISDIR(about.st_mode)) ++directories_synced;
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace crawler {
namespace {

namespace fs = std::filesystem;
using tests::ReadFile;
using tests::TempFolder;
using tests::WriteFile;

constexpr std::uint64_t kPartBytes = 1000;

// What a caller must note to find the log again.
class Notes {
 public:
  void Take(const LogFile& log) {
    parts_.resize(log.number());
    parts_.back() = log.part();
  }
  const std::vector<LogPart>& parts() const { return parts_; }

 private:
  std::vector<LogPart> parts_;
};

std::unique_ptr<LogFile> Open(const fs::path& path, const std::vector<LogPart>& parts,
                              std::uint64_t part_bytes = kPartBytes) {
  auto log = LogFile::Open(path, parts, part_bytes);
  EXPECT_TRUE(log) << log.error().message;
  return log ? std::move(*log) : nullptr;
}

TEST(LogFile, WhatWasNotCommittedIsCutOffOnOpening) {
  TempFolder folder;
  const fs::path path = folder / "a.jsonl";
  Notes notes;
  {
    auto log = Open(path, {});
    ASSERT_TRUE(log->Write("one\n"));
    notes.Take(*log);
    log->Commit();
    ASSERT_TRUE(log->Write("two\nthr"));
  }
  EXPECT_EQ(ReadFile(path), "one\ntwo\nthr");
  auto log = Open(path, notes.parts());
  EXPECT_EQ(ReadFile(path), "one\n");
  ASSERT_TRUE(log->Write("two\n"));
  notes.Take(*log);
  log->Commit();
  EXPECT_EQ(ReadFile(path), "one\ntwo\n");
  log.reset();
  Open(path, notes.parts());
  EXPECT_EQ(ReadFile(path), "one\ntwo\n");
}

TEST(LogFile, AWriteThatIsRepeatedTakesThePlaceOfTheFirst) {
  TempFolder folder;
  auto log = Open(folder / "a", {});
  ASSERT_TRUE(log->Write("one\n"));
  ASSERT_TRUE(log->Write("one\n"));
  const LogPart once = log->part();
  EXPECT_EQ(once.bytes, 4U);
  log->Commit();
  ASSERT_TRUE(log->Write(""));
  EXPECT_EQ(log->part(), once);
  EXPECT_EQ(ReadFile(folder / "a"), "one\n");
}

TEST(LogFile, TheNameOfANewPartIsSyncedWithIt) {
  TempFolder folder;
  directories_synced = 0;
  auto log = Open(folder / "a.jsonl", {}, /*part_bytes=*/1);
  for (int parts = 1; parts <= 3; ++parts) {
    ASSERT_TRUE(log->Write("a line\n"));
    ASSERT_TRUE(log->Sync());
    ASSERT_TRUE(log->Sync());
    EXPECT_EQ(directories_synced, parts);
    log->Commit();
  }
}

TEST(LogFile, GoesOnInPartsAndDropsThoseThatWereNotCommitted) {
  TempFolder folder;
  const fs::path path = folder / "a.jsonl";
  Notes notes;
  std::string all;
  {
    auto log = Open(path, {}, 10);
    for (int i = 0; i < 7; ++i) {
      const std::string line = "line " + std::to_string(i) + "\n";
      ASSERT_TRUE(log->Write(line));
      notes.Take(*log);
      log->Commit();
      all += line;
    }
    ASSERT_TRUE(log->Write("lost\n"));
    EXPECT_EQ(log->number(), 4U);
  }
  WriteFile(folder / "a.5.jsonl", "lost too\n");
  auto log = Open(path, notes.parts(), 10);
  EXPECT_EQ(ReadFile(path) + ReadFile(folder / "a.2.jsonl") + ReadFile(folder / "a.3.jsonl") +
                ReadFile(folder / "a.4.jsonl"),
            all);
  EXPECT_EQ(fs::file_size(path), 14U);
  EXPECT_FALSE(fs::exists(folder / "a.5.jsonl"));
}

TEST(LogFile, EveryFlippedBitOfWhatWasCommittedIsNoticed) {
  TempFolder folder;
  const fs::path path = folder / "a.jsonl";
  Notes notes;
  const std::string lines = "{\"url\":\"http://a/\"}\n{\"url\":\"http://b/\"}\n";
  {
    auto log = Open(path, {}, 20);
    ASSERT_TRUE(log->Write(lines));
    notes.Take(*log);
    log->Commit();
  }
  for (std::size_t bit = 0; bit < 8 * lines.size(); ++bit) {
    std::string flipped = lines;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    WriteFile(path, flipped);
    auto log = LogFile::Open(path, notes.parts(), kPartBytes);
    ASSERT_FALSE(log) << bit;
    EXPECT_NE(log.error().message.find(path.string()), std::string::npos);
  }
  WriteFile(path, lines.substr(0, lines.size() - 1));
  EXPECT_FALSE(LogFile::Open(path, notes.parts(), kPartBytes));
  fs::remove(path);
  EXPECT_FALSE(LogFile::Open(path, notes.parts(), kPartBytes));
  WriteFile(path, lines);
  EXPECT_TRUE(LogFile::Open(path, notes.parts(), kPartBytes));
}

// Opening is as quick for a log of a thousand parts: it holds their lengths against what was
// noted, and CheckLogPart() tells the rest.
TEST(LogFile, OfEarlierPartsOnlyTheLengthIsLookedAtOnOpening) {
  TempFolder folder;
  const fs::path path = folder / "a.jsonl";
  Notes notes;
  {
    auto log = Open(path, {}, 1);
    for (const char* line : {"one\n", "two\n", "three\n"}) {
      ASSERT_TRUE(log->Write(line));
      notes.Take(*log);
      log->Commit();
    }
  }
  WriteFile(path, "0ne\n");
  EXPECT_TRUE(LogFile::Open(path, notes.parts(), 1));
  EXPECT_FALSE(CheckLogPart(path, notes.parts()[0]));
  WriteFile(path, "one\nand more");
  EXPECT_TRUE(LogFile::Open(path, notes.parts(), 1));
  EXPECT_EQ(ReadFile(path), "one\n");
  EXPECT_TRUE(CheckLogPart(path, notes.parts()[0]));
  WriteFile(path, "on");
  auto refused = LogFile::Open(path, notes.parts(), 1);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("a.jsonl: is shorter"), std::string::npos);
  fs::remove(path);
  EXPECT_FALSE(LogFile::Open(path, notes.parts(), 1));
  WriteFile(path, "one\n");
  WriteFile(folder / "a.3.jsonl", "thr3e\n");
  EXPECT_FALSE(LogFile::Open(path, notes.parts(), 1));
}

TEST(LogFile, NamesWhatItCannotOpen) {
  TempFolder folder;
  auto missing = LogFile::Open(folder / "no/such/log", {}, kPartBytes);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            (folder / "no/such/log").string() +
                ": cannot be opened for writing: No such file or directory");
  EXPECT_FALSE(LogFile::Open(folder.path(), {}, kPartBytes));
  EXPECT_FALSE(LogFile::Open("/dev/full", {}, kPartBytes));
}

}  // namespace
}  // namespace crawler
