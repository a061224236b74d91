// `contentseen texts`.

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "crawler/data/data_format.h"
#include "tests/crawler/kept_texts.h"
#include "tests/crawler/run_program.h"

namespace crawler {
namespace {

using testing::HasSubstr;
using tests::ProgramRun;
using tests::ReadFile;
using tests::RunProgram;

class TextsCommandTest : public testing::Test {
 protected:
  TextsCommandTest() { WriteKeptTexts(folder_ / "data", {"one\ntext", "another \"text\""}); }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  const tests::TempFolder folder_;
};

TEST_F(TextsCommandTest, WritesALineOfEachText) {
  const ProgramRun run = RunProgram({"texts", Path("data")});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1 stored pages have no text"));
  EXPECT_THAT(run.err, HasSubstr("1 lines of pages.jsonl are no records"));
  std::istringstream lines(run.out);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, R"({"url":"http://a.example/0","title":"Page 0","text":"one\ntext"})");
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(nlohmann::json::parse(line)["text"], "another \"text\"");
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(TextsCommandTest, WritesAFileThatDedupReads) {
  const ProgramRun run = RunProgram({"texts", Path("data"), "-o", Path("texts.jsonl")});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("texts.jsonl: 2 texts\n"));
  EXPECT_EQ(ReadFile(folder_ / "texts.jsonl"), RunProgram({"texts", Path("data")}).out);
  const ProgramRun dedup = RunProgram({"dedup", Path("texts.jsonl"), "--json"});
  EXPECT_EQ(nlohmann::json::parse(dedup.out)["kept"], 2) << dedup.err;
}

TEST_F(TextsCommandTest, DestroysNothingWhereThereIsNothingToWrite) {
  tests::WriteFile(folder_ / "mine", "thesis");
  for (const std::string& data : {Path("none"), Path("empty")}) {
    if (data == Path("empty")) WriteKeptTexts(data, {});
    const ProgramRun run = RunProgram({"texts", data, "-o", Path("mine")});
    EXPECT_EQ(run.code, data == Path("empty") ? 1 : 2);
    EXPECT_THAT(run.err, HasSubstr(data));
    EXPECT_EQ(ReadFile(folder_ / "mine"), "thesis");
  }
  for (const char* command : {"texts", "report", "lexicon"}) {
    const ProgramRun run = RunProgram({command, Path("data"), "-o", Path("no/folder")});
    EXPECT_EQ(run.code, 2) << command;
    EXPECT_THAT(run.err, HasSubstr("no/folder: cannot be written: No such file or directory"));
  }
}

// A crawl writes on while its texts are read: what it stores meanwhile is of the next reading.
TEST_F(TextsCommandTest, ReadsTheLogAsFarAsTheStoreKnowsOfIt) {
  {
    auto log = LogFile::Open(folder_ / "now.jsonl", {}, 1 << 20);
    ASSERT_TRUE(log && (*log)->Write(ReadFile(folder_ / "data" / kPageLogName)));
    store::Batch batch;
    PutLogPart(Log::kPages, **log, batch);
    auto store = store::OpenRocksStore(folder_ / "data" / kTextStoreName, {});
    ASSERT_TRUE(store && (*store)->Write(batch, store::Durability::kProcess));
  }
  const ProgramRun before = RunProgram({"texts", Path("data")});
  const std::string log = ReadFile(folder_ / "data" / kPageLogName);
  tests::WriteFile(folder_ / "data" / kPageLogName, log + log);
  const ProgramRun run = RunProgram({"texts", Path("data")});
  EXPECT_EQ(run.out, before.out);
  EXPECT_THAT(run.err, HasSubstr("1 stored pages have no text"));
  EXPECT_THAT(run.err, HasSubstr("1 lines of pages.jsonl are no records"));
  const auto tuned = nlohmann::json::parse(RunProgram({"tune", Path("data"), "--json"}).out);
  EXPECT_EQ(tuned["pages"], 3);
}

// Its texts are none, whatever it was told to keep; what needs some to work with cannot work.
TEST_F(TextsCommandTest, ACrawlThatStoredNoPageHasNoTexts) {
  WriteKeptTexts(folder_ / "none", {});
  tests::WriteFile(folder_ / "none" / "pages.jsonl", "");
  const std::string why = Path("none") + ": no page was stored\n";
  ProgramRun run = RunProgram({"texts", Path("none")});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, why);
  run = RunProgram({"texts", Path("none"), "-o", Path("texts.jsonl")});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "texts.jsonl"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"lexicon", Path("none"), "-o", "-"},
        std::vector<std::string>{"tune", Path("none")}}) {
    run = RunProgram(command);
    EXPECT_EQ(run.code, 1) << command[0];
    EXPECT_EQ(run.err, "contentseen: " + why);
  }
}

// A second name of the file that is replaced tells whether it was written over.
TEST_F(TextsCommandTest, AnOutputTakesItsPlaceWhenItIsWholeOrIsTheStandardOutput) {
  tests::WriteFile(folder_ / "data" / "skipped.jsonl", "");
  tests::WriteFile(folder_ / "data" / "other.jsonl", "");
  const std::vector<std::vector<std::string>> commands = {
      {"texts", Path("data")},
      {"report", Path("data")},
      {"lexicon", Path("data"), "--nidf-min", "0", "--nidf-max", "100"}};
  for (std::vector<std::string> command : commands) {
    const std::filesystem::path made = folder_ / (command[0] + ".made");
    tests::WriteFile(made, "thesis");
    std::filesystem::create_hard_link(made, folder_ / (command[0] + ".before"));
    command.insert(command.end(), {"-o", made.string()});
    ProgramRun run = RunProgram(command);
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr(made.string() + ": "));
    EXPECT_EQ(ReadFile(folder_ / (command[0] + ".before")), "thesis");
    command.back() = "-";
    run = RunProgram(command);
    EXPECT_EQ(run.out, ReadFile(made)) << run.err;
    EXPECT_NE(run.out, "");
  }
}

}  // namespace
}  // namespace crawler
