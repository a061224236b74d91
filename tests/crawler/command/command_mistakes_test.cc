// Mistakes on the command line that cost something: files overwritten, checks that were none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
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
  const auto quoted = [](const std::string& word) { return " '" + word + "' "; };
  const std::string command =
      quoted(CONTENTSEEN_PROGRAM) + "index join" + quoted(f) + quoted(f) + "2>/dev/null";
  ASSERT_EQ(std::system((command + " >>" + quoted(all)).c_str()), 0);
  EXPECT_EQ(ReadFile(all), "before\n0000000000000000 0000000000000000\n");
  ASSERT_EQ(std::system(("(echo head; " + command + ") >" + quoted(all)).c_str()), 0);
  EXPECT_EQ(ReadFile(all), "head\n0000000000000000 0000000000000000\n");
  ASSERT_EQ(std::system(("(" + command + "; echo tail) >" + quoted(all)).c_str()), 0);
  EXPECT_EQ(ReadFile(all), "0000000000000000 0000000000000000\ntail\n");
}

TEST_F(CommandMistakesTest, WhatACrawlWouldRefuseIsNoGoodConfiguration) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"contentseen.host_sketch_kib=5"}, "contentseen.host_sketch_kib must be a power of two"},
      {{"contentseen.detector=i-match"}, "needs a lexicon"},
      {{"fetch.ca_file=/nowhere/ca.pem"}, "/nowhere/ca.pem"},
      {{"fetch.cookies=/nowhere/cookies.txt"}, "/nowhere/cookies.txt"},
      {{"fetch.ca_file=/"}, "holds no certificates in PEM"},
      {{"fetch.ca_file=/etc/passwd"}, "holds no certificates in PEM"},
      {{"fetch.cookies=/"}, "it is a directory"},
      {{"fetch.resolve=foo"}, "fetch.resolve"},
      {{"fetch.resolve=a.test:80:b.test"}, "not numeric"},
      {{"fetch.bind_address=192.0.2.1"}, "bind_address = \"192.0.2.1\""},
      {{"crawl.data=/etc/passwd"}, "is no directory"},
      {{"crawl.data=/proc/none"}, "cannot be made"},
      {{"scope.exclude=caf\xe9"}, "scope.exclude must be a list"},
      {{"fetch.cookies=k\xe9.txt"}, "is not UTF-8"},
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
  EXPECT_EQ(
      RunProgram({"crawl", "--check-config", "--data", "new/folder/"}, folder_.path().string())
          .code,
      0);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));  // nothing is left of the attempt
  EXPECT_EQ(RunProgram({"compare", "a", "b", "--set", "contentseen.host_sketch_kib=5"}).code, 2);
}

// "fetch.insecure = true" of what `config` prints.
std::string Shown(const std::vector<std::string>& arguments, const std::string& key) {
  std::vector<std::string> all = {"config"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const std::string text = "\n" + RunProgram(all).out;
  const std::size_t begin = text.find("\n" + key + " = ");
  return begin == text.npos ? "" : text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
}

TEST_F(CommandMistakesTest, WhatIsSaidLastCounts) {
  EXPECT_EQ(Shown({"--k", "3", "--set", "contentseen.k=5"}, "k"), "k = 5");
  EXPECT_EQ(Shown({"--set", "contentseen.k=5", "--k", "3"}, "k"), "k = 3");
  EXPECT_EQ(Shown({"--insecure", "--set", "fetch.insecure=false"}, "insecure"),
            "insecure = false");
  EXPECT_EQ(Shown({"--include", "a", "--set", "scope.include=b", "--include", "c"}, "include"),
            R"(include = ["a", "b", "c"])");
}

TEST_F(CommandMistakesTest, AFlagMeansWhatItSays) {
  EXPECT_EQ(Shown({"--insecure"}, "insecure"), "insecure = true");
  EXPECT_EQ(Shown({"--insecure=false"}, "insecure"), "insecure = false");
  EXPECT_EQ(Shown({"--no-warc"}, "warc"), "warc = false");
  EXPECT_EQ(Shown({"--warc=false"}, "warc"), "warc = false");
  EXPECT_EQ(Shown({"--no-warc", "--warc"}, "warc"), "warc = true");
  EXPECT_EQ(RunProgram({"config", "--insecure=perhaps"}).code, 2);
}

TEST_F(CommandMistakesTest, ALexiconReplacesNothingOfTheCrawl) {
  const std::string pages = Made("pages.jsonl", "{}\n");
  ExpectRefused({"lexicon", folder_.path().string(), "-o", pages}, pages);
}

TEST_F(CommandMistakesTest, NothingThatACrawlKeepsIsAnOutput) {
  for (const char* name :
       {"store/CURRENT", "warc/a.warc.gz", "seen/1/bodies", "pages.2.jsonl", "working", "lock"}) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    const std::string file = Made(name, "kept");
    for (const char* command : {"report", "lexicon", "texts"}) {
      ExpectRefused({command, folder_.path().string(), "-o", file}, file);
    }
  }
}

TEST_F(CommandMistakesTest, AFileIsNotCalledDash) {
  Made("c.jsonl", "{\"url\": \"http://a.test/\", \"text\": \"a b\"}\n");
  Made("f.hex", "0000000000000000\n");
  const std::vector<std::vector<std::string>> mistakes = {
      {"dedup", "c.jsonl", "--kept", "-"},
      {"dedup", "c.jsonl", "--skipped", "-"},
      {"dedup", "c.jsonl", "--output", "-"},
      {"dedup", "-"},
      {"evaluate", "pairs.tsv", "--pages", ".", "--html", "-"},
      {"index", "join", "f.hex", "-"},
      {"index", "join", "-", "f.hex"},
      {"index", "join", "f.hex", "f.hex", "--output", "-"}};
  for (const std::vector<std::string>& arguments : mistakes) {
    const ProgramRun run = RunProgram(arguments, folder_.path().string());
    EXPECT_EQ(run.code, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(run.err, HasSubstr("cannot be -: name a file"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "-"));
}

TEST_F(CommandMistakesTest, AnInputThatCannotBeReadIsNotAnEmptyOne) {
  const std::string program = std::string("'") + CONTENTSEEN_PROGRAM + "'";
  for (const char* rest : {" url < / 2>/dev/null", " url <&- 2>/dev/null",
                           " robots --file /dev/null < / 2>/dev/null"}) {
    EXPECT_NE(std::system((program + rest).c_str()), 0) << rest;
  }
  EXPECT_EQ(std::system((program + " url < /dev/null").c_str()), 0);
}

TEST_F(CommandMistakesTest, AListBeginsWithAByteOrderMarkOrComesFromTheInput) {
  const std::string list = Made("list", "\xEF\xBB\xBFhttp://a.test/\n");
  const std::string program = std::string("'") + CONTENTSEEN_PROGRAM + "'";
  EXPECT_EQ(std::system((program + " url < " + list + " > /dev/null").c_str()), 0);
  const std::string toml = Made("k.toml", "[contentseen]\nk = 7\n");
  const std::string shown = (folder_ / "shown").string();
  ASSERT_EQ(std::system((program + " config --config - < " + toml + " > " + shown).c_str()), 0);
  EXPECT_THAT(ReadFile(shown), HasSubstr("\nk = 7\n"));
}

// Nothing was begun: 2, whatever command it is.
TEST_F(CommandMistakesTest, AFileThatIsNotThereIsAMistakeInTheCommandLine) {
  Made("f.hex", "0000000000000000\n");
  Made("a.html", "a");
  Made("pairs.tsv", "path_a\tpath_b\tlabel\n");
  const std::vector<std::vector<std::string>> mistakes = {
      {"compare", "a.html", "none"},
      {"compare", "none", "a.html"},
      {"evaluate", "none", "--pages", "."},
      {"evaluate", "pairs.tsv", "--pages", "none"},
      {"index", "join", "none", "f.hex"},
      {"index", "join", "f.hex", "none"},
      {"robots", "--file", "none", "/x"},
      {"dedup", "none"},
      {"status", "none"},
      {"skipped", "none"}};
  for (const std::vector<std::string>& arguments : mistakes) {
    const ProgramRun run = RunProgram(arguments, folder_.path().string());
    EXPECT_EQ(run.code, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(run.err, HasSubstr("none"));
  }
  const ProgramRun run = RunProgram({"skipped", "f.hex"}, folder_.path().string());
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("f.hex holds no crawl: name the directory of one"));
}

TEST_F(CommandMistakesTest, WhatIsNoSeedIsCalledSoWithWhatHelps) {
  std::filesystem::create_directories(folder_ / "lists");
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "no seed\n";
  Made("diary.txt", lines);
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"www.example.org",
       "No such file or directory; if it is a URL, write it with its scheme: "
       "https://www.example.org\n"},
      {"localhost:80", "No such file or directory; a URL begins with https:// or http://\n"},
      {"http:/a.test/", "No such file or directory; a URL begins with https:// or http://\n"},
      {"lists", "lists: it is a directory: name the files in it\n"},
      {"ftp://a.test/",
       "neither http nor https: ftp://a.test/\ncontentseen: no usable seed URL: "
       "name one as https://example.org/, or a file of them, one a line\n"},
      {"diary.txt", "90 more lines are no seeds\n"}};
  for (const auto& [seed, expected] : mistakes) {
    const ProgramRun run = RunProgram({"crawl", seed}, folder_.path().string());
    EXPECT_EQ(run.code, 2) << seed;
    EXPECT_THAT(run.err, HasSubstr(expected));
  }
  EXPECT_THAT(RunProgram({"crawl", "--config", "none.toml"}, folder_.path().string()).err,
              HasSubstr("No such file or directory (contentseen config prints one"));
  EXPECT_THAT(RunProgram({"url", "www.example.org"}).out, HasSubstr("it has no scheme"));
}

TEST_F(CommandMistakesTest, AreNamed) {
  ProgramRun run = RunProgram({"crwl"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("there is no command 'crwl'"));
  EXPECT_THAT(RunProgram({"index", "foo"}).err, HasSubstr("there is no command 'foo'"));
  EXPECT_THAT(RunProgram({"--foo"}).err, HasSubstr("there is no option '--foo'"));
  EXPECT_THAT(RunProgram({"crwl"}).err, HasSubstr("did you mean 'crawl'?"));
  EXPECT_THAT(RunProgram({"https://a.test/"}).err,
              HasSubstr("did you mean 'crawl https://a.test/'?"));
  run = RunProgram({"crawl", "https://a.test/", "--maxpages=10"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("no option '--maxpages'; did you mean '--max-pages'?"));
  EXPECT_THAT(RunProgram({"status", "a", "b"}).err, HasSubstr("no place for 'b'"));
  for (const std::vector<std::string>& zero :
       {std::vector<std::string>{"index", "plan", "--n", "0"},
        {"index", "plan", "--n", "99999999999999999999"},
        {"skipped", "x", "--limit", "0"},
        {"skipped", "x", "--diff", "0"}}) {
    run = RunProgram(zero);
    EXPECT_EQ(run.code, 2);
    EXPECT_LT(run.err.size(), 200U) << run.err;
  }
  for (const std::vector<std::string>& no_number :
       {std::vector<std::string>{"tune", "x", "--resemblance-min", "nan"},
        {"demo-web", "--seconds", "nan"},
        {"demo-web", "--seconds", "-NaN"},
        {"tune", "x", "--seed", "-1"},
        {"tune", "x", "--seed", "18446744073709551616"},
        {"evaluate", "x", "--pages", "y", "--stream", "--seed", "-1"},
        {"evaluate", "x", "--pages", "y", "--stream", "--seed", "99999999999999999999"}}) {
    run = RunProgram(no_number);
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.err, HasSubstr(no_number[no_number.size() - 2] + ": must be a "));
  }
  EXPECT_THAT(RunProgram({"tune", "x", "--seed", "18446744073709551615"}).err, HasSubstr("x"))
      << "the largest there is";
  EXPECT_EQ(RunProgram({"status", "--check", "--json"}).code, 2);
  EXPECT_EQ(RunProgram({"skipped", "--csv", "--group-by", "host"}).code, 2);
}

}  // namespace
}  // namespace crawler
