#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "crawler/crawl/crawl_state.h"
#include "crawler/crawl/data_directory.h"
#include "crawler/data/data_format.h"
#include "tests/crawler/run_program.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using tests::ProgramRun;

class StatusCommandTest : public testing::Test {
 protected:
  std::string data() const { return (folder_ / "data").string(); }
  ProgramRun Status(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"status", "--data", data()});
    return tests::RunProgram(arguments);
  }
  std::string State() const {
    const ProgramRun run = Status({"--json"});
    EXPECT_EQ(run.code, 0) << run.err;
    return nlohmann::json::parse(run.out).at("state");
  }
  // A crawl with three parts of its log of pages, in two commits each.
  void MakeCrawl() const {
    auto made = DataDirectory::Open(data(), {.log_part_bytes_max = 1});
    ASSERT_TRUE(made) << made.error().message;
    LogFiles logs = (*made)->TakeLogs();
    LogFile& pages = *logs[static_cast<std::size_t>(Log::kPages)];
    for (int n = 0; n < 3; ++n) {
      ASSERT_TRUE(pages.Write("{\"url\":\"http://a/" + std::to_string(n) + "\"}\n"));
      store::Batch batch;
      PutLogPart(Log::kPages, pages, batch);
      PutSnapshot(CrawlSnapshot(), batch);
      ASSERT_TRUE((*made)->store().Write(batch, store::Durability::kProcess));
      pages.Commit();
    }
  }
  void Put(const CrawlSnapshot& at) const {
    auto made = DataDirectory::Open(data(), {});
    ASSERT_TRUE(made) << made.error().message;
    store::Batch batch;
    PutSnapshot(at, batch);
    ASSERT_TRUE((*made)->store().Write(batch, store::Durability::kProcess));
  }
  void PutFormat(const std::string& format) const {
    auto made = DataDirectory::Open(data(), {});
    ASSERT_TRUE(made) << made.error().message;
    store::Batch batch;
    batch.Put(store::Table::kAbout, "format", format);
    ASSERT_TRUE((*made)->store().Write(batch, store::Durability::kProcess));
  }

  tests::TempFolder folder_;
};

TEST_F(StatusCommandTest, SaysWhenThereIsNoCrawl) {
  const ProgramRun run = Status();
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("holds no crawl"));
}

// A crawl may die while it makes its store, or before its first commit.
TEST_F(StatusCommandTest, ACrawlThatDiedBeforeItFetchedAnythingIsCalledSo) {
  fs::create_directories(StorePath(data()));
  EXPECT_THAT(Status().out, HasSubstr("was stopped before it fetched anything"));
  EXPECT_THAT(tests::RunProgram({"status", data()}).out, HasSubstr("was stopped before"));
  EXPECT_EQ(State(), "not begun");
  ASSERT_TRUE(DataDirectory::Open(data(), {}));
  EXPECT_EQ(State(), "not begun");
}

TEST_F(StatusCommandTest, SaysWhatACrawlWaitsForAndHowItGoesOn) {
  CrawlSnapshot at;
  at.frontier.queued = 5;
  Put(at);
  EXPECT_THAT(Status().out, HasSubstr("was stopped. Go on with it by\ncontentseen crawl --data"));
  EXPECT_EQ(State(), "stopped");
  at.frontier.queued_given_up = 3;
  at.frontier.pages_max_reached = 10;
  Put(at);
  EXPECT_THAT(Status().out, AllOf(HasSubstr("stopped at crawl.pages_max = 10"),
                                  HasSubstr(data() + " --max-pages N\n"),
                                  HasSubstr("  2 URLs were still waiting\n")));
  EXPECT_EQ(State(), "stopped");
  at.frontier.queued_given_up = 5;  // who did not answer is not asked either
  Put(at);
  EXPECT_THAT(Status().out, HasSubstr("stopped at crawl.pages_max = 10"));
  EXPECT_EQ(State(), "stopped");
  at.frontier.pages_max_reached = 0;
  at.time_max_reached = 7'200;
  Put(at);
  EXPECT_THAT(Status().out, AllOf(HasSubstr("come to its end, but for hosts that did not answer"),
                                  HasSubstr("contentseen crawl --data " + data()),
                                  HasSubstr("  5 URLs wait for hosts that did not answer")));
  EXPECT_EQ(State(), "ended");
  at.frontier.queued_given_up = 0;
  at.frontier.queued_out_of_scope = 5;
  Put(at);
  EXPECT_THAT(Status().out, AllOf(HasSubstr("has come to its end.\n"),
                                  HasSubstr("  5 URLs wait outside the scope: ")));
  EXPECT_EQ(State(), "ended");
  at.frontier.queued_given_up = 5;
  at.frontier.queued_out_of_scope = 0;
  at.frontier.queued = 6;
  Put(at);
  EXPECT_THAT(Status().out,
              HasSubstr("stopped after crawl.time_max = \"2h\". Go on with it, for as long again, "
                        "by\ncontentseen crawl --data " +
                        data() + "\n"));
  EXPECT_EQ(State(), "stopped");
  EXPECT_THAT(Status({"--json"}).out, HasSubstr("\"time_max_reached\":7200"));
}

TEST_F(StatusCommandTest, TellsTheOwnerBeforeTheFirstCommit) {
  auto data_directory = DataDirectory::Open(data(), {});
  ASSERT_TRUE(data_directory);
  const ProgramRun run = Status();
  EXPECT_THAT(run.out, HasSubstr("is crawling in"));
  EXPECT_THAT(run.out, HasSubstr("Nothing was fetched yet"));
  EXPECT_EQ(State(), "running");
}

TEST_F(StatusCommandTest, AnotherFormatIsRefusedOlderOrNewerWhoeverReads) {
  for (const char* format : {"0", "1", "99"}) {
    fs::remove_all(data());
    PutFormat(format);
    tests::WriteFile(folder_ / "seeds.txt", "http://a.test/\n");
    const std::string seeds = (folder_ / "seeds.txt").string();
    const std::vector<std::vector<std::string>> commands = {
        {"status", "--data", data()},
        {"status", "--check", "--data", data()},
        {"crawl", seeds, "--data", data()},
        {"skipped", data(), "--diff", "1"},
        {"tune", data()},
    };
    for (const auto& command : commands) {
      if (command[0] == "skipped") {
        tests::WriteFile(
            folder_ / "data" / "skipped.jsonl",
            R"({"url":"http://b/","final_url":"http://b/","kind":"near","distance":1,"k":3,)"
            R"("original_url":"http://a/","text_id":2,"original_text_id":1})"
            "\n");
      }
      const ProgramRun run = tests::RunProgram(command);
      EXPECT_NE(run.code, 0) << command[0];
      EXPECT_THAT(run.err, HasSubstr("holds a crawl in format " + std::string(format)))
          << command[0];
      EXPECT_THAT(run.err, HasSubstr("continue it with the program that began it")) << command[0];
    }
  }
}

// Opening reads the last part of a log only; a check reads all.
TEST_F(StatusCommandTest, ACheckNamesEveryDamagedFile) {
  MakeCrawl();
  EXPECT_EQ(Status({"--check"}).code, 0) << Status({"--check"}).err;
  for (const char* name : {"pages.jsonl", "pages.2.jsonl", "pages.3.jsonl"}) {
    const fs::path file = fs::path(data()) / name;
    const std::string bytes = tests::ReadFile(file);
    ASSERT_FALSE(bytes.empty());
    for (std::size_t at = 0; at < bytes.size(); at += 11) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
      tests::WriteFile(file, flipped);
      const ProgramRun run = Status({"--check"});
      EXPECT_EQ(run.code, 1) << name << " " << at;
      EXPECT_THAT(run.err, HasSubstr(file.string() + ": was changed or damaged"));
    }
    tests::WriteFile(file, bytes);
  }
  EXPECT_EQ(Status({"--check"}).code, 0);
  fs::remove(fs::path(data()) / "pages.2.jsonl");
  EXPECT_THAT(Status({"--check"}).err, HasSubstr("pages.2.jsonl: cannot be opened"));
}

}  // namespace
}  // namespace crawler
