#include "contentseen/detectors/title_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace contentseen {
namespace {

constexpr std::uint64_t kKey = 11;
constexpr std::uint64_t kHost = 1;

class TitleWordsTest : public testing::Test {
 protected:
  std::vector<TitleWord> Of(std::string_view title) const {
    AnalyzedText text({.key = kKey});
    text.Assign("", {}, kHost, title);
    return TitleWords(text, HostSketch::Reader(sketch_, kHost), kKey);
  }
  Titles Compare(std::string_view a, std::string_view b) const {
    const Titles titles = CompareTitles(Of(a), Of(b));
    EXPECT_EQ(CompareTitles(Of(b), Of(a)), titles);
    return titles;
  }
  bool Apart(std::string_view a, std::string_view b) const {
    return Compare(a, b) == Titles::kApart;
  }
  void Learn(std::string_view title) { LearnTitle(kHost, Of(title), &sketch_); }

  HostSketch sketch_{HostSketch::kBytesMin, kKey};
};

TEST_F(TitleWordsTest, AreApartWithoutACommonWord) {
  EXPECT_TRUE(Apart("Spring walk", "Autumn ride"));
  EXPECT_FALSE(Apart("Spring walk", "A WALK in autumn"));
  EXPECT_FALSE(Apart("Spring walk", "")) << "says nothing";
  EXPECT_FALSE(Apart("", ""));
  EXPECT_TRUE(Apart("快速入门指南", "微服务定义"));
  EXPECT_FALSE(Apart("快速入门指南", "入门")) << "cut into bigrams";
}

TEST_F(TitleWordsTest, LeaveOutWhatTheHostRepeats) {
  EXPECT_FALSE(Apart("Spring walk - Society", "Autumn ride - Society"));
  const std::vector<TitleWord> before = Of("Spring walk - Society");
  const std::vector<TitleWord> site = Of("Society");
  for (const auto* title :
       {"One - Society", "Two - Society", "Three - Society", "Four - Society"}) {
    Learn(title);
  }
  EXPECT_TRUE(Apart("Spring walk - Society", "Autumn ride - Society"));
  EXPECT_EQ(CompareTitles(before, Of("Autumn ride - Society")), Titles::kApart)
      << "one of before it was known";
  EXPECT_EQ(CompareTitles(site, Of("Society home")), Titles::kUnclear) << "and the home page";
  EXPECT_FALSE(Apart("Spring walk - Society", "Society")) << "the site's name alone says nothing";
  EXPECT_FALSE(Apart("Spring walk - Society", "Spring walk"));
}

TEST_F(TitleWordsTest, AreAlikeWithTheSameWordsWhereTheHostIsKnown) {
  EXPECT_EQ(Compare("Spring walk", "Spring walk"), Titles::kUnclear) << "the site's name, perhaps";
  const std::vector<TitleWord> before = Of("Spring walk");
  for (const auto* title : {"One", "Two", "Three", "Four"}) Learn(title);
  EXPECT_EQ(CompareTitles(before, Of("Spring walk")), Titles::kAlike);
  EXPECT_EQ(Compare("Spring walk", "walk: SPRING (3)"), Titles::kAlike);
  EXPECT_EQ(Compare("Spring walk", "Spring walk in print"), Titles::kUnclear);
  EXPECT_EQ(Compare("Spring walk", "Autumn walk"), Titles::kUnclear);
  EXPECT_EQ(Compare("", ""), Titles::kUnclear);
}

TEST_F(TitleWordsTest, AreNoNumbers) {
  EXPECT_EQ(Compare("12:03:44", "12:05:51"), Titles::kUnclear);
  EXPECT_EQ(Compare("print.php?id=7", "Spring walk 8"), Titles::kApart);
  EXPECT_EQ(Compare("Chapter 7", "Chapter 8"), Titles::kUnclear);
}

// A verse, a month, a version, a section of a code.
TEST_F(TitleWordsTest, OfWhichNoneIsThePagesOwnAreAlikeToTheLetter) {
  const std::vector<TitleWord> before = Of("Genesis 1:2");
  EXPECT_EQ(Compare("Genesis 1:2", "Genesis 1:2"), Titles::kUnclear) << "the site's, perhaps";
  for (const auto* title : {"Genesis 1:1", "Genesis 1:2", "Genesis 1:3", "Genesis 1:4"}) {
    Learn(title);
  }
  EXPECT_EQ(CompareTitles(before, Of("Genesis 1:2")), Titles::kAlike);
  EXPECT_EQ(Compare("Genesis 12", "Genesis 1:2"), Titles::kUnclear);
  EXPECT_EQ(Compare("Genesis 1:3", "Genesis 1:2"), Titles::kUnclear);
  EXPECT_EQ(Compare("1990", "1990"), Titles::kAlike);
  EXPECT_EQ(Compare("1990", "1991"), Titles::kUnclear) << "a clock";
  for (int i = 0; i < 3; ++i) Learn("Genesis 1:2");
  EXPECT_EQ(Compare("Genesis 1:2", "Genesis 1:2"), Titles::kUnclear) << "of page after page";
}

// A whole title may be one word.
TEST_F(TitleWordsTest, AreCountedApartFromWholes) {
  for (const auto* title : {"Spring", "Spring walk", "One", "Two"}) Learn(title);
  EXPECT_EQ(Compare("Spring", "Spring"), Titles::kAlike) << "on two titles, not on three";
}

TEST_F(TitleWordsTest, AreOfANewTitleUntilItIsLearned) {
  const auto is_new = [&](std::string_view title, std::uint64_t host = kHost) {
    return IsNewTitle(host, Of(title), sketch_);
  };
  EXPECT_TRUE(is_new("Spring walk"));
  for (const auto* title : {"Spring walk", "Autumn ride", "Page 1", "Home"}) Learn(title);
  EXPECT_FALSE(is_new("Spring walk"));
  EXPECT_FALSE(is_new(" spring  WALK"));
  EXPECT_TRUE(is_new("Spring ride")) << "of known words";
  EXPECT_TRUE(is_new("Page 2"));
  EXPECT_TRUE(is_new("Spring walk", kHost + 1));
  EXPECT_FALSE(is_new("")) << "which is none";
}

TEST_F(TitleWordsTest, HaveAnOwnWordUntilTheHostRepeatsAll) {
  EXPECT_FALSE(HasOwnWord(Of("")));
  EXPECT_FALSE(HasOwnWord(Of("12:30")));
  EXPECT_TRUE(HasOwnWord(Of("Section 7")));
  for (const auto* title : {"Section 1", "Section 2", "Section 3", "Section 4"}) Learn(title);
  EXPECT_FALSE(HasOwnWord(Of("Section 7")));
  EXPECT_TRUE(HasOwnWord(Of("Section 7: Rivers")));
}

// Of which the smallest hashes are kept: what lies above those of one says nothing of the other.
TEST_F(TitleWordsTest, OfALongTitleTellAsFarAsTheyReach) {
  std::string more;
  for (int i = 0; i < 30; ++i) more += " more" + std::to_string(i) + "words";
  for (int i = 0; i < 100; ++i) {
    const std::string name = "name" + std::to_string(i) + " of two";
    EXPECT_FALSE(Apart(name, name + more)) << i;
  }
}

TEST_F(TitleWordsTest, AreFew) {
  std::string title;
  for (int i = 0; i < 200; ++i) title += "word" + std::to_string(i) + ' ';
  const std::vector<TitleWord> words = Of(title);
  EXPECT_EQ(words.size(), kTitleWordsMax);
  EXPECT_TRUE(std::is_sorted(words.begin(), words.end() - 1)) << "the last is the whole";
  EXPECT_LT(std::ranges::max(words), kOwnTitleWord);
  EXPECT_EQ(Of("again and again").size(), Of("and again").size());
  EXPECT_TRUE(Of("").empty());
  EXPECT_TRUE(Of("--").empty());
}

}  // namespace
}  // namespace contentseen
