// Mistakes on the command line that cost something: files overwritten, checks that were none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/crawler/run_program.h"
#include "tests/read_file.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using testing::HasSubstr;
using tests::ProgramRun;
using tests::ReadFile;
using tests::RunProgram;
using tests::WriteFile;

class CommandMistakesTest : public ::testing::Test {
 protected:
  std::string Made(const std::string& name, const std::string& content) const {
    WriteFile(folder_ / name, content);
    return (folder_ / name).string();
  }
  // Refused, and everything there is as it was.
  void ExpectRefused(const std::vector<std::string>& arguments, const std::string& file) const {
    const std::string before = ReadFile(file);
    const ProgramRun run = RunProgram(arguments, folder_.path().string());
    EXPECT_EQ(run.code, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(run.err, HasSubstr("would overwrite"));
    EXPECT_EQ(ReadFile(file), before);
  }

  const tests::TempFolder folder_;
};

TEST_F(CommandMistakesTest, NoOutputDestroysAnInput) {
  const std::string corpus = Made("c.jsonl", "{\"url\": \"http://a.test/\", \"text\": \"a b\"}\n");
  ExpectRefused({"dedup", "c.jsonl", "--kept", corpus}, corpus);
  ExpectRefused({"dedup", corpus, "--skipped", "./c.jsonl"}, corpus);
  ExpectRefused({"dedup", corpus, "--kept", "x", "--skipped", "x"}, corpus);
  ExpectRefused({"dedup", corpus, "--kept", "o", "--output", "o"}, corpus);
  const std::string f = Made("f.hex", "0000000000000000\n");
  const std::string q = Made("q.hex", "0000000000000001\n");
  ExpectRefused({"index", "join", f, q, "--output", "f.hex"}, f);
  ExpectRefused({"index", "join", f, q, "--output", q}, q);
  const std::string pages = Made("pages.jsonl", "{}\n");
  ExpectRefused({"report", folder_.path().string(), "-o", pages}, pages);
}

TEST_F(CommandMistakesTest, PairsGoBehindWhatTheOutputHolds) {
  const std::string f = Made("f.hex", "0000000000000000\n");
  const std::string all = Made("all", "before\n");
  const std::string command =
      std::string(CONTENTSEEN_PROGRAM) + " index join " + f + " " + f + " 2>/dev/null";
  ASSERT_EQ(std::system((command + " >> " + all).c_str()), 0);
  EXPECT_EQ(ReadFile(all), "before\n0000000000000000 0000000000000000\n");
  ASSERT_EQ(std::system(("(echo head; " + command + ") > " + all).c_str()), 0);
  EXPECT_EQ(ReadFile(all), "head\n0000000000000000 0000000000000000\n");
}

TEST_F(CommandMistakesTest, WhatACrawlWouldRefuseIsNoGoodConfiguration) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"contentseen.host_sketch_kib=5"}, "contentseen.host_sketch_kib must be a power of two"},
      {{"contentseen.detector=i-match"}, "needs a lexicon"},
      {{"fetch.ca_file=/nowhere/ca.pem"}, "/nowhere/ca.pem"},
      {{"fetch.cookies=/nowhere/cookies.txt"}, "/nowhere/cookies.txt"},
      {{"metrics.listen=192.0.2.1:80"}, "cannot listen on 192.0.2.1:80"},
      {{"scope.exclude=["}, "scope"},
      {{"scope.exclude=[\"/private\"]"}, "takes one plain value"},
      {{"url.drop_parameters=[]"}, "takes one plain value"}};
  for (const auto& [settings, expected] : mistakes) {
    std::vector<std::string> arguments = {"crawl", "--check-config"};
    for (const std::string& setting : settings) {
      arguments.insert(arguments.end(), {"--set", setting});
    }
    const ProgramRun run = RunProgram(arguments, folder_.path().string());
    EXPECT_EQ(run.code, 2) << expected;
    EXPECT_THAT(run.err, HasSubstr(expected));
  }
  EXPECT_EQ(RunProgram({"crawl", "--check-config"}, folder_.path().string()).code, 0);
  EXPECT_EQ(RunProgram({"compare", "a", "b", "--set", "contentseen.host_sketch_kib=5"}).code, 2);
}

TEST_F(CommandMistakesTest, AreNamed) {
  ProgramRun run = RunProgram({"crwl"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("there is no command 'crwl'"));
  for (const std::vector<std::string>& zero :
       {std::vector<std::string>{"index", "plan", "--n", "0"},
        {"index", "plan", "--n", "99999999999999999999"},
        {"skipped", "x", "--limit", "0"},
        {"skipped", "x", "--diff", "0"}}) {
    run = RunProgram(zero);
    EXPECT_EQ(run.code, 2);
    EXPECT_LT(run.err.size(), 200U) << run.err;
  }
  EXPECT_EQ(RunProgram({"status", "--check", "--json"}).code, 2);
  EXPECT_EQ(RunProgram({"skipped", "--csv", "--group-by", "host"}).code, 2);
}

}  // namespace
}  // namespace crawler
