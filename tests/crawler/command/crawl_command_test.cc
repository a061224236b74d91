// What `crawl` does to a data directory that is not empty. The seed is in a network that is not
// open, so that nothing is asked of anybody.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "contentseen/detectors/lexicon.h"
#include "crawler/crawl/crawl_state.h"
#include "crawler/crawl/data_directory.h"
#include "tests/crawler/run_program.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using tests::ProgramRun;
using tests::ReadFile;
using tests::WriteFile;

class CrawlCommandTest : public testing::Test {
 protected:
  CrawlCommandTest() { WriteFile(folder_ / "seeds.txt", "http://127.0.0.1/\n"); }
  fs::path data() const { return folder_ / "data"; }
  ProgramRun Begin(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), (folder_ / "seeds.txt").string());
    return GoOn(std::move(arguments));
  }
  ProgramRun GoOn(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"crawl", "--data", data().string()});
    return tests::RunProgram(arguments);
  }

  const tests::TempFolder folder_;
};

TEST_F(CrawlCommandTest, GoesOnAsItWasRunBeforeWhereNothingElseIsSaid) {
  ASSERT_EQ(Begin({"--scope", "any", "--delay", "0s", "--set", "log.level=quiet"}).code, 0);
  ProgramRun run = GoOn();
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.err, AllOf(HasSubstr("  scope.reach = \"any\"\n"),
                             HasSubstr("  politeness.delay = \"0s\"\n"),
                             Not(HasSubstr("crawl.data")), Not(HasSubstr("log.level"))));
  run = GoOn({"--scope", "host"});
  EXPECT_THAT(run.err, AllOf(HasSubstr("delay"), Not(HasSubstr("scope.reach = "))));
  WriteFile(folder_ / "my.toml", "[politeness]\ndelay = \"2s\"\n");
  GoOn({"--config", (folder_ / "my.toml").string()});
  EXPECT_THAT(GoOn().err, AllOf(HasSubstr("politeness.delay = \"2s\""), Not(HasSubstr("reach"))));
}

TEST_F(CrawlCommandTest, ComparesPagesAsBeforeWithoutBeingTold) {
  ASSERT_EQ(Begin({"--detector", "simhash", "--k", "5"}).code, 0);
  const ProgramRun run = GoOn();
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("contentseen.detector = \"simhash\""),
                             HasSubstr("contentseen.k = 5")));
}

TEST_F(CrawlCommandTest, AFileIsTheSameFromAnyDirectory) {
  const std::string elsewhere = (folder_ / "elsewhere").string();
  fs::create_directories(elsewhere);
  ASSERT_EQ(tests::RunProgram({"crawl", "seeds.txt", "--data", "data", "--cookies", "jar.txt"},
                              folder_.path().string())
                .code,
            0);
  ASSERT_TRUE(fs::exists(folder_ / "jar.txt"));
  const ProgramRun run = tests::RunProgram({"crawl", "--data", "../data"}, elsewhere);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("fetch.cookies = \"/"));
  EXPECT_TRUE(fs::is_empty(elsewhere));
}

TEST_F(CrawlCommandTest, AGoodConfigurationIsOneThatTheCrawlCanGoOnWith) {
  ASSERT_EQ(Begin().code, 0);
  EXPECT_EQ(GoOn({"--check-config"}).code, 0);
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--detector", "simhash"}, {"--drop-parameter", "x"}}) {
    std::vector<std::string> arguments = {"--check-config"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const ProgramRun run = GoOn(arguments);
    EXPECT_EQ(run.code, 2) << wrong[0];
    EXPECT_THAT(run.err, HasSubstr("when this crawl began"));
    EXPECT_EQ(run.err, GoOn(wrong).err);
    arguments.emplace_back("--fresh");
    EXPECT_EQ(GoOn(arguments).code, 0);
  }
  EXPECT_TRUE(fs::exists(data()));
}

TEST_F(CrawlCommandTest, AGoodConfigurationHasSeedsThatCanBeRead) {
  EXPECT_EQ(Begin({"--check-config"}).code, 0);
  EXPECT_EQ(Begin({"--check-config", "--exclude", "."}).code, 2);
  const ProgramRun run = GoOn({"--check-config", (folder_ / "none.txt").string()});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("none.txt: No such file"));
  const ProgramRun bad = Begin({"--check-config", "ftp://a.example/"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(bad.out, "");
  EXPECT_THAT(bad.err, AllOf(HasSubstr("ftp://a.example/"), HasSubstr("cannot be used: 1")));
  EXPECT_FALSE(fs::exists(data()));
}

TEST_F(CrawlCommandTest, ASeedMayBeNamedItself) {
  ProgramRun run = GoOn({"http://127.0.0.1/a", "http://127.0.0.1/b"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(ReadFile(data() / "other.jsonl"),
              AllOf(HasSubstr("http://127.0.0.1/a"), HasSubstr("http://127.0.0.1/b")));
  run = GoOn({"ftp://127.0.0.1/"});
  EXPECT_THAT(run.err, HasSubstr("command line:1: "));
  run = tests::RunProgram({"crawl", data().string()});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("to go on with it, contentseen crawl --data " + data().string()));
}

TEST_F(CrawlCommandTest, ASecretIsNotKeptAndMustBeSaidAgain) {
  ASSERT_EQ(Begin({"--header", "X-Key: open-sesame"}).code, 0);
  for (const auto& file : fs::recursive_directory_iterator(data())) {
    if (file.is_regular_file()) {
      EXPECT_THAT(ReadFile(file.path()), Not(HasSubstr("open-sesame"))) << file.path();
    }
  }
  const ProgramRun run = GoOn();
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("fetch.headers was set"), HasSubstr("give it again")));
  EXPECT_EQ(GoOn({"--header", "X-Key: open-sesame"}).code, 0);
  EXPECT_EQ(GoOn({"--set", "fetch.headers="}).code, 0);
  EXPECT_EQ(GoOn().code, 0);
}

TEST_F(CrawlCommandTest, ALexiconIsKnownByItsTermsNotByItsName) {
  const fs::path lexicon = folder_ / "my.lexicon";
  const auto write = [&](const std::string& term) {
    contentseen::LexiconBuilder builder;
    contentseen::AnalyzedText text{contentseen::FeatureOptions{}};
    for (int i = 0; i < 10; ++i) {
      text.Assign(i < 3 ? term + " common words" : "common words");
      builder.Add(text);
    }
    ASSERT_TRUE(
        builder.Build({.nidf_min_percent = 0, .nidf_max_percent = 100}).Write(lexicon.string()));
  };
  write("apple");
  ASSERT_EQ(
      Begin({"--detector", "i-match", "--set", "contentseen.lexicon=" + lexicon.string()}).code,
      0);
  EXPECT_EQ(GoOn().code, 0);
  fs::rename(lexicon, folder_ / "moved.lexicon");
  EXPECT_EQ(GoOn().code, 2);
  const std::string moved = (folder_ / "moved.lexicon").string();
  EXPECT_EQ(GoOn({"--set", "contentseen.lexicon=" + moved}).code, 0);
  write("pear");
  const ProgramRun run = GoOn({"--set", "contentseen.lexicon=" + lexicon.string()});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("this crawl began with version"));
}

TEST_F(CrawlCommandTest, FreshDeletesACrawlOnlyWhereThatIsAgreedTo) {
  ASSERT_EQ(Begin().code, 0);
  const std::string before = ReadFile(data() / "other.jsonl");
  ASSERT_FALSE(before.empty());
  const ProgramRun run = Begin({"--fresh"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("add --yes"));
  EXPECT_EQ(ReadFile(data() / "other.jsonl"), before);
  EXPECT_EQ(Begin({"--fresh", "--yes", "--scope", "any"}).code, 0);
  EXPECT_THAT(GoOn().err, HasSubstr("1 pages done"));
}

TEST_F(CrawlCommandTest, FreshDeletesNothingWhereThereIsNoCrawl) {
  for (const char* name : {"texts", "seen", "warc"}) {
    fs::create_directories(data() / name);
    WriteFile(data() / name / "mine.txt", "thesis");
  }
  EXPECT_EQ(Begin({"--fresh"}).code, 0);
  for (const char* name : {"texts", "seen", "warc"}) {
    EXPECT_EQ(ReadFile(data() / name / "mine.txt"), "thesis") << name;
  }
}

TEST_F(CrawlCommandTest, AnArchiveOfAnotherCrawlIsNotTouched) {
  const fs::path archive = data() / "warc" / "contentseen-20260101000000-00001.warc.gz";
  fs::create_directories(archive.parent_path());
  WriteFile(archive, "pages");
  for (const char* how : {"--yes", "--fresh"}) {
    const ProgramRun run = Begin({how});
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.err, HasSubstr("holds the WARC files of another crawl"));
    EXPECT_EQ(ReadFile(archive), "pages");
    EXPECT_FALSE(fs::exists(data() / "store"));
  }
}

TEST_F(CrawlCommandTest, LogsWithoutAStoreAreRefusedBeforeAnythingIsMade) {
  fs::create_directories(data());
  WriteFile(data() / "pages.jsonl", "{}\n");
  EXPECT_EQ(Begin().code, 2);
  EXPECT_FALSE(fs::exists(data() / "store"));
  EXPECT_EQ(ReadFile(data() / "pages.jsonl"), "{}\n");
}

// As after a kill in its first moments.
TEST_F(CrawlCommandTest, ACrawlThatHasKeptNoSeedsAsksForThem) {
  ASSERT_TRUE(DataDirectory::Open(data().string(), {}));
  const ProgramRun run = GoOn();
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("name a file of seed URLs"));
  EXPECT_EQ(GoOn({"--check-config"}).err, run.err);
  EXPECT_EQ(Begin({"--check-config"}).code, 0);
  EXPECT_THAT(tests::RunProgram({"status", data().string()}).out, HasSubstr("was stopped before"));
  EXPECT_EQ(Begin().code, 0);
  EXPECT_THAT(GoOn().err, HasSubstr("1 pages done"));
}

// As the last commit of a crawl that has grown too large says; nothing of it is loaded.
TEST_F(CrawlCommandTest, ACrawlThatNeedsMoreMemoryIsRefusedWithTheLeastThatWouldDo) {
  ASSERT_EQ(Begin().code, 0);
  {
    auto directory = DataDirectory::Open(data().string(), {});
    ASSERT_TRUE(directory);
    auto at = ReadSnapshot((*directory)->store());
    ASSERT_TRUE(at && *at);
    (*at)->memory.documents = 2'000'000'000;
    store::Batch batch;
    PutSnapshot(**at, batch);
    ASSERT_TRUE((*directory)->store().Write(batch, store::Durability::kProcess));
  }
  for (const std::vector<std::string>& how : {std::vector<std::string>{}, {"--check-config"}}) {
    const ProgramRun run = GoOn(how);
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.err, HasSubstr("go on with --memory-mb 2286 or more"));
  }
  EXPECT_EQ(GoOn({"--check-config", "--memory-mb", "2286"}).code, 0);
  EXPECT_EQ(GoOn({"--memory-mb", "2286"}).code, 0);
}

TEST_F(CrawlCommandTest, ItsLastLinesSayHowItEnded) {
  const std::string sentence = "\nThe crawl in " + data().string() + " has come to its end.\n";
  EXPECT_THAT(Begin().out, EndsWith(sentence));
  EXPECT_THAT(GoOn({"--json"}).out, StartsWith("{\"state\":\"ended\","));
}

TEST_F(CrawlCommandTest, SaysWhichSeedsAreNotAskedForAgain) {
  EXPECT_THAT(Begin().err, Not(HasSubstr("seeds not queued")));
  EXPECT_THAT(Begin().err, HasSubstr("seeds not queued:\n  1 known: "));
}

// As after `ulimit -f 8`.
TEST_F(CrawlCommandTest, AFileThatMayNotGrowIsADiskThatCannotBeWritten) {
  const ProgramRun run =
      tests::RunProgram({"crawl", (folder_ / "seeds.txt").string(), "--data", data().string(),
                         "--set", "store.full_disk_wait_max=0s"},
                        "", /*descriptors_max=*/0, /*file_bytes_max=*/8192);
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("cannot be written"), HasSubstr("File too large")));
}

TEST_F(CrawlCommandTest, SeedsThatNoneMayBeCrawledBeginNothing) {
  for (int i = 0; i < 2; ++i) {
    const ProgramRun run = Begin({"--exclude", "."});
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.err, AllOf(HasSubstr("1 excluded"), HasSubstr("admits none of the seeds")));
    EXPECT_FALSE(fs::exists(data()));
  }
}

}  // namespace
}  // namespace crawler
