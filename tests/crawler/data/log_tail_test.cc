#include "crawler/data/log_tail.h"

#include <gtest/gtest.h>

#include "tests/temp_folder.h"

namespace crawler {
namespace {

using tests::TempFolder;

std::vector<std::string> Texts(const std::filesystem::path& log, std::size_t lines,
                               std::size_t bytes) {
  std::vector<std::string> texts;
  auto last = LastLines(log, lines, bytes);
  EXPECT_TRUE(last) << last.error().message;
  for (const TailLine& line : *last) {
    texts.push_back(line.text);
    auto again = LineAt(log, line.position);
    EXPECT_TRUE(again && *again && **again == line.text) << line.text;
  }
  return texts;
}

TEST(LogTail, WholeLinesOnly) {
  using Lines = std::vector<std::string>;
  TempFolder folder;
  const std::filesystem::path log = folder / "x.jsonl";
  EXPECT_FALSE(LastLines(log, 10, 100)) << "not there";
  tests::WriteFile(log, "");
  EXPECT_EQ(Texts(log, 10, 100), Lines{});
  tests::WriteFile(log, "one\ntwo\n\nfour\nfi");
  EXPECT_EQ(Texts(log, 10, 100), (Lines{"one", "two", "", "four"}));
  EXPECT_EQ(Texts(log, 2, 100), (Lines{"", "four"}));
  EXPECT_EQ(Texts(log, 10, 10), (Lines{"", "four"})) << "the line cut by the limit is left out";
  EXPECT_EQ(Texts(log, 10, 2), Lines{});
}

TEST(LogTail, TheLastPartOfSeveral) {
  TempFolder folder;
  const std::filesystem::path log = folder / "x.jsonl";
  tests::WriteFile(log, "old\n");
  tests::WriteFile(folder / "x.2.jsonl", "new\n");
  auto last = LastLines(log, 10, 100);
  ASSERT_EQ(last->size(), 1U);
  EXPECT_EQ(last->at(0).text, "new");
  EXPECT_EQ(last->at(0).position.Text(), "2-0");
  EXPECT_EQ(**LineAt(log, {1, 0}), "old");
  EXPECT_FALSE(*LineAt(log, {3, 0}));
}

TEST(LogTail, OnlyWhereALineBegins) {
  TempFolder folder;
  const std::filesystem::path log = folder / "x.jsonl";
  tests::WriteFile(log, "one\ntwo\nthr");
  EXPECT_EQ(**LineAt(log, {1, 4}), "two");
  for (std::uint64_t offset : {1, 3, 8, 11, 12, 1'000'000}) {
    EXPECT_FALSE(*LineAt(log, {1, offset})) << offset;
  }
}

TEST(LogPosition, ReadsWhatItWrites) {
  EXPECT_EQ(LogPosition::Parse("2-77"), (LogPosition{2, 77}));
  for (const char* wrong : {"", "-", "1", "1-", "-1", "1--1", "1-x", "1-2 ", "a-1", "../1-2",
                            "1-99999999999999999999"}) {
    EXPECT_FALSE(LogPosition::Parse(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace crawler
