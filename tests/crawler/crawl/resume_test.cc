// Crawls that are interrupted and go on, over a web in memory. What a dead process leaves behind
// is what its store and its logs hold.

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "crawler/crawl/crawl_state.h"
#include "crawler/crawl/data_check.h"
#include "crawler/crawl/seen_image.h"
#include "store/memory_store.h"
#include "tests/crawler/crawl/crawl_fixture.h"
#include "tests/store/fault_store.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ResumeTest : public CrawlTest {
 protected:
  static constexpr int kTexts = 12;

  // Texts on three hosts each: as it is, the same text in other markup, and two words longer; a
  // redirect, a page that is missing, one that robots.txt denies, one that fails at first, one
  // that cannot be had.
  ResumeTest() {
    options_.crawl.process_threads = 1;
    options_.contentseen.k = 6;
    std::vector<std::string> links = {"moved", "missing", "private/x", "flaky", "dead", "empty"};
    for (int text = 0; text < kTexts; ++text) {
      const std::string body = Prose(static_cast<unsigned>(text), 600);
      const std::string path = "/" + std::to_string(text);
      const std::string next = "/" + std::to_string((text + 1) % kTexts);
      for (const char* host : {"h0", "h1", "h2"}) {
        const std::string url = std::string("http://") + host + ".test" + path;
        const bool longer = host[1] == '2';
        web_.Page(url,
                  Html(body + (longer ? " seen twice" : ""), {next, "/only-" + url.substr(7)}) +
                      (host[1] == '1' ? "<!-- mirror -->" : ""));
        links.push_back(url);
      }
    }
    web_.Robots("http://seed.test", "User-agent: *\nDisallow: /private/\nCrawl-delay: 2");
    web_.Page(kSeed, Html(Prose(900, 300), links));
    web_.Set("http://seed.test/moved", MemoryWeb::Status(301, {{"location", "/target"}}));
    web_.Page("http://seed.test/target", Html(Prose(901, 300)));
    web_.SetAnswer("http://seed.test/flaky", [flaky = Html(Prose(902, 300))](int nth) {
      return nth % 2 == 1 ? MemoryWeb::Status(503) : MemoryWeb::Html(flaky);
    });
    web_.Set("http://seed.test/dead", MemoryWeb::Failure(FetchError::kConnect));
    web_.Page("http://seed.test/empty", "<html><body></body></html>");
  }

  // One process: crawls until it is done or `status` says why it stopped. Nothing of it is left
  // but its disk.
  struct Process {
    base::Status status;
    CrawlSnapshot end;
    std::vector<std::string> notes{};
  };
  Process RunOnce() {
    auto crawl = Create();
    if (!crawl) return {base::Fail(crawl.error().message), {}};
    Process process;
    if (auto added = (*crawl)->AddSeeds({*frontier::Url::Parse(kSeed)}); !added) {
      process.status = base::Fail(added.error().message);
    } else {
      process.status = (*crawl)->Run();
    }
    process.end = (*crawl)->Snapshot();
    process.notes = (*crawl)->notes();
    return process;
  }

  // What must be the same, whatever happened in between: each line of a log, less what only the
  // time decides. Of copies the first one met is stored, and with one thread and one order of
  // hosts that is always the same.
  std::multiset<std::string> Lines() const {
    std::multiset<std::string> lines;
    for (const char* log : {"pages.jsonl", "skipped.jsonl", "other.jsonl"}) {
      for (const auto& line : Log(log)) {
        lines.insert(log + (" " + line.at("url").get<std::string>()) + " " +
                     line.value("kind", "") + line.value("disposition", ""));
      }
    }
    return lines;
  }
  // The text of a page: its number, on whatever host.
  static std::string TextOf(const std::string& url) { return url.substr(url.rfind('/')); }

  // The invariants of docs/durability.md, as far as a finished crawl shows them.
  void ExpectSound() const {
    const std::set<std::string> stored = Urls("pages.jsonl");
    EXPECT_EQ(stored.size(), Log("pages.jsonl").size()) << "a page stored twice";
    std::map<std::string, int> texts;
    for (const std::string& url : stored) ++texts[TextOf(url)];
    for (const auto& [text, count] : texts) EXPECT_EQ(count, 1) << text << " admitted twice";
    EXPECT_EQ(texts.size(), kTexts + 3U) << ::testing::PrintToString(stored);
    for (const auto& line : Log("skipped.jsonl")) {
      EXPECT_TRUE(stored.contains(line.at("original_url"))) << line;
      EXPECT_EQ(TextOf(line.at("original_url")), TextOf(line.at("url"))) << line;
    }
    EXPECT_EQ(Log("skipped.jsonl").size(), 2U * kTexts);
  }

  // What `status` says of a crawl's queue, and what the next process will find there.
  static void ExpectQueueAsSaid(const store::Store& disk) {
    std::uint64_t entries = 0;
    auto cursor = disk.Read(store::Table::kQueue);
    for (; cursor->Valid(); cursor->Next()) ++entries;
    const auto said = ReadSnapshot(disk);
    ASSERT_TRUE(said);
    EXPECT_EQ(*said ? (*said)->frontier.queued : 0, entries);
  }

  // The crawl's store, which outlives its processes.
  void UseDisk(std::shared_ptr<store::Store> disk, tests::FaultStore::Fails fails) {
    open_store_ = [disk = std::move(disk), fails = std::move(fails)](const fs::path&) {
      return base::Result<std::unique_ptr<store::Store>>(
          std::make_unique<tests::FaultStore>(disk, fails));
    };
  }

  void ExpectToWaitForRoom(std::shared_ptr<store::Store> disk);

  static constexpr char kSeed[] = "http://seed.test/";
};

TEST_F(ResumeTest, AFinishedCrawlThatIsRunAgainFetchesNothingAndChangesNothing) {
  const Process first = RunOnce();
  ASSERT_TRUE(first.status) << first.status.error().message;
  ExpectSound();
  const auto lines = Lines();
  const std::size_t requests = web_.requests().size();
  const Process second = RunOnce();
  ASSERT_TRUE(second.status) << second.status.error().message;
  EXPECT_EQ(web_.requests().size(), requests);
  EXPECT_EQ(Lines(), lines);
  EXPECT_EQ(second.end.statistics.dispositions, first.end.statistics.dispositions);
  EXPECT_EQ(second.end.statistics.wire_bytes, first.end.statistics.wire_bytes);
  EXPECT_EQ(second.end.frontier.pages, first.end.frontier.pages);
  EXPECT_EQ(second.end.frontier.seen, first.end.frontier.seen);
  EXPECT_EQ(second.end.seen.documents, first.end.seen.documents);
}

TEST_F(ResumeTest, ACrawlStoppedAfterEachFewPagesEndsAsIfItHadNotBeen) {
  const Process undisturbed = RunOnce();
  ASSERT_TRUE(undisturbed.status);
  const auto lines = Lines();
  fs::remove_all(data_);
  int runs = 0;
  for (std::uint64_t pages = 3;; pages += 3, ++runs) {
    options_.frontier.pages_max = pages;  // each run may go so far
    const Process process = RunOnce();
    ASSERT_TRUE(process.status) << process.status.error().message;
    if (process.end.frontier.queued == 0) break;
    ASSERT_LT(runs, 100);
  }
  EXPECT_GT(runs, 10);
  ExpectSound();
  EXPECT_EQ(Lines(), lines);
}

// For every n: the n-th write of the store and all after it fail, which ends the process; the next
// one finds the disk well again.
TEST_F(ResumeTest, Row99_AFailureOfAnyWriteLosesNothingAndRepeatsNothing) {
  options_.journal.commit_interval = milliseconds(0);
  options_.journal.full_disk_wait_max = seconds(0);
  options_.texts.keep = false;
  std::uint64_t nth = 1;
  for (bool failed = true; failed; ++nth) {
    fs::remove_all(data_);
    auto disk = std::make_shared<store::MemoryStore>();
    failed = false;
    UseDisk(disk, [&failed, nth](std::uint64_t n) { return n >= nth && (failed = true); });
    const Process broken = RunOnce();
    // Only the last write is none that the crawl needs: the word for its image.
    if (failed && broken.status) {
      EXPECT_THAT(broken.notes, ElementsAre(HasSubstr("the disk is full, says the test")));
      EXPECT_FALSE(fs::exists(data_ / kSeenImageFolder));
    } else {
      EXPECT_EQ(broken.status.has_value(), !failed) << nth;
    }
    if (!broken.status) {
      EXPECT_THAT(broken.status.error().message, HasSubstr("the disk is full, says the test"));
    }
    ExpectQueueAsSaid(*disk);
    UseDisk(disk, [](std::uint64_t) { return false; });
    const Process healed = RunOnce();
    ASSERT_TRUE(healed.status) << nth << ": " << healed.status.error().message;
    ExpectSound();
    if (HasFailure()) FAIL() << "after a failure of write " << nth;
  }
  EXPECT_GT(nth, 50U);
}

// The same, but the process dies between writing its lines and the batch that makes them count,
// and the last line is torn.
TEST_F(ResumeTest, Row99_ATornLineIsCutOffWhereverTheProcessDies) {
  options_.journal.commit_interval = milliseconds(0);
  options_.journal.full_disk_wait_max = seconds(0);
  options_.texts.keep = false;
  bool failed = true;
  for (std::uint64_t nth = 3; failed; nth += 3) {
    fs::remove_all(data_);
    auto disk = std::make_shared<store::MemoryStore>();
    failed = false;
    UseDisk(disk, [&failed, nth](std::uint64_t n) { return n >= nth && (failed = true); });
    RunOnce();
    for (const char* log : {"pages.jsonl", "skipped.jsonl", "other.jsonl"}) {
      if (!fs::exists(data_ / log)) continue;
      std::string bytes = tests::ReadFile(data_ / log);
      tests::WriteFile(data_ / log, bytes + "{\"url\":\"http://torn");
    }
    UseDisk(disk, [](std::uint64_t) { return false; });
    const Process healed = RunOnce();
    ASSERT_TRUE(healed.status) << nth << ": " << healed.status.error().message;
    ExpectSound();
    if (HasFailure()) FAIL() << "after a death at write " << nth;
  }
}

TEST_F(ResumeTest, Row98_AFullDiskPausesTheCrawlUntilThereIsRoom) {
  auto disk = std::make_shared<store::MemoryStore>();
  base::Time full_from{};
  UseDisk(disk, [&](std::uint64_t n) {
    if (n == 8) full_from = clock_.Now();
    return n >= 8 && clock_.Now() < full_from + seconds(60);
  });
  const Process process = RunOnce();
  ASSERT_TRUE(process.status) << process.status.error().message;
  ExpectSound();
  EXPECT_EQ(process.end.paused, "");
  // Nothing was asked for meanwhile but what was under way.
  int asked = 0;
  for (const MemoryWeb::Request& request : web_.requests()) {
    if (request.when > full_from && request.when < full_from + seconds(60)) ++asked;
  }
  EXPECT_LE(asked, 3);
}

// A minute without room from the first request on.
void ResumeTest::ExpectToWaitForRoom(std::shared_ptr<store::Store> disk) {
  const std::size_t asked = web_.requests().size();
  std::optional<base::Time> full_from;
  UseDisk(std::move(disk), [&](std::uint64_t) {
    if (web_.requests().size() == asked) return false;
    if (!full_from) full_from = clock_.Now();
    return clock_.Now() < *full_from + seconds(60);
  });
  const Process process = RunOnce();
  ASSERT_TRUE(process.status) << process.status.error().message;
  ASSERT_TRUE(full_from);
  EXPECT_GE(clock_.Now(), *full_from + seconds(60));
  EXPECT_EQ(process.end.paused, "");
  ExpectSound();
}

// It is noted there and then that a page does not kill the process, and not with a commit.
TEST_F(ResumeTest, AFullDiskPausesACrawlOfSuspectsToo) {
  auto disk = std::make_shared<store::MemoryStore>();
  UseDisk(disk, [](std::uint64_t n) { return n > 8; });
  options_.journal.full_disk_wait_max = seconds(0);
  ASSERT_FALSE(RunOnce().status);
  store::Batch batch;
  for (const char* page : {"h0.test/", "h1.test/", "h2.test/"}) {
    for (int text = 0; text < kTexts; ++text) {
      const std::string url = std::string("http://") + page + std::to_string(text);
      batch.Put(store::Table::kAbout, "kills:" + url, "\1");
    }
  }
  ASSERT_TRUE(disk->Write(batch, store::Durability::kProcess));
  options_.journal.full_disk_wait_max = seconds(600);
  ExpectToWaitForRoom(std::move(disk));
}

TEST_F(ResumeTest, TheLastCommitWaitsForRoomToo) {
  options_.journal.commit_interval = std::chrono::hours(10);  // so there is no other
  ExpectToWaitForRoom(std::make_shared<store::MemoryStore>());
}

TEST_F(ResumeTest, ADiskThatStaysFullStopsTheCrawlWithItsReason) {
  options_.journal.full_disk_wait_max = seconds(30);
  auto disk = std::make_shared<store::MemoryStore>();
  UseDisk(disk, [](std::uint64_t n) { return n >= 8; });
  const base::Time start = clock_.Now();
  const Process process = RunOnce();
  ASSERT_FALSE(process.status);
  EXPECT_THAT(process.status.error().message, HasSubstr("the disk is full, says the test"));
  EXPECT_GE(clock_.Now() - start, seconds(30));
  EXPECT_LE(clock_.Now() - start, seconds(300));
  UseDisk(disk, [](std::uint64_t) { return false; });
  ASSERT_TRUE(RunOnce().status);
  ExpectSound();
}

TEST_F(ResumeTest, Row103_WhatMustNotChangeIsRefusedByNameAndWhatMayIsTold) {
  ASSERT_TRUE(RunOnce().status);
  options_.contentseen.detector = "minhash";
  const Process refused = RunOnce();
  ASSERT_FALSE(refused.status);
  EXPECT_THAT(refused.status.error().message, HasSubstr("contentseen.detector was \"verified\""));
  options_.contentseen.detector = "verified";
  options_.contentseen.k = 3;
  auto crawl = Create();
  ASSERT_TRUE(crawl);
  ASSERT_EQ((*crawl)->notes().size(), 1U);
  EXPECT_THAT((*crawl)->notes()[0], HasSubstr("contentseen.k was 6 so far and is 3 now"));
}

TEST_F(ResumeTest, ADirectoryOfAnotherFormatIsRefused) {
  for (const char* format : {"0", "99"}) {
    auto disk = std::make_shared<store::MemoryStore>();
    store::Batch batch;
    batch.Put(store::Table::kAbout, "format", format);
    ASSERT_TRUE(disk->Write(batch, store::Durability::kProcess));
    UseDisk(disk, [](std::uint64_t) { return false; });
    const Process refused = RunOnce();
    ASSERT_FALSE(refused.status);
    EXPECT_THAT(refused.status.error().message, HasSubstr("in format " + std::string(format)));
  }
}

TEST_F(ResumeTest, LogsWithoutAStoreAreRefused) {
  fs::create_directories(data_);
  tests::WriteFile(data_ / "pages.jsonl", "{\"url\":\"http://a/\"}\n");
  const Process refused = RunOnce();
  ASSERT_FALSE(refused.status);
  EXPECT_THAT(refused.status.error().message, HasSubstr("cannot be continued"));
  EXPECT_EQ(tests::ReadFile(data_ / "pages.jsonl"), "{\"url\":\"http://a/\"}\n");
}

TEST_F(ResumeTest, SeedsAreKeptBeforeTheFirstRequest) {
  {
    auto crawl = Create();
    ASSERT_TRUE(crawl) << crawl.error().message;
    ASSERT_TRUE((*crawl)->AddSeeds({*frontier::Url::Parse(kSeed)}));
  }  // it dies
  auto crawl = Create();
  ASSERT_TRUE(crawl) << crawl.error().message;
  EXPECT_TRUE((*crawl)->resumes());
  EXPECT_EQ((*crawl)->Snapshot().frontier.queued, 1u);
  ASSERT_TRUE((*crawl)->Run());
  ExpectSound();
}

TEST_F(ResumeTest, ACrawlThatDiedBeforeItKeptItsSeedsIsNotGoneOnWith) {
  ASSERT_TRUE(Create());
  auto crawl = Create();
  ASSERT_TRUE(crawl) << crawl.error().message;
  EXPECT_FALSE((*crawl)->resumes());
}

// All that is asked for fails so: the crawler's own line is cut, the file of certificates is
// replaced, the proxy goes down.
class OutageTest : public ResumeTest, public ::testing::WithParamInterface<FetchError> {};

TEST_P(OutageTest, CostsNoUrlThatWaited) {
  const FetchResponse failure = MemoryWeb::Failure(GetParam());
  bool away = false;
  std::vector<std::string> links;
  for (int i = 0; i < 40; ++i) {
    for (const std::string& host : {std::string("known"), "new" + std::to_string(i)}) {
      links.push_back("http://" + host + ".test/" + std::to_string(i));
      const std::string page = Html(Prose(static_cast<unsigned>(links.size()), 100));
      web_.SetAnswer(links.back(), [&away, page, failure](int) {
        return away ? failure : MemoryWeb::Html(page);
      });
    }
  }
  web_.Page(kSeed, Html(Prose(900, 300), links));
  web_.SetAnswer("http://known.test/robots.txt", [&away](int nth) {
    away = nth == 1;
    return MemoryWeb::Status(404);
  });
  web_.Otherwise("http://", [&away, failure](const std::string&) {
    return away ? failure : MemoryWeb::Status(404);
  });
  options_.frontier.host_failures_max = 6;
  const Process cut = RunOnce();
  ASSERT_TRUE(cut.status);
  EXPECT_EQ(cut.end.frontier.queued_open(), 0u);
  EXPECT_GT(cut.end.frontier.queued_given_up, 40u);
  ASSERT_THAT(cut.notes, ::testing::SizeIs(5));
  EXPECT_THAT(cut.notes[0], HasSubstr(".test was given up (robots.txt: " + failure.error_detail));
  away = false;
  const Process healed = RunOnce();
  ASSERT_TRUE(healed.status);
  EXPECT_EQ(healed.end.frontier.queued, 0u);
  const std::uint64_t lost = healed.end.statistics.InGroup(DispositionGroup::kFailed);
  EXPECT_LE(lost, 3u) << "those whose attempts were over before the host was given up";
  EXPECT_EQ(healed.end.statistics.Of(Disposition::kStored) + lost, links.size() + 1);
}

INSTANTIATE_TEST_SUITE_P(Of, OutageTest,
                         ::testing::Values(FetchError::kConnect, FetchError::kTls,
                                           FetchError::kProxy),
                         [](const auto& test) { return std::string(Name(test.param)); });

TEST_F(ResumeTest, AScopeThatIsNarrowedHoldsForWhatWaits) {
  options_.frontier.pages_max = 2;
  ASSERT_TRUE(RunOnce().status);
  const std::size_t before = web_.requests().size();
  options_.frontier.pages_max = 1'000;
  options_.scope.exclude = {"h[12]"};
  const Process process = RunOnce();
  ASSERT_TRUE(process.status) << process.status.error().message;
  EXPECT_EQ(process.end.frontier.queued_open(), 0u);
  EXPECT_GE(process.end.frontier.queued_out_of_scope, 2u * kTexts - 2);
  const auto requests = web_.requests();
  EXPECT_GT(requests.size(), before);
  for (std::size_t i = before; i < requests.size(); ++i) {
    EXPECT_FALSE(requests[i].url.starts_with("http://h2")) << requests[i].url;
  }
  EXPECT_EQ(process.end.statistics.Ended() + process.end.frontier.queued_out_of_scope,
            process.end.frontier.seen + process.end.statistics.Of(Disposition::kRetry));
  options_.scope.exclude = {};
  const Process wide = RunOnce();
  ASSERT_TRUE(wide.status) << wide.status.error().message;
  EXPECT_EQ(wide.end.frontier.queued, 0u);
  EXPECT_EQ(wide.end.statistics.Ended(),
            wide.end.frontier.seen + wide.end.statistics.Of(Disposition::kRetry));
  EXPECT_GT(wide.end.statistics.Pages(), process.end.statistics.Pages() + 2 * kTexts - 3);
}

// Also where nothing is asked for: what is kept says so, as `status` does.
TEST_F(ResumeTest, ACrawlThatEndsByItsScopeIsKeptAsEnded) {
  options_.frontier.pages_max = 2;
  ASSERT_TRUE(RunOnce().status);
  const std::size_t before = web_.requests().size();
  options_.frontier.pages_max = 1'000;
  options_.scope.exclude = {"^http"};
  frontier::FrontierStats end;
  {
    auto crawl = Create();
    ASSERT_TRUE(crawl) << crawl.error().message;
    ASSERT_TRUE((*crawl)->Run());
    end = (*crawl)->Snapshot().frontier;
  }
  EXPECT_EQ(web_.requests().size(), before);
  EXPECT_EQ(end.queued_open(), 0u);
  auto directory = DataDirectory::Open(data_.string(), {});
  ASSERT_TRUE(directory) << directory.error().message;
  const auto kept = ReadSnapshot((*directory)->store());
  ASSERT_TRUE(kept && *kept);
  EXPECT_GT((*kept)->frontier.queued_out_of_scope, 0u);
  EXPECT_EQ((*kept)->frontier.queued_out_of_scope, end.queued_out_of_scope);
  EXPECT_EQ((*kept)->frontier.queued, end.queued);
}

// Every file of a data directory, a byte here and there: the crawl either refuses the directory
// with a sentence, or ends as if nothing had been.
TEST_F(ResumeTest, Row101_AFlippedBitAnywhereIsRepairedOrRefused) {
  constexpr std::uintmax_t kPlaces = 9;
  options_.frontier.pages_max = 20;
  options_.journal.commit_interval = milliseconds(0);
  ASSERT_TRUE(RunOnce().status);
  ASSERT_TRUE(RunOnce().status);  // has sorted files as well as a log of batches
  options_.frontier.pages_max = 1'000;
  const tests::TempFolder folder;
  fs::copy(data_, folder / "data", fs::copy_options::recursive);
  int refused = 0;
  int repaired = 0;
  for (const auto& file : fs::recursive_directory_iterator(folder / "data")) {
    if (!file.is_regular_file() || file.file_size() == 0) continue;
    for (std::uintmax_t place = 0; place < std::min(kPlaces, file.file_size()); ++place) {
      fs::remove_all(data_);
      fs::copy(folder / "data", data_, fs::copy_options::recursive);
      const fs::path name = fs::relative(file.path(), folder / "data");
      std::string bytes = tests::ReadFile(data_ / name);
      const std::size_t at = place * bytes.size() / std::min(kPlaces, file.file_size());
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << place % 8));
      tests::WriteFile(data_ / name, bytes);
      const Process process = RunOnce();
      if (process.status) {
        ++repaired;
        ExpectSound();
      } else {
        ++refused;
        EXPECT_FALSE(process.status.error().message.empty());
      }
      if (HasFailure()) FAIL() << name << ", byte " << at;
    }
  }
  EXPECT_GT(refused, 20);
  EXPECT_GT(repaired, 0);  // not all files matter: RocksDB's own log of events, say
}

TEST_F(ResumeTest, ATableThatLacksARowOfTheLastCommitIsRefused) {
  options_.frontier.pages_max = 20;
  auto disk = std::make_shared<store::MemoryStore>();
  UseDisk(disk, [](std::uint64_t) { return false; });
  ASSERT_TRUE(RunOnce().status);
  options_.frontier.pages_max = 1'000;
  for (const auto& [table, what] : {std::pair(store::Table::kQueue, "URLs that wait"),
                                    std::pair(store::Table::kSeen, "URLs seen"),
                                    std::pair(store::Table::kDocuments, "documents")}) {
    std::string key;
    std::string value;
    for (auto row = static_cast<const store::Store&>(*disk).Read(table); row->Valid();
         row->Next()) {
      key = row->key();
      value = row->value();
    }
    store::Batch without;
    without.Delete(table, key);
    ASSERT_TRUE(disk->Write(without, store::Durability::kProcess));
    EXPECT_THAT(FindDamage(data_, *disk), Contains(HasSubstr(what)));
    fs::remove_all(data_ / kSeenImageFolder);
    const Process process = RunOnce();
    ASSERT_FALSE(process.status) << what;
    EXPECT_THAT(process.status.error().message, HasSubstr("part of the store is lost"));
    EXPECT_THAT(process.status.error().message, HasSubstr(what));
    store::Batch again;
    again.Put(table, key, value);
    ASSERT_TRUE(disk->Write(again, store::Durability::kProcess));
  }
  EXPECT_THAT(FindDamage(data_, *disk), IsEmpty());
  ASSERT_TRUE(RunOnce().status);
  ExpectSound();
}

// ---- The image of what was seen

class ImageOfSeenTest : public ResumeTest {
 protected:
  ImageOfSeenTest() {
    options_.journal.commit_interval = milliseconds(0);
    Heal();
  }
  void Heal() {
    UseDisk(disk_, [](std::uint64_t) { return false; });
  }
  // Some pages, and an orderly end.
  void RunAFewPages() {
    options_.frontier.pages_max += 8;
    const Process process = RunOnce();
    ASSERT_TRUE(process.status) << process.status.error().message;
    ASSERT_THAT(process.notes, IsEmpty());
    ASSERT_TRUE(fs::exists(data_ / kSeenImageFolder));
  }
  // Whoever reads these documents from the store, and not from the image, does not know them.
  std::size_t ForgetDocuments() {
    store::Batch batch;
    std::size_t forgotten = 0;
    auto cursor = disk_->Read(store::Table::kDocuments, {}, {});
    for (; cursor->Valid(); cursor->Next(), ++forgotten) {
      batch.Delete(store::Table::kDocuments, cursor->key());
    }
    EXPECT_TRUE(disk_->Write(batch, store::Durability::kProcess));
    return forgotten;
  }
  Process RunToTheEnd() {
    options_.frontier.pages_max = 1'000;
    Process process = RunOnce();
    EXPECT_TRUE(process.status) << process.status.error().message;
    return process;
  }

  const std::shared_ptr<store::MemoryStore> disk_ = std::make_shared<store::MemoryStore>();
};

TEST_F(ImageOfSeenTest, IsWhatTheNextProcessBeginsWith) {
  options_.frontier.pages_max = 0;
  RunAFewPages();
  EXPECT_GT(ForgetDocuments(), 3u);
  EXPECT_THAT(RunToTheEnd().notes, IsEmpty());
  ExpectSound();
}

TEST_F(ImageOfSeenTest, ServesAlsoAfterACrashWithWhatCameSinceOnTop) {
  options_.frontier.pages_max = 0;
  RunAFewPages();
  ForgetDocuments();
  UseDisk(disk_, [](std::uint64_t n) { return n >= 20; });
  options_.journal.full_disk_wait_max = seconds(0);
  options_.frontier.pages_max = 1'000;
  ASSERT_FALSE(RunOnce().status);
  Heal();
  EXPECT_THAT(RunToTheEnd().notes, IsEmpty());
  ExpectSound();
}

TEST_F(ImageOfSeenTest, ThatIsDamagedOrGoneIsSaidAndDoneWithout) {
  options_.frontier.pages_max = 0;
  for (const char* part : {"bodies", "texts", "detector"}) {
    RunAFewPages();
    const fs::path path = data_ / kSeenImageFolder / part;
    std::string bytes = tests::ReadFile(path);
    bytes[bytes.size() / 2] ^= 4;
    tests::WriteFile(path, bytes);
    options_.frontier.pages_max += 8;
    const Process process = RunOnce();
    EXPECT_THAT(process.notes, ElementsAre(HasSubstr("is damaged")));
    fs::remove(path);
    options_.frontier.pages_max += 8;
    EXPECT_THAT(RunOnce().notes, ElementsAre(HasSubstr(std::string(part) + ": No such file")));
  }
  RunToTheEnd();
  ExpectSound();
}

// An image half replaced when the process died: none of its names is the one that counts.
TEST_F(ImageOfSeenTest, OfTwoRunsMixedIsRefused) {
  options_.frontier.pages_max = 0;
  RunAFewPages();
  const tests::TempFolder folder;
  fs::copy(data_ / kSeenImageFolder, folder / "seen");
  RunAFewPages();
  fs::copy_file(folder / "seen" / "texts", data_ / kSeenImageFolder / "texts",
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(RunToTheEnd().notes, ElementsAre(HasSubstr("texts: was saved under another name")));
  ExpectSound();
}

TEST_F(ImageOfSeenTest, WithAnotherKIsLeftAlone) {
  options_.frontier.pages_max = 0;
  RunAFewPages();
  options_.contentseen.k = 5;
  EXPECT_THAT(RunToTheEnd().notes, ElementsAre(HasSubstr("contentseen.k was 6")));
  ExpectSound();
}

// The last document that an image names may be one that the table lacks (a page without text).
TEST_F(ImageOfSeenTest, NamesNoDocumentOfALaterRunThatCouldNotUseIt) {
  std::vector<std::string> links = {"empty"};
  for (const std::string kind : {"first/", "copy/"}) {
    for (int i = 0; i < 12; ++i) {
      links.push_back(kind + std::to_string(i));
      web_.Page(kSeed + links.back(), Html(Prose(static_cast<unsigned>(i), 600)));
    }
  }
  web_.Page(kSeed, Html(Prose(900, 300), links));
  options_.frontier.pages_max = 2;
  ASSERT_TRUE(RunOnce().status);
  ASSERT_EQ(Urls("pages.jsonl"), std::set<std::string>{kSeed});
  // Another k cannot use it, and the process dies.
  options_.contentseen.k = 5;
  options_.frontier.pages_max = 1'000;
  options_.journal.full_disk_wait_max = seconds(0);
  UseDisk(disk_, [](std::uint64_t n) { return n >= 12; });
  ASSERT_FALSE(RunOnce().status);
  Heal();
  options_.contentseen.k = 6;
  RunToTheEnd();
  EXPECT_GT(Log("pages.jsonl").size(), 5u);
  EXPECT_EQ(Log("pages.jsonl").size(), 13u);
  EXPECT_EQ(Log("skipped.jsonl").size(), 12u);
}

// What is not committed waits in memory.
TEST_F(ResumeTest, ManySeedsAreCommittedAsTheyAreQueued) {
  options_.journal.commit_interval = milliseconds(0);
  std::uint64_t writes = 0;
  UseDisk(std::make_shared<store::MemoryStore>(), [&writes](std::uint64_t n) {
    writes = n;
    return false;
  });
  std::vector<frontier::Url> seeds;
  for (int i = 0; i < 3'500; ++i) {
    seeds.push_back(*frontier::Url::Parse("http://h" + std::to_string(i) + ".test/"));
  }
  auto crawl = Create();
  ASSERT_TRUE(crawl) << crawl.error().message;
  const std::uint64_t before = writes;
  EXPECT_EQ((*crawl)->AddSeeds(seeds).value().queued, 3'500u);
  EXPECT_GE(writes - before, 3u);
}

TEST_F(ResumeTest, OfManySeedsAsManyAreQueuedAsAreWanted) {
  std::vector<frontier::Url> seeds;
  for (int i = 0; i < 3'500; ++i) {
    seeds.push_back(*frontier::Url::Parse("http://h" + std::to_string(i) + ".test/"));
  }
  UseDisk(std::make_shared<store::MemoryStore>(), [](std::uint64_t) { return false; });
  auto crawl = Create();
  ASSERT_TRUE(crawl) << crawl.error().message;
  int asked = 0;
  EXPECT_EQ((*crawl)->AddSeeds(seeds, [&] { return ++asked == 2; }).value().queued, 2'000u);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ((*crawl)->AddSeeds(seeds).value().queued, 1'500u);
}

TEST_F(ResumeTest, ADirectoryThatIsMovedAwayEndsTheCrawlThatHoldsIt) {
  options_.journal.commit_interval = milliseconds(0);
  web_.SetAnswer("http://seed.test/", [this](int) {
    fs::rename(data_, folder_ / "moved");
    fs::create_directory(data_);
    return MemoryWeb::Html(Html(Prose(1, 100), {"http://a.test/next"}));
  });
  const base::Status status = RunOnce().status;
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr(data_.string() + " was moved or deleted"));
  EXPECT_EQ(web_.CountOf("http://a.test/next"), 0);
  EXPECT_TRUE(fs::is_empty(data_)) << "nothing is written to what stands there now";
}

TEST_F(ResumeTest, LogsGoOnInParts) {
  options_.crawl.log_part_bytes_max = 4'000;
  options_.journal.commit_interval = milliseconds(0);
  options_.frontier.pages_max = 20;
  ASSERT_TRUE(RunOnce().status);
  options_.frontier.pages_max = 1'000;
  ASSERT_TRUE(RunOnce().status);
  EXPECT_TRUE(fs::exists(data_ / "skipped.2.jsonl"));
  EXPECT_TRUE(fs::exists(data_ / "skipped.3.jsonl"));
}

}  // namespace
}  // namespace crawler
