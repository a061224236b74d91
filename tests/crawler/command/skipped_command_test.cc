#include "crawler/command/skipped_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "crawler/data/skip_log.h"
#include "crawler/data/text_store.h"
#include "store/rocks_store.h"
#include "tests/crawler/run_program.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using contentseen::Kind;
using testing::HasSubstr;
using tests::ProgramRun;
using tests::RunProgram;
using tests::TempFolder;

SkipRecord Record(Kind kind, const std::string& url, const std::string& original, int distance) {
  SkipRecord record;
  record.time = base::WallTime(std::chrono::seconds(1'767'225'600));
  record.url = record.final_url = url;
  record.kind = kind;
  record.distance = distance;
  record.k = 3;
  record.original_url = original;
  return record;
}

/// A data directory with four skipped pages and some of their texts.
class SkippedCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(data());
    std::string log;
    log += LogLine(Record(Kind::kExactBytes, "http://a.example/copy", "http://a.example/1", 0));
    SkipRecord near = Record(Kind::kNear, "http://b.example/edited", "http://a.example/1", 2);
    near.text_id = 2;
    near.original_text_id = 1;
    near.title = "An \x1b[31mevil\n title";
    log += LogLine(near);
    log +=
        LogLine(Record(Kind::kExactText, "http://www.b.example/print", "http://b.example/2", 0));
    SkipRecord verified = Record(Kind::kNear, "http://c.example/x", "http://c.example/3", 3);
    verified.evidence = "71 of 100 shingles, 61 of 64 bits";
    log += LogLine(verified);
    tests::WriteFile(data() / kSkipLogName, log);
    auto store = store::OpenRocksStore(data() / kTextStoreName, {});
    ASSERT_TRUE(store);
    store::Batch texts;
    PutText(1, "The harbour opens at nine in the morning.", 1000, texts);
    PutText(2, "The harbour opens at ten in the morning. Today: 晴", 1000, texts);
    ASSERT_TRUE((*store)->Write(texts, store::Durability::kProcess));
  }

  std::filesystem::path data() const { return folder_ / "crawl data"; }
  ProgramRun Run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"skipped", data().string()});
    return RunProgram(arguments);
  }

  TempFolder folder_;
};

TEST_F(SkippedCommandTest, Row111_NoCellOfATableIsAFormula) {
  std::string log;
  for (const char* title : {"=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1",
                            "a \"b\", c", "two\nlines"}) {
    SkipRecord record = Record(Kind::kNear, "http://a.example/x", "http://a.example/1", 1);
    record.title = title;
    log += LogLine(record);
  }
  tests::WriteFile(data() / kSkipLogName, log);
  const ProgramRun run = Run({"--csv"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("n,time,url,final_url,kind,distance,")) << run.out;
  for (const char* cell :
       {"\"'=cmd|' /C calc'!A0\"", "\"'+1\"", "\"'-1\"", "\"'@SUM(A1)\"", "\"'\\x09=1\"",
        "\"'\\x0d=1\"", "\"a \"\"b\"\", c\"", "\"two\\x0alines\""}) {
    EXPECT_THAT(run.out, HasSubstr("," + std::string(cell) + ",")) << cell;
  }
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 9);
  EXPECT_EQ(Run({"--csv", "--json"}).code, 2);
  EXPECT_EQ(RunProgram({"skipped", data().string(), "--csv", "--limit", "2"}).out.find("@SUM"),
            std::string::npos);
}

TEST_F(SkippedCommandTest, ShowsATable) {
  ProgramRun run = Run({});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out,
            "N  KIND         BITS  WHY                 URL                         ORIGINAL\n"
            "1  exact-bytes     0                      http://a.example/copy       "
            "http://a.example/1\n"
            "2  near            2                      http://b.example/edited     "
            "http://a.example/1\n"
            "3  exact-text      0                      http://www.b.example/print  "
            "http://b.example/2\n"
            "4  near            3  71 of 100 shingles  http://c.example/x          "
            "http://c.example/3\n");
}

TEST_F(SkippedCommandTest, FitsATerminalAndColoursIt) {
  std::string out;
  std::string err;
  Terminal terminal{Output(&out, 60, true), Output(&err)};
  EXPECT_EQ(RunCommandLine({"skipped", data().string(), "--limit", "1"}, terminal), kExitOk);
  EXPECT_THAT(out, HasSubstr("\x1b[33mexact-bytes\x1b[0m"));
  EXPECT_THAT(out, HasSubstr("... and 3 more (--limit 4 shows all)"));
}

TEST_F(SkippedCommandTest, Filters) {
  auto numbers = [&](std::vector<std::string> arguments) {
    arguments.push_back("--json");
    ProgramRun run = Run(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    std::vector<int> found;
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) {
      found.push_back(nlohmann::json::parse(line)["n"].get<int>());
    }
    return found;
  };
  using N = std::vector<int>;
  EXPECT_EQ(numbers({}), (N{1, 2, 3, 4}));
  EXPECT_EQ(numbers({"--kind", "near"}), (N{2, 4}));
  EXPECT_EQ(numbers({"--kind", "exact"}), (N{1, 3}));
  EXPECT_EQ(numbers({"--kind", "near", "--kind", "exact-text"}), (N{2, 3, 4}));
  EXPECT_EQ(numbers({"--host", "b.example"}), (N{2, 3}));
  EXPECT_EQ(numbers({"--host", "B.Example:80"}), (N{2, 3}));
  EXPECT_EQ(numbers({"--distance", "3"}), (N{4}));
  EXPECT_EQ(numbers({"--distance", "1..3"}), (N{2, 4}));
  EXPECT_EQ(numbers({"--original", "a.example/1"}), (N{1, 2}));
  EXPECT_EQ(numbers({"--since", "2026-01-01T00:00:00Z"}), (N{1, 2, 3, 4}));
  EXPECT_EQ(numbers({"--since", "2026-01-01T00:00:01Z"}), N{});
  EXPECT_EQ(numbers({"--limit", "2"}), (N{1, 2}));
  EXPECT_EQ(numbers({"--kind", "near", "--distance", "0"}), N{});
}

TEST_F(SkippedCommandTest, Groups) {
  EXPECT_EQ(Run({"--group-by", "original"}).out,
            "PAGES  EXACT  NEAR  ORIGINAL\n"
            "    2      1     1  http://a.example/1\n"
            "    1      1     0  http://b.example/2\n"
            "    1      0     1  http://c.example/3\n");
  EXPECT_EQ(Run({"--group-by", "distance", "--kind", "near"}).out,
            "PAGES  EXACT  NEAR  BITS\n"
            "    1      0     1  2\n"
            "    1      0     1  3\n");
  EXPECT_EQ(Run({"--group-by", "host", "--json", "--limit", "1"}).out,
            R"({"host":"a.example","pages":1,"exact":1,"near":0})"
            "\n");
  EXPECT_EQ(Run({"--group-by", "distance", "--json", "--kind", "near", "--limit", "1"}).out,
            R"({"distance":2,"pages":1,"exact":0,"near":1})"
            "\n");
}

TEST_F(SkippedCommandTest, DiffsAPageWithItsOriginal) {
  ProgramRun run = Run({"--diff", "2"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out,
            "- http://a.example/1  (original)\n"
            "+ http://b.example/edited  (skipped: near, 2 of 64 bits differ, k = 3)\n"
            "  7 words in both, 1 word only in the original, 3 words only in the skipped page\n\n"
            "The harbour opens at [-nine-] {+ten+} in the morning. {+Today: 晴+}\n");
  auto json = nlohmann::json::parse(Run({"--diff", "2", "--json"}).out);
  EXPECT_EQ(json["words_added"], 3);
  EXPECT_EQ(json["runs"][1]["removed"], "nine");
}

TEST_F(SkippedCommandTest, SaysWhyThereIsNoDiff) {
  ProgramRun run = Run({"--diff", "1"});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("the text of the original http://a.example/1 was not kept"));
  run = Run({"--diff", "9"});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("there is no skipped page 9"));
}

TEST_F(SkippedCommandTest, PassesOverBadLinesAndSaysSo) {
  std::string log = tests::ReadFile(data() / kSkipLogName);
  tests::WriteFile(data() / kSkipLogName, "junk\n" + log + "{\"url\":");
  ProgramRun run = Run({"--limit", "1"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.out, HasSubstr("2  exact-bytes")) << "numbers are those of the lines";
  EXPECT_THAT(run.err, HasSubstr("skipped.jsonl:1: is not a JSON object"));
}

TEST_F(SkippedCommandTest, NamesWhatIsWrongWithItsArguments) {
  for (std::vector<std::string> arguments : {std::vector<std::string>{"--kind", "new"},
                                             {"--distance", "x"},
                                             {"--since", "now"},
                                             {"--group-by", "url"},
                                             {"--limit", "-1"},
                                             {"--nonsense"}}) {
    ProgramRun run = Run(arguments);
    EXPECT_EQ(run.code, 2) << arguments[0];
    EXPECT_NE(run.err, "") << arguments[0];
    EXPECT_EQ(run.out, "") << arguments[0];
  }
  for (const char* group : {"url", "1"}) {
    EXPECT_THAT(Run({"--group-by", group}).err,
                HasSubstr("--group-by: must be original, host or distance"));
  }
}

TEST(SkippedCommand, NamesAMissingDirectory) {
  TempFolder folder;
  ProgramRun run = RunProgram({"skipped"}, folder.path().string());
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.err, "contentseen: contentseen-data holds no crawl: name the directory of one\n");
}

}  // namespace
}  // namespace crawler
