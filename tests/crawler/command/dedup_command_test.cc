// `contentseen dedup`: its lists, its outputs, and what it refuses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/crawler/dedup/dedup_samples.h"
#include "tests/crawler/run_program.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using tests::ProgramRun;
using tests::ReadFile;
using tests::WriteFile;

class DedupCommandTest : public ::testing::Test {
 protected:
  ProgramRun Run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "dedup");
    return tests::RunProgram(arguments, folder_.path().string());
  }
  // The same through a shell; gives the exit status.
  int Shell(const std::string& before, const std::string& after) const {
    const std::string command = "cd '" + folder_.path().string() + "' && " + before + " '" +
                                CONTENTSEEN_PROGRAM + "' dedup " + after + " 2>err";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  bool Exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  std::vector<json> Listed(const std::string& name) const {
    std::vector<json> lines;
    std::istringstream text(ReadFile(folder_ / name));
    for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
    return lines;
  }
  void MakePages() const {
    std::filesystem::create_directories(folder_ / "in");
    WriteFile(folder_ / "in/a.html", Page(Prose(1, 100)));
    WriteFile(folder_ / "in/b.html", Page(Prose(1, 100)));
  }

  const tests::TempFolder folder_;
};

TEST_F(DedupCommandTest, ListsAndWritesSeveralInputs) {
  const std::string body = Page(Prose(1, 100));
  const WarcRecord first = ResponseRecord("http://a.test/a", kHtmlHead, body);
  const WarcRecord again = RevisitRecord("http://a.test/again", body);
  const std::string original =
      Gzipped(first) + Gzipped(RequestRecord("http://a.test/a", first.id()));
  WriteFile(folder_ / "x.warc.gz",
            original + Gzipped(again) + Gzipped(RequestRecord("http://a.test/again", again.id())));
  MakePages();
  WriteFile(folder_ / "in/style.css", "p {}");
  WriteFile(folder_ / "t.jsonl", Line(Prose(2, 100), 1) + Line(Prose(2, 100), 2));
  const ProgramRun run = Run({"x.warc.gz", "in", "t.jsonl", "--kept", "kept", "--skipped",
                              "skipped", "--output", "out/", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;

  const json summary = json::parse(run.out);
  EXPECT_EQ(summary["documents"], 6);
  EXPECT_EQ(summary["kept"], 2);
  EXPECT_EQ(summary["exact_bytes"], 4);
  EXPECT_EQ(summary["passed_over"], 1);

  const std::vector<json> kept = Listed("kept");
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0]["n"], 1);
  EXPECT_EQ(kept[0]["input"], "x.warc.gz");
  EXPECT_EQ(kept[0]["offset"], 0);
  EXPECT_EQ(kept[0]["url"], "http://a.test/a");
  EXPECT_EQ(kept[0]["kind"], "new");
  EXPECT_EQ(kept[1]["n"], 5);
  EXPECT_EQ(kept[1]["input"], "t.jsonl");
  EXPECT_EQ(kept[1]["line"], 1);
  const std::vector<json> skipped = Listed("skipped");
  ASSERT_EQ(skipped.size(), 4u);
  EXPECT_EQ(skipped[0]["url"], "http://a.test/again");
  EXPECT_EQ(skipped[1]["url"], "a.html");
  EXPECT_FALSE(skipped[1].contains("offset"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(skipped[i]["n"], i + 2);
    EXPECT_EQ(skipped[i]["kind"], "exact-bytes");
    EXPECT_EQ(skipped[i]["distance"], 0);
    EXPECT_EQ(skipped[i]["original"], 1);
    EXPECT_EQ(skipped[i]["original_url"], "http://a.test/a");
    EXPECT_EQ(skipped[i]["digest"], kept[0]["digest"]);
    EXPECT_EQ(skipped[i]["original_fingerprint"], kept[0]["fingerprint"]);
  }
  EXPECT_EQ(skipped[3]["line"], 2);
  EXPECT_EQ(skipped[3]["original"], 5);

  EXPECT_EQ(ReadFile(folder_ / "out/x.warc.gz"), original);
  EXPECT_FALSE(Exists("out/in/a.html"));
  EXPECT_EQ(ReadFile(folder_ / "out/in/style.css"), "p {}");
  EXPECT_EQ(ReadFile(folder_ / "out/t.jsonl"), Line(Prose(2, 100), 1));
  EXPECT_FALSE(Exists("out.part"));
}

// Lists of links tell pages of one site apart, and files do not say whose they are.
TEST_F(DedupCommandTest, FilesAreOfTheHostThatIsNamed) {
  std::filesystem::create_directories(folder_ / "site");
  for (unsigned i = 1; i <= 8; ++i) {
    WriteFile(folder_ / ("site/" + std::to_string(i) + ".html"),
              Page(Prose(100, 70) + "</p><ul><li><a href=x>" + Prose(i, 60) + "</a></ul>"));
  }
  const auto kept = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"site", "--json"});
    return json::parse(Run(arguments).out)["kept"].get<int>();
  };
  EXPECT_EQ(kept({}), 1);
  EXPECT_EQ(kept({"--host", "www.example.org"}), 8);
}

TEST_F(DedupCommandTest, InputsOfOneNameKeepTheirFolders) {
  for (const char* folder : {"x/a", "x/b/c"})
    std::filesystem::create_directories(folder_ / folder);
  WriteFile(folder_ / "x/a/part.jsonl", Line(Prose(1, 100), 1));
  WriteFile(folder_ / "x/b/c/part.jsonl", Line(Prose(1, 100), 2) + Line(Prose(2, 100), 3));
  const ProgramRun run = Run({"x/a/part.jsonl", "./x/b/c/part.jsonl", "--output", "out"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(ReadFile(folder_ / "out/a/part.jsonl"), Line(Prose(1, 100), 1));
  EXPECT_EQ(ReadFile(folder_ / "out/b/c/part.jsonl"), Line(Prose(2, 100), 3));
  EXPECT_THAT(Run({"x/a/part.jsonl", "x/./a/part.jsonl", "--output", "twice"}).err,
              HasSubstr("is given twice"));
  MakePages();
  std::filesystem::create_directories(folder_ / "in/in");
  WriteFile(folder_ / "in/in/c.html", Page(Prose(3, 100)));
  EXPECT_THAT(Run({"in", "in/in", "--output", "within"}).err,
              HasSubstr("in/in lies within in, another input"));
}

TEST_F(DedupCommandTest, SaysWhatItPassedOver) {
  MakePages();
  WriteFile(folder_ / "in/style.css", "p {}");
  EXPECT_THAT(Run({"in"}).out, HasSubstr("1  passed over  files that are no pages\n"));
  std::filesystem::remove(folder_ / "in/style.css");
  EXPECT_THAT(Run({"in"}).out, testing::Not(HasSubstr("passed over")));
}

TEST_F(DedupCommandTest, AFieldThatNoLineHasIsAMistake) {
  WriteFile(folder_ / "t.jsonl", Line(Prose(1, 100), 1) + "{\"text\": {\"in\": \"it\"}}\n");
  ProgramRun run = Run({"t.jsonl", "--text-field", "nope", "--output", "out.jsonl"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("t.jsonl: no text in field \"nope\" (--text-field) in any line"));
  EXPECT_FALSE(Exists("out.jsonl"));
  run = Run({"t.jsonl", "--output", "out.jsonl"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("not judged   no text in field \"text\" (--text-field)\n"));
  EXPECT_TRUE(Exists("out.jsonl"));
  WriteFile(folder_ / "junk.jsonl", "{junk\n");
  EXPECT_EQ(Run({"junk.jsonl"}).code, 0) << "that is no matter of the field";
}

TEST_F(DedupCommandTest, DamagedInputsAreNamedAndFailACopy) {
  const std::string whole =
      Gzipped(ResponseRecord("http://a.test/a", kHtmlHead, Page(Prose(1, 100))));
  const std::string damaged =
      "cut.warc.gz: damaged from byte " + std::to_string(whole.size()) + " on: passed over";
  WriteFile(folder_ / "whole.warc.gz", whole);
  WriteFile(folder_ / "cut.warc.gz", whole + whole.substr(0, whole.size() / 2));
  ProgramRun run = Run({"whole.warc.gz", "cut.warc.gz"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.err, HasSubstr(damaged));
  EXPECT_THAT(run.err, Not(HasSubstr("whole.warc.gz")));
  run = Run({"cut.warc.gz", "--output", "out.warc.gz"});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr(damaged));
  EXPECT_EQ(ReadFile(folder_ / "out.warc.gz"), whole) << "what is whole is copied";
}

TEST_F(DedupCommandTest, DamagedJsonLinesAreNamedToo) {
  const std::string whole = Line(Prose(1, 100), 1) + Line(Prose(2, 100), 2);
  WriteFile(folder_ / "cut.jsonl.gz", GzipMember(whole, 6) + "junk");
  WriteFile(folder_ / "whole.jsonl", Line(Prose(2, 100), 3));
  ProgramRun run = Run({"cut.jsonl.gz", "whole.jsonl", "--json"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "cut.jsonl.gz: damaged from line 3 on: passed over\n");
  EXPECT_EQ(json::parse(run.out)["documents"], 3);
  EXPECT_EQ(json::parse(run.out)["faults"], 1);
  run = Run({"cut.jsonl.gz", "--output", "out.jsonl"});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("damaged from line 3 on"));
  EXPECT_EQ(ReadFile(folder_ / "out.jsonl"), whole) << "what is whole is copied";
}

// They stay in a copy, so they fail none.
TEST_F(DedupCommandTest, LinesThatAreNoJsonAreNamed) {
  const std::string lines = Line(Prose(1, 100), 1) + "{\"text\":junk}\n{\n" + Line("a", 2);
  WriteFile(folder_ / "a.jsonl", lines);
  WriteFile(folder_ / "b.jsonl.gz", GzipMember("{\"x\":1e999}\n", 6) + "junk");
  const ProgramRun run = Run({"a.jsonl", "b.jsonl.gz", "--json"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err,
            "a.jsonl: line 2 is not JSON from byte 9 on: not judged, and 1 more lines\n"
            "b.jsonl.gz: damaged from line 2 on: passed over; line 1 has too large a number: not "
            "judged\n");
  EXPECT_EQ(json::parse(run.out)["not_judged"]["not JSON"], 2);
  EXPECT_EQ(json::parse(run.out)["not_judged"]["number too large"], 1);
  EXPECT_EQ(Run({"a.jsonl", "--output", "out.jsonl"}).code, 0);
  EXPECT_EQ(ReadFile(folder_ / "out.jsonl"), lines);
}

TEST_F(DedupCommandTest, WhatIsCompressedIsAGzipFileAlsoWhereNothingIsLeftOfIt) {
  WriteFile(folder_ / "a.jsonl", Line(Prose(1, 100), 1));
  WriteFile(folder_ / "b.jsonl.gz", GzipMember(Line(Prose(1, 100), 2), 6));
  const std::string body = Page(Prose(1, 100));
  WriteFile(folder_ / "c.warc.gz", Gzipped(ResponseRecord("http://a.test/a", kHtmlHead, body)));
  const ProgramRun run = Run({"c.warc.gz", "a.jsonl", "b.jsonl.gz", "--output", "out"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(ReadFile(folder_ / "out/b.jsonl.gz"), GzipMember("", 6));
  WriteFile(folder_ / "d.warc.gz", ReadFile(folder_ / "c.warc.gz"));
  ASSERT_EQ(Run({"c.warc.gz", "d.warc.gz", "--output", "twice"}).code, 0);
  EXPECT_EQ(ReadFile(folder_ / "twice/d.warc.gz"), GzipMember("", 6));
}

TEST_F(DedupCommandTest, ManyDamagedInputsAreCounted) {
  const std::string whole =
      Gzipped(ResponseRecord("http://a.test/a", kHtmlHead, Page(Prose(1, 100))));
  std::vector<std::string> inputs;
  for (int i = 10; i < 35; ++i) {
    inputs.push_back(std::to_string(i) + ".warc.gz");
    WriteFile(folder_ / inputs.back(), whole + whole.substr(0, whole.size() / 2));
  }
  const std::string told = Run(inputs).err;
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 21);
  EXPECT_THAT(told, HasSubstr("29.warc.gz: damaged"));
  EXPECT_THAT(told, HasSubstr("5 more inputs are damaged\n"));
}

TEST_F(DedupCommandTest, NamesAreKeptForTheListOfDuplicatesAlone) {
  WriteFile(folder_ / "t.jsonl", Line(Prose(1, 100), 1));
  EXPECT_EQ(Shell("TMPDIR=/nonexistent", "t.jsonl --kept kept >out"), 0);
  EXPECT_EQ(Listed("kept").size(), 1u);
  WriteFile(folder_ / "skipped", "an earlier one");
  for (const char* nowhere : {"/nonexistent", "t.jsonl"}) {
    EXPECT_EQ(Shell("TMPDIR=" + std::string(nowhere), "t.jsonl --skipped skipped"), 1);
    EXPECT_THAT(ReadFile(folder_ / "err"), HasSubstr("the temporary file of names (in $TMPDIR)"));
    EXPECT_THAT(ReadFile(folder_ / "err"), Not(HasSubstr("Success")));
  }
  EXPECT_EQ(ReadFile(folder_ / "skipped"), "an earlier one");
}

TEST_F(DedupCommandTest, NothingIsWrittenWhereItIsRead) {
  MakePages();
  std::filesystem::create_directory_symlink("in", folder_ / "link");
  for (const char* inside : {"in/out", "in/sub/out", "./link/out"}) {
    for (const char* option : {"--output", "--kept", "--skipped"}) {
      const ProgramRun run = Run({"in", option, inside});
      EXPECT_EQ(run.code, 2) << option << ' ' << inside;
      EXPECT_THAT(run.err, HasSubstr("lies within in"));
    }
  }
  EXPECT_EQ(Shell("cd in &&", ". --output out"), 2);
  EXPECT_FALSE(Exists("in/out"));
  EXPECT_EQ(Run({"in", "--output", "inside"}).code, 0);  // beside it
  EXPECT_EQ(ReadFile(folder_ / "inside/a.html"), Page(Prose(1, 100)));
  EXPECT_FALSE(Exists("inside/b.html"));
  EXPECT_FALSE(Exists("inside.part"));
}

TEST_F(DedupCommandTest, AnOutputThatFailsIsNotThere) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += Line(Prose(static_cast<unsigned>(i), 100), i);
  WriteFile(folder_ / "a.jsonl", lines);
  WriteFile(folder_ / "b.jsonl", Line("short", 1));
  // No file may grow beyond a few KiB.
  const std::string small_files = "trap '' XFSZ; ulimit -f 8;";
  EXPECT_EQ(Shell(small_files, "a.jsonl --output out.jsonl"), 1);
  EXPECT_THAT(ReadFile(folder_ / "err"), HasSubstr("a.jsonl: "));
  EXPECT_EQ(Shell(small_files, "b.jsonl a.jsonl --output out"), 1);
  for (const char* left : {"out.jsonl", "out.jsonl.part", "out", "out.part"}) {
    EXPECT_FALSE(Exists(left)) << left;
  }
  EXPECT_EQ(Run({"b.jsonl", "a.jsonl", "--output", "out"}).code, 0);
  EXPECT_EQ(ReadFile(folder_ / "out/a.jsonl"), lines);
  // What somebody else may have put there is not touched.
  std::filesystem::create_directories(folder_ / "new.part");
  const ProgramRun run = Run({"a.jsonl", "--output", "new"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("new.part exists"));
}

TEST_F(DedupCommandTest, SaysWhatItCannotReadOrWrite) {
  WriteFile(folder_ / "a.jsonl", Line(Prose(1, 100), 1));
  EXPECT_EQ(Shell("cat a.jsonl |", "/dev/stdin >out"), 2);
  EXPECT_THAT(ReadFile(folder_ / "err"), HasSubstr("/dev/stdin needs to be a file"));
  EXPECT_EQ(Shell("", "/dev/stdin <a.jsonl >out"), 0);
  EXPECT_EQ(Shell("", "a.jsonl >&-"), 1);
  EXPECT_THAT(ReadFile(folder_ / "err"), HasSubstr("cannot write the output"));
  EXPECT_EQ(Shell("", "a.jsonl >/dev/full"), 1);
}

}  // namespace
}  // namespace crawler
