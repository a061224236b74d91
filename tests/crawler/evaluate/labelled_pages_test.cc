#include "crawler/evaluate/labelled_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temp_folder.h"

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class LabelledPagesTest : public testing::Test {
 protected:
  base::Result<LabelledPages> Read(const std::string& pairs, const std::string& pages = "",
                                   const std::string& grey = "") {
    tests::WriteFile(folder_ / "pairs.tsv", pairs);
    for (const auto& [name, text] : {std::pair("pages.tsv", pages), std::pair("grey.tsv", grey)}) {
      if (!text.empty()) tests::WriteFile(folder_ / name, text);
    }
    return ReadLabelledPages(folder_ / "pairs.tsv");
  }
  /// What it says after the folder's name.
  std::string Fault(const std::string& pairs, const std::string& pages = "",
                    const std::string& grey = "") {
    auto read = Read(pairs, pages, grey);
    if (read) return "";
    const std::string& message = read.error().message;
    const std::string folder = folder_.path().string() + "/";
    EXPECT_TRUE(message.starts_with(folder)) << message;
    return message.substr(std::min(folder.size(), message.size()));
  }

  tests::TempFolder folder_;
};

constexpr char kHeading[] = "path_a\tpath_b\tlabel\twhy\tmain_sim\n";

TEST_F(LabelledPagesTest, ReadsAllThreeTables) {
  auto set = Read(
      "why\tlabel\tunknown\tpath_b\tpath_a\tmain_sim\r\n"
      "small-edit\tdup\tx\ts/b.html\ts/a.html\t.98\r\n"
      "\r\n"
      "\tdistinct\t\tt/c.html\ts/a.html\t\r\n",
      "\xEF\xBB\xBFpath\tlang\tsite\tcharset\tmain_tokens\n"
      "t/c.html\tja\texample.org\teuc-jp\t59\n"
      "t/d.html\tde\t\t\tmany\n",
      "path_a\tpath_b\ns/b.html\tt/c.html\n");
  ASSERT_TRUE(set) << set.error().message;
  ASSERT_EQ(set->pages.size(), 4U);
  EXPECT_EQ(set->paired, 3U);
  ASSERT_EQ(set->pairs.size(), 2U);
  EXPECT_EQ(set->pages[set->pairs[0].a].path, "s/a.html");
  EXPECT_EQ(set->pages[set->pairs[0].b].path, "s/b.html");
  EXPECT_TRUE(set->pairs[0].dup);
  EXPECT_EQ(set->pairs[0].why, "small-edit");
  EXPECT_EQ(set->pairs[0].likeness, 0.98);
  EXPECT_FALSE(set->pairs[1].dup);
  EXPECT_EQ(set->pairs[1].why, "distinct") << "where no reason is given, the label";
  EXPECT_EQ(set->pairs[1].likeness, std::nullopt);
  EXPECT_EQ(set->pages[0].site, "s") << "the folder";
  const LabelledPage& c = set->pages[2];
  EXPECT_EQ(c.path, "t/c.html");
  EXPECT_EQ(c.site, "example.org");
  EXPECT_EQ(c.lang, "ja");
  EXPECT_EQ(c.charset, "euc-jp");
  EXPECT_EQ(c.main_words, 59U);
  EXPECT_EQ(set->pages[3].site, "t");
  EXPECT_EQ(set->pages[3].main_words, std::nullopt);
  EXPECT_THAT(set->grey, ElementsAre(Pair(1U, 2U)));
}

TEST_F(LabelledPagesTest, NamesFileAndLineOfWhatIsWrong) {
  const std::string heading = kHeading;
  const std::string good = heading + "a\tb\tdup\t\t\n";
  EXPECT_THAT(Fault("path_a\tpath_b\twhy\n"), HasSubstr("pairs.tsv:1: has no column \"label\""));
  EXPECT_THAT(Fault(""), HasSubstr("pairs.tsv:1: has no column \"path_a\""));
  EXPECT_THAT(Fault(heading), HasSubstr("holds no pair"));
  EXPECT_THAT(Fault(good + "a\tc\tDUP\n"),
              HasSubstr("pairs.tsv:3: the label is \"DUP\", but must be dup or distinct"));
  EXPECT_THAT(Fault(good + "\n\na\t\tdup\n"), HasSubstr("pairs.tsv:5: a path is empty"));
  EXPECT_THAT(Fault(good + "a\t../../etc/passwd\tdup\n"),
              HasSubstr("pairs.tsv:3: \"../../etc/passwd\" leads out of the folder of pages"));
  EXPECT_THAT(Fault(good + "/a\tb\tdup\n"), HasSubstr("pairs.tsv:3: \"/a\" leads out"));
  EXPECT_THAT(Fault(good + "b\tb\tdup\n"), HasSubstr("pairs.tsv:3: a page is paired with itself"));
  EXPECT_THAT(Fault(good + "b\ta\tdistinct\n"), HasSubstr("pairs.tsv:3: this pair has stood"));
  EXPECT_THAT(Fault(good, "site\n"), HasSubstr("pages.tsv:1: has no column \"path\""));
  EXPECT_THAT(Fault(good, "path\nx\n../x\n"), HasSubstr("pages.tsv:3: \"../x\" leads out"));
  EXPECT_THAT(Fault(good, "path\nx\n", "path_a\n"), HasSubstr("grey.tsv:1: has no column"));
  EXPECT_THAT(Fault(good, "path\nx\n", "path_a\tpath_b\nb\ta\n"),
              HasSubstr("grey.tsv:2: this pair has stood"));
}

TEST_F(LabelledPagesTest, NamesTheFileThatCannotBeRead) {
  auto none = ReadLabelledPages(folder_ / "none.tsv");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            (folder_ / "none.tsv").string() + ": cannot be opened: No such file or directory");
  auto directory = ReadLabelledPages(folder_.path());
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().message, HasSubstr("is a directory"));
}

TEST_F(LabelledPagesTest, BytesThatAreNoTableAreRefusedOrRead) {
  EXPECT_THAT(Fault(std::string("\0\xff\t\n\t\t", 6)), HasSubstr("pairs.tsv:1"));
  // A cell more, a cell fewer, no last newline.
  auto set = Read(std::string(kHeading) + "a\tb\tdup\twhy\t.5\tmore\nc\td\tdistinct");
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->pairs.size(), 2U);
}

}  // namespace
}  // namespace crawler
