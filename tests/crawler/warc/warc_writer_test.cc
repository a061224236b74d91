#include "crawler/warc/warc_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "contentseen/digest.h"
#include "crawler/io/gzip_member.h"
#include "crawler/warc/warc_reader.h"
#include "tests/read_file.h"
#include "tests/temp_folder.h"

namespace {

std::atomic<bool> disk_loses{false};  // no sync succeeds
std::atomic<bool> nothing_is_cut{false};

std::atomic<int> directories_synced{0};

int Synced(long call, int descriptor) {
  struct stat about {};
  if (::fstat(descriptor, &about) == 0 && S_ISDIR(about.st_mode)) ++directories_synced;
  if (!disk_loses) return static_cast<int>(syscall(call, descriptor));
  errno = EIO;
  return -1;
}

}  // namespace

// These stand before the C library's.
extern "C" int fsync(int descriptor) { return Synced(SYS_fsync, descriptor); }
extern "C" int fdatasync(int descriptor) { return Synced(SYS_fdatasync, descriptor); }
extern "C" int ftruncate(int descriptor, off_t bytes) noexcept {
  if (!nothing_is_cut) return static_cast<int>(syscall(SYS_ftruncate, descriptor, bytes));
  errno = EIO;
  return -1;
}

namespace crawler {
namespace {

namespace fs = std::filesystem;

class WarcWriterTest : public ::testing::Test {
 protected:
  std::unique_ptr<WarcWriter> Open(std::optional<WarcPosition> position = std::nullopt,
                                   std::uint64_t file_bytes_max = 1 << 20) {
    auto writer = WarcWriter::Open({.directory = folder_.path(),
                                    .file_bytes_max = file_bytes_max,
                                    .about = {{"software", "test"}}},
                                   clock_, position);
    EXPECT_TRUE(writer) << writer.error().message;
    return writer ? std::move(*writer) : nullptr;
  }

  static contentseen::Key128 KeyOf(const std::string& body) {
    return contentseen::Sha256(body).Key();
  }

  // A response as an archive's, with the fields that the writer reads back.
  WarcMember Response(const std::string& path, const std::string& body) const {
    WarcRecord record("response", clock_.WallNow());
    record.Add("WARC-Target-URI", "http://a.test/" + path);
    record.Add("WARC-Payload-Digest", LabelledDigest(WarcDigest::kSha1, body));
    record.SetBlock("application/http; msgtype=response",
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body,
                    WarcDigest::kSha1);
    CdxjEntry entry;
    entry.url = "http://a.test/" + path;
    entry.time = clock_.WallNow();
    entry.mime = "text/html";
    entry.status = 200;
    entry.digest = LabelledDigest(WarcDigest::kSha1, body);
    entry.payload = KeyOf(body);
    return {GzipMember(record.text(), 6), entry};
  }

  void Append(WarcWriter& writer, const std::string& path, const std::string& body) const {
    auto written = writer.Append({Response(path, body)}, false);
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_TRUE(*written);
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::vector<std::string> Urls(const std::string& file) const {
    std::vector<std::string> urls;
    auto reader = WarcReader::Open(folder_ / file);
    EXPECT_TRUE(reader);
    while (auto record = (*reader)->Next()) {
      if (record->Type() == "response") urls.emplace_back(record->Field("WARC-Target-URI"));
    }
    EXPECT_EQ((*reader)->faults(), 0u) << (*reader)->last_fault().reason;
    return urls;
  }

  static constexpr char kFirst[] = "contentseen-20260101000000-00001.warc.gz";
  tests::TempFolder folder_;
  base::FakeClock clock_;
};

TEST_F(WarcWriterTest, NamesAndIndexesAFileWhenItIsFinished) {
  auto writer = Open();
  EXPECT_TRUE(Files().empty());  // no file before its first record
  Append(*writer, "b", "two");
  Append(*writer, "a", "one");
  EXPECT_EQ(Files(), std::vector<std::string>{std::string(kFirst) + ".open"});
  ASSERT_TRUE(writer->Close());
  EXPECT_EQ(Files(), (std::vector<std::string>{"contentseen-20260101000000-00001.cdxj", kFirst}));
  EXPECT_EQ(Urls(kFirst), (std::vector<std::string>{"http://a.test/b", "http://a.test/a"}));
  const std::string index = tests::ReadFile(folder_ / "contentseen-20260101000000-00001.cdxj");
  EXPECT_TRUE(index.starts_with("test,a)/a 20260101000000 {")) << index;
  EXPECT_NE(index.find("\ntest,a)/b 20260101000000 {"), std::string::npos) << index;
}

TEST_F(WarcWriterTest, BeginsANewFileWhenOneIsFull) {
  auto writer = Open(std::nullopt, 1);
  for (const char* path : {"a", "b", "c"}) Append(*writer, path, path);
  ASSERT_TRUE(writer->Close());
  EXPECT_EQ(Files().size(), 6u);  // each with its index
}

// It grows with each record, also with those whose payload nobody will refer to.
TEST_F(WarcWriterTest, CountsTheIndexOfTheFileBeingWrittenAsMemory) {
  auto writer = Open();
  WarcMember missing = Response("missing", "not found");
  missing.entry->status = 404;
  const std::size_t before = writer->memory_bytes();
  for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(writer->Append({missing}, false));
  EXPECT_GE(writer->memory_bytes(), before + 1'000 * 200);
  ASSERT_TRUE(writer->Close());
  EXPECT_EQ(writer->memory_bytes(), before);
}

TEST_F(WarcWriterTest, KnowsPayloadsAndRefersToTheFirst) {
  auto writer = Open(std::nullopt, 1);
  Append(*writer, "a", "one");
  Append(*writer, "b", "two");
  auto again = writer->Append({Response("c", "one")}, true);
  ASSERT_TRUE(again);
  EXPECT_FALSE(*again);
  auto original = writer->Original(KeyOf("one"));
  ASSERT_TRUE(original);
  EXPECT_EQ(original->url, "http://a.test/a");
  EXPECT_EQ(original->date, "2026-01-01T00:00:00Z");
  EXPECT_TRUE(original->id.starts_with("<urn:uuid:"));
  EXPECT_FALSE(writer->Original(KeyOf("three")));

  ASSERT_TRUE(writer->Close());
  writer = Open();  // from the indexes
  EXPECT_EQ(writer->Original(KeyOf("one"))->url, "http://a.test/a");
  fs::remove(folder_ / "contentseen-20260101000000-00001.cdxj");
  writer = Open();  // from the file, whose index is made again
  EXPECT_EQ(writer->Original(KeyOf("one"))->url, "http://a.test/a");
  EXPECT_EQ(Files().size(), 4u);
}

// Readers look for an original by the digest that a copy names.
TEST_F(WarcWriterTest, KnowsOnlyPayloadsUnderTheKindOfDigestThatItWrites) {
  auto writer = Open(std::nullopt, 1);
  Append(*writer, "a", "one");
  Append(*writer, "b", "two");
  ASSERT_TRUE(writer->Close());
  for (const bool indexed : {true, false}) {
    if (!indexed) fs::remove(folder_ / "contentseen-20260101000000-00001.cdxj");
    auto other =
        WarcWriter::Open({.directory = folder_.path(), .digest = WarcDigest::kSha256}, clock_);
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_FALSE((*other)->Original(KeyOf("one")));
    EXPECT_FALSE((*other)->Original(KeyOf("two")));
  }
  writer = Open();
  EXPECT_TRUE(writer->Original(KeyOf("one")));
}

// Cut at every byte: what was whole stays, what was torn goes, and the file can be gone on with.
TEST_F(WarcWriterTest, CutsOffATornRecordWhereverItIsTorn) {
  auto writer = Open();
  Append(*writer, "a", "one");
  const std::uint64_t whole = writer->position().bytes;
  Append(*writer, "b", "two");
  writer.reset();
  const fs::path open = folder_ / (std::string(kFirst) + ".open");
  const std::string bytes = tests::ReadFile(open);
  for (std::uint64_t size = whole; size < bytes.size(); ++size) {
    tests::WriteFile(open, bytes.substr(0, size));
    writer = Open();
    ASSERT_EQ(writer->position(), (WarcPosition{1, whole})) << size;
    EXPECT_FALSE(writer->Original(KeyOf("two")));
    Append(*writer, "c", "three");
    ASSERT_TRUE(writer->Close());
    ASSERT_EQ(Urls(kFirst), (std::vector<std::string>{"http://a.test/a", "http://a.test/c"}));
    fs::remove(folder_ / kFirst);
  }
}

TEST_F(WarcWriterTest, GoesBackToAPosition) {
  auto writer = Open(std::nullopt, 1);
  Append(*writer, "a", "one");
  const WarcPosition position = writer->position();
  Append(*writer, "b", "two");
  Append(*writer, "c", "three");
  ASSERT_TRUE(writer->Close());
  writer = Open(position, 1);
  EXPECT_EQ(writer->position(), position);
  EXPECT_TRUE(writer->Original(KeyOf("one")));
  EXPECT_FALSE(writer->Original(KeyOf("two")));
  Append(*writer, "d", "four");
  ASSERT_TRUE(writer->Close());
  EXPECT_EQ(Files().size(), 4u);
  EXPECT_EQ(Urls(kFirst), std::vector<std::string>{"http://a.test/a"});

  writer = Open(WarcPosition{});
  EXPECT_TRUE(Files().empty());
}

TEST_F(WarcWriterTest, CutsNothingOffThatWasCommitted) {
  for (const bool finished : {false, true}) {
    auto writer = Open();
    Append(*writer, "a", "one");
    Append(*writer, "b", "two");
    Append(*writer, "c", "three");
    const WarcPosition position = writer->position();
    if (finished) {
      ASSERT_TRUE(writer->Close());
    }
    writer.reset();
    const fs::path path = folder_ / (std::string(kFirst) + (finished ? "" : ".open"));
    std::string bytes = tests::ReadFile(path);
    ASSERT_EQ(bytes.size(), position.bytes);
    bytes[bytes.size() / 2] ^= 1;
    tests::WriteFile(path, bytes);
    auto damaged = WarcWriter::Open({.directory = folder_.path()}, clock_, position);
    ASSERT_FALSE(damaged);
    EXPECT_NE(damaged.error().message.find("is damaged from byte"), std::string::npos);
    EXPECT_EQ(tests::ReadFile(folder_ / (std::string(kFirst) + ".open")), bytes);
    for (const std::string& name : Files()) fs::remove(folder_ / name);
  }
}

TEST_F(WarcWriterTest, TheNameOfANewFileIsSyncedWithIt) {
  auto writer = Open(std::nullopt, /*file_bytes_max=*/1);
  directories_synced = 0;
  for (int files = 1; files <= 3; ++files) {
    Append(*writer, std::to_string(files), "text " + std::to_string(files));
    ASSERT_TRUE(writer->Sync());
    ASSERT_TRUE(writer->Sync());
    EXPECT_EQ(directories_synced, files);
  }
}

// What the disk has lost it reports once; a later sync would hide it.
TEST_F(WarcWriterTest, WhatCouldNotBeSyncedIsNeverTakenForSynced) {
  for (const bool finishing : {false, true}) {
    auto writer = Open();
    Append(*writer, "a", "one");
    ASSERT_TRUE(writer->Sync());
    Append(*writer, "b", "two");
    disk_loses = true;
    EXPECT_FALSE(finishing ? writer->Close() : writer->Sync());
    disk_loses = false;
    EXPECT_FALSE(writer->Sync());
    EXPECT_FALSE(writer->Append({Response("c", "three")}, false));
    EXPECT_FALSE(writer->Close());
    EXPECT_EQ(Files(), std::vector<std::string>{std::string(kFirst) + ".open"});
    fs::remove(folder_ / Files().front());
  }
}

// A torn end that could not be cut off, longer or shorter than what is written next.
TEST_F(WarcWriterTest, ATornRecordIsWrittenOver) {
  std::mt19937 random(1);
  std::string noise(20'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  for (const std::uint64_t torn : {10U, 10'000U}) {
    auto writer = Open();
    Append(*writer, "a", "one");
    const rlimit full{.rlim_cur = writer->position().bytes + torn, .rlim_max = before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
    nothing_is_cut = true;
    EXPECT_FALSE(writer->Append({Response("b", noise)}, false));
    nothing_is_cut = false;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    ASSERT_EQ(fs::file_size(folder_ / Files().front()), full.rlim_cur);
    Append(*writer, "c", "three");
    const std::uint64_t written = writer->position().bytes;
    ASSERT_TRUE(writer->Close());
    EXPECT_EQ(Urls(kFirst), (std::vector<std::string>{"http://a.test/a", "http://a.test/c"}));
    EXPECT_EQ(fs::file_size(folder_ / kFirst), written);
    for (const std::string& name : Files()) fs::remove(folder_ / name);
  }
}

TEST_F(WarcWriterTest, IndexesUrlsOfAnyLengthAnew) {
  const std::string path(5'000, 'x');
  auto writer = Open();
  Append(*writer, path, "one");
  const WarcPosition position = writer->position();
  writer.reset();
  writer = Open(position);
  EXPECT_TRUE(writer->Original(KeyOf("one")));
}

TEST_F(WarcWriterTest, SaysWhatIsMissing) {
  {
    auto writer = Open();
    Append(*writer, "a", "one");
  }
  const fs::path open = folder_ / (std::string(kFirst) + ".open");
  auto writer = WarcWriter::Open({.directory = folder_.path()}, clock_, WarcPosition{1, 1 << 20});
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("shorter"), std::string::npos);
  fs::remove(open);
  writer = WarcWriter::Open({.directory = folder_.path()}, clock_, WarcPosition{1, 10});
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("lacks WARC file number 1"), std::string::npos);
}

}  // namespace
}  // namespace crawler
