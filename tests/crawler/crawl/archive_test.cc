// What a crawl over a web in memory writes to its WARC files, and what becomes of it where those
// cannot be written.

#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/pipeline/crawl_archive.h"
#include "crawler/warc/warc_reader.h"
#include "store/memory_store.h"
#include "tests/crawler/crawl/crawl_fixture.h"
#include "tests/read_file.h"
#include "tests/temp_folder.h"

namespace {

std::atomic<bool> warc_disk_loses{false};    // no sync of a WARC file succeeds
std::atomic<bool> warc_disk_is_full{false};  // nothing can be written there

std::mutex synced_mutex;
std::set<std::string> synced;  // what fsync() was called for

std::string NameOf(int descriptor) {
  std::array<char, 4096> name{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = ::readlink(link.c_str(), name.data(), name.size());
  return {name.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}
bool IsWarc(int descriptor) { return NameOf(descriptor).ends_with(".warc.gz.open"); }

}  // namespace

// These stand before the C library's.
extern "C" int fdatasync(int descriptor) {
  if (!warc_disk_loses || !IsWarc(descriptor)) {
    return static_cast<int>(syscall(SYS_fdatasync, descriptor));
  }
  errno = EIO;
  return -1;
}
extern "C" int fsync(int descriptor) {
  const std::lock_guard lock(synced_mutex);
  synced.insert(NameOf(descriptor));
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}
extern "C" ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t at) {
  if (!warc_disk_is_full || !IsWarc(descriptor)) {
    return static_cast<ssize_t>(syscall(SYS_pwrite64, descriptor, bytes, size, at));
  }
  errno = ENOSPC;
  return -1;
}

namespace crawler {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

class ArchiveTest : public CrawlTest {
 protected:
  ArchiveTest() { options_.output.warc = true; }

  /// A page as a fetcher gives it that keeps the exchange.
  static FetchResponse Archived(const std::string& path, const std::string& version,
                                const std::string& status_words) {
    FetchResponse response = MemoryWeb::Html(Html(Prose(1, 200)));
    response.raw.emplace();
    response.raw->request = "GET " + path + " " + version + "\r\nHost: a.test\r\n\r\n";
    response.raw->response_head =
        version + " 200 " + status_words + "\r\nContent-Type: text/html\r\n\r\n";
    return response;
  }

  /// The files in the data directory whose names have that in them, in their order.
  std::vector<std::filesystem::path> Files(std::string_view part) const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data_)) {
      if (entry.path().string().find(part) != std::string::npos) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
  }
  /// All records of that type.
  std::vector<WarcReadRecord> Records(std::string_view type) const {
    std::vector<WarcReadRecord> records;
    for (const std::filesystem::path& path : Files(".warc.gz")) {
      auto warc = WarcReader::Open(path);
      EXPECT_TRUE(warc) << warc.error().message;
      while (auto record = (*warc)->Next()) {
        if (record->Type() == type) records.push_back(std::move(*record));
      }
    }
    return records;
  }
  /// Their first lines.
  std::vector<std::string> FirstLines(std::string_view type) const {
    std::vector<std::string> lines;
    for (const WarcReadRecord& record : Records(type)) {
      lines.emplace_back(record.block.substr(0, record.block.find("\r\n")));
    }
    return lines;
  }
  /// That field of theirs, empty where one has none.
  std::vector<std::string> Fields(std::string_view type, std::string_view name) const {
    std::vector<std::string> values;
    for (const WarcReadRecord& record : Records(type)) values.emplace_back(record.Field(name));
    return values;
  }
};

TEST_F(ArchiveTest, OnlyTheVersionOfHttp2IsSaidInOtherWords) {
  const std::string path = "/on-HTTP/2-and-HTTP/2.0";
  web_.Set("http://a.test" + path, Archived(path, "HTTP/2", "not HTTP/2"));
  web_.Set("http://b.test" + path, Archived(path, "HTTP/1.1", "not HTTP/2"));
  Run({"http://a.test" + path, "http://b.test" + path});
  EXPECT_THAT(FirstLines("request"),
              ElementsAre("GET " + path + " HTTP/1.1", "GET " + path + " HTTP/1.1"));
  EXPECT_THAT(FirstLines("response"), ElementsAre("HTTP/1.1 200 not HTTP/2"));
  EXPECT_THAT(FirstLines("revisit"), ElementsAre("HTTP/1.1 200 not HTTP/2"));
}

// A page that is judged later with the same bytes is written whole: a revisit would refer to what
// nobody judged, and who deduplicates the archive would drop the page with its copy.
TEST_F(ArchiveTest, WhatIsNotJudgedSaysWhyAndIsNobodysOriginal) {
  web_.Set("http://a.test/robots.txt", Archived("/", "HTTP/1.1", "OK"));
  web_.Set("http://a.test/", Archived("/", "HTTP/1.1", "OK"));
  Run({"http://a.test/"});
  EXPECT_THAT(Fields("response", "ContentSeen-Disposition"), ElementsAre("robots.txt", ""));
}

// What was written is learnt from the records then.
TEST_F(ArchiveTest, WhatIsNotJudgedIsNobodysOriginalInALaterRunEither) {
  FetchResponse asks_not_to_be_indexed = Archived("/", "HTTP/1.1", "OK");
  asks_not_to_be_indexed.headers.emplace_back("x-robots-tag", "noindex");
  web_.Set("http://a.test/", asks_not_to_be_indexed);
  web_.Set("http://b.test/", Archived("/", "HTTP/1.1", "OK"));
  web_.Set("http://c.test/", Archived("/", "HTTP/1.1", "OK"));
  for (const std::string host : {"a", "b", "c"}) Run({"http://" + host + ".test/"});
  EXPECT_THAT(Fields("response", "ContentSeen-Disposition"), ElementsAre("noindex", ""));
  EXPECT_THAT(Fields("revisit", "WARC-Refers-To-Target-URI"), ElementsAre("http://b.test/"));
}

// Readers look for an original by the digest that its copy names.
TEST_F(ArchiveTest, ARevisitNamesTheDigestOfItsOriginalWhateverEarlierRunsWrote) {
  for (const std::string host : {"a", "b", "c", "d"}) {
    web_.Set("http://" + host + ".test/", Archived("/", "HTTP/1.1", "OK"));
  }
  Run({"http://a.test/"});
  options_.output.warc_digest = WarcDigest::kSha256;
  Run({"http://b.test/"});
  Run({"http://c.test/"});
  options_.output.warc_digest = WarcDigest::kSha1;
  Run({"http://d.test/"});
  const std::vector<WarcReadRecord> responses = Records("response");
  const std::vector<WarcReadRecord> revisits = Records("revisit");
  ASSERT_EQ(responses.size(), 2u);
  ASSERT_EQ(revisits.size(), 2u);
  for (const WarcReadRecord& revisit : revisits) {
    const auto original =
        std::find_if(responses.begin(), responses.end(), [&revisit](const WarcReadRecord& record) {
          return record.Field("WARC-Record-ID") == revisit.Field("WARC-Refers-To");
        });
    ASSERT_NE(original, responses.end());
    EXPECT_EQ(revisit.Field("WARC-Payload-Digest"), original->Field("WARC-Payload-Digest"));
  }
}

// As a run leaves them that is killed after its last commit.
TEST_F(ArchiveTest, ARunWithoutArchiveFinishesTheFileOfOneThatWasKilled) {
  web_.Set("http://a.test/", Archived("/", "HTTP/1.1", "OK"));
  web_.Set("http://b.test/", Archived("/b", "HTTP/1.1", "OK"));
  Run({"http://a.test/"});
  const std::vector<std::filesystem::path> indexes = Files(".cdxj");
  const std::vector<std::filesystem::path> files = Files(".warc.gz");
  ASSERT_EQ(files.size(), 1u);
  ASSERT_EQ(indexes.size(), 1u);
  const std::string bytes = tests::ReadFile(files.front());
  const std::string index = tests::ReadFile(indexes.front());
  std::filesystem::remove(indexes.front());
  std::filesystem::remove(files.front());
  tests::WriteFile(files.front().string() + ".open", bytes + "what was not committed");

  options_.output.warc = false;
  Run({});
  EXPECT_EQ(Files(".warc.gz"), files);
  EXPECT_EQ(tests::ReadFile(files.front()), bytes);
  EXPECT_EQ(tests::ReadFile(indexes.front()), index);
  options_.output.warc = true;
  Run({"http://b.test/"});
  EXPECT_THAT(FirstLines("request"), ElementsAre("GET / HTTP/1.1", "GET /b HTTP/1.1"));
}

// A crawl without archive does not need its files.
TEST_F(ArchiveTest, ARunWithoutArchiveOnlySaysThatAFileIsDamaged) {
  web_.Set("http://a.test/", Archived("/", "HTTP/1.1", "OK"));
  Run({"http://a.test/"});
  const std::filesystem::path file = Files(".warc.gz").front();
  std::filesystem::remove(file);
  tests::WriteFile(file.string() + ".open", "no gzip");
  options_.output.warc = false;
  auto crawl = Create();
  ASSERT_TRUE(crawl) << crawl.error().message;
  EXPECT_THAT((*crawl)->notes(), Contains(HasSubstr("is shorter than the crawl left it")));
}

// What could not be decoded may have come whole, and then nothing is missing in the record.
TEST_F(ArchiveTest, ABodyThatCameWholeIsNotTruncated) {
  FetchResponse response = Archived("/", "HTTP/1.1", "OK");
  response.error = FetchError::kBadEncoding;
  response.body.clear();
  response.raw->coded = true;
  response.raw->coded_body = "no gzip";
  const auto set = [&](const std::string& url, const std::string& length, FetchError error) {
    response.error = error;
    response.headers = {{"content-type", "text/html"}, {"content-length", length}};
    web_.Set(url, response);
    Run({url});
  };
  set("http://a.test/", "7", FetchError::kBadEncoding);
  set("http://b.test/", "8", FetchError::kBadEncoding);
  set("http://c.test/", "7", FetchError::kBomb);
  EXPECT_THAT(Fields("response", "WARC-Truncated"), ElementsAre("", "unspecified", ""));
  EXPECT_THAT(Fields("response", "ContentSeen-Disposition"),
              ElementsAre("bad-encoding", "bad-encoding", "bomb"));
}

// It counts for nothing but its record, which says what is missing.
TEST_F(ArchiveTest, TheBrokenBodyOfAnErrorIsTruncated) {
  FetchResponse response = Archived("/", "HTTP/1.1", "OK");
  response.status = 404;
  response.body_error = FetchError::kReset;
  response.headers = {{"content-length", "100000"}};
  web_.Set("http://a.test/", response);
  Run({"http://a.test/"});
  EXPECT_THAT(Fields("response", "WARC-Truncated"), ElementsAre("disconnect"));
  EXPECT_THAT(Fields("response", "ContentSeen-Disposition"), ElementsAre("client-error"));
}

// Also where it was to be learnt from the record again.
TEST_F(ArchiveTest, AResponseRefusedForItsHeadIsIndexed) {
  FetchResponse response = Archived("/", "HTTP/1.1", "OK");
  response.error = FetchError::kBadEncoding;
  response.body.clear();
  response.headers.emplace_back("content-encoding", "gzip, gzip");
  response.raw->response_head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip, gzip\r\n\r\n";
  web_.Set("http://a.test/", response);
  Run({"http://a.test/"});
  const std::filesystem::path index = Files(".cdxj").front();
  const std::string lines = tests::ReadFile(index);
  EXPECT_THAT(lines, HasSubstr("http://a.test/"));
  Run({});
  EXPECT_EQ(tests::ReadFile(index), lines);
}

// The next run fetches it again.
TEST_F(ArchiveTest, APageThatAStopDropsIsNotArchived) {
  std::function<void()> stop;
  web_.SetAnswer("http://a.test/", [&stop](int) {
    if (stop) stop();
    return Archived("/", "HTTP/1.1", "OK");
  });
  {
    auto crawl = Create();
    ASSERT_TRUE(crawl) << crawl.error().message;
    stop = [&crawl] { (*crawl)->StopNow(); };
    ASSERT_TRUE((*crawl)->AddSeeds({*frontier::Url::Parse("http://a.test/")}));
    ASSERT_TRUE((*crawl)->Run());
  }
  EXPECT_THAT(FirstLines("response"), IsEmpty());
  stop = {};
  EXPECT_EQ(Run({}).statistics.Of(Disposition::kStored), 1u);
  EXPECT_THAT(FirstLines("response"), ElementsAre("HTTP/1.1 200 OK"));
}

TEST_F(ArchiveTest, APageWhoseRecordsAreLostByTheDiskIsNotCommitted) {
  options_.journal.durability = store::Durability::kPower;
  options_.journal.full_disk_wait_max = std::chrono::seconds(0);
  web_.Set("http://a.test/", Archived("/", "HTTP/1.1", "OK"));
  {
    auto crawl = Create();
    ASSERT_TRUE(crawl) << crawl.error().message;
    ASSERT_TRUE((*crawl)->AddSeeds({*frontier::Url::Parse("http://a.test/")}));
    warc_disk_loses = true;
    const base::Status status = (*crawl)->Run();
    warc_disk_loses = false;
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, HasSubstr("cannot be synced"));
  }
  EXPECT_THAT(Log("pages.jsonl"), IsEmpty());
  EXPECT_EQ(Run({"http://a.test/"}).statistics.Of(Disposition::kStored), 1u);
  EXPECT_THAT(FirstLines("response"), ElementsAre("HTTP/1.1 200 OK"));
}

// What waits for the disk is memory taken, and so a reason to pause.
TEST_F(ArchiveTest, RecordsThatCannotBeWrittenAreCountedUntilTheyAre) {
  const tests::TempFolder folder;
  const store::MemoryStore store;
  auto archive = CrawlArchive::Open({.directory = folder / "warc"}, options_.output,
                                    store::Durability::kProcess, store, clock_);
  ASSERT_TRUE(archive) << archive.error().message;
  const auto scope = frontier::Scope::Make({.reach = frontier::ScopeReach::kAny});
  frontier::Frontier frontier({}, **scope, clock_);
  const frontier::Candidate seed{.url = *frontier::Url::Parse("http://a.test/")};
  frontier.Schedule({&seed, 1});
  frontier::Acquired next = frontier.Acquire();
  Page page(std::get<frontier::Lease>(std::move(next)));
  page.response = Archived("/robots.txt", "HTTP/1.1", "OK");
  std::mt19937_64 random(1);
  page.response.body.resize(std::size_t{1} << 20);
  for (char& byte : page.response.body) byte = static_cast<char>(random());

  warc_disk_is_full = true;
  (*archive)->Keep(page, Disposition::kOtherStatus, 0);
  (*archive)->Keep(page, Disposition::kOtherStatus, 0);
  EXPECT_GE((*archive)->unsaved_bytes(), 2 * page.response.body.size());
  EXPECT_FALSE((*archive)->Flush());
  EXPECT_GE((*archive)->unsaved_bytes(), 2 * page.response.body.size());
  warc_disk_is_full = false;
  EXPECT_TRUE((*archive)->Flush());
  EXPECT_EQ((*archive)->unsaved_bytes(), 0u);
}

TEST_F(ArchiveTest, WhatShallSurviveALossOfPowerIsSyncedWithTheNamesOfItsFiles) {
  options_.journal.durability = store::Durability::kPower;
  web_.Set("http://a.test/", Archived("/", "HTTP/1.1", "OK"));
  synced.clear();
  Run({"http://a.test/"});
  const std::filesystem::path data = std::filesystem::canonical(data_);
  EXPECT_THAT(synced, IsSupersetOf({(data / kWarcFolder).string(), data.string(),
                                    data.parent_path().string()}));
}

}  // namespace
}  // namespace crawler
