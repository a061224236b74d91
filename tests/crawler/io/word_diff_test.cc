#include "crawler/io/word_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>

namespace crawler {
namespace {

using testing::ElementsAre;
using Kind = DiffRun::Kind;
using Words = std::vector<std::string_view>;

TEST(DiffTokens, CutsAtWhiteSpace) {
  EXPECT_THAT(DiffTokens("  The quick,\tbrown\nfox\xc2\xa0jumps\xe3\x80\x80over "),
              ElementsAre("The", "quick,", "brown", "fox", "jumps", "over"));
  EXPECT_TRUE(DiffTokens("").empty());
  EXPECT_TRUE(DiffTokens(" \n ").empty());
}

TEST(DiffTokens, ChineseAndJapaneseCharactersStandAlone) {
  EXPECT_THAT(DiffTokens("見出しA1の日本語 text。"),
              ElementsAre("見", "出", "し", "A1", "の", "日", "本", "語", "text", "。"));
}

TEST(DiffTokens, BytesThatAreNotUtf8DoNoHarm) {
  EXPECT_THAT(DiffTokens("a\xff\xfe b\x85"), ElementsAre("a\xff\xfe", "b\x85"));
}

TEST(DiffWords, NamesWhatChanged) {
  std::string a = "the cat sat on the mat";
  std::string b = "the dog sat on a mat";
  WordDiff diff = DiffWords(a, b);
  EXPECT_EQ(diff.removed, 2u);
  EXPECT_EQ(diff.added, 2u);
  EXPECT_EQ(diff.same, 4u);
  EXPECT_EQ(DiffText(diff, 9, false), "the [-cat-] {+dog+} sat on [-the-] {+a+} mat\n");
}

TEST(DiffWords, OfEmptyTexts) {
  EXPECT_TRUE(DiffWords("", "").runs.empty());
  EXPECT_EQ(DiffText(DiffWords("", ""), 3, false), "");
  EXPECT_EQ(DiffText(DiffWords("", "a b"), 3, false), "{+a b+}\n");
  EXPECT_EQ(DiffText(DiffWords("a b", ""), 3, false), "[-a b-]\n");
}

/// The words of one side of a diff.
Words Side(const WordDiff& diff, Kind other) {
  Words words;
  for (const DiffRun& run : diff.runs) {
    if (run.kind != other) words.insert(words.end(), run.words.begin(), run.words.end());
  }
  return words;
}

std::size_t ShortestEdits(const Words& a, const Words& b) {
  std::vector<std::size_t> common(b.size() + 1, 0);  // longest common subsequence, row by row
  for (std::string_view word : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t above = common[j];
      common[j] = word == b[j - 1] ? diagonal + 1 : std::max(common[j], common[j - 1]);
      diagonal = above;
    }
  }
  return a.size() + b.size() - 2 * common[b.size()];
}

std::string RandomText() {
  auto letters = *rc::gen::container<std::string>(rc::gen::element('a', 'b', 'c', 'd'));
  std::string text;
  for (char c : letters) text += {c, ' '};
  return text;
}

TEST(DiffWords, AppliedToTheFirstTextGivesTheSecondInFewestEdits) {
  EXPECT_TRUE(rc::check([] {
    std::string a = RandomText();
    std::string b = RandomText();
    WordDiff diff = DiffWords(a, b);
    RC_ASSERT(Side(diff, Kind::kAdded) == DiffTokens(a));
    RC_ASSERT(Side(diff, Kind::kRemoved) == DiffTokens(b));
    RC_ASSERT(diff.removed + diff.added == ShortestEdits(DiffTokens(a), DiffTokens(b)));
    for (std::size_t i = 1; i < diff.runs.size(); ++i) {
      RC_ASSERT(diff.runs[i - 1].kind != diff.runs[i].kind);
      RC_ASSERT(diff.runs[i - 1].kind != Kind::kAdded || diff.runs[i].kind == Kind::kSame);
    }
  }));
}

std::string Shuffled(std::size_t words, unsigned seed, std::size_t vocabulary) {
  std::mt19937 random(seed);
  std::string text;
  for (std::size_t i = 0; i < words; ++i) text += std::to_string(random() % vocabulary) + " ";
  return text;
}

TEST(DiffWords, AHopelessPairIsStillADiffAndEnds) {
  // Beyond the exact search: thousands of words in no common order.
  for (std::size_t vocabulary : {3u, 50u, 100'000u}) {
    std::string a = Shuffled(6'000, 1, vocabulary);
    std::string b = Shuffled(5'000, 2, vocabulary);
    WordDiff diff = DiffWords(a, b);
    EXPECT_EQ(Side(diff, Kind::kAdded), DiffTokens(a));
    EXPECT_EQ(Side(diff, Kind::kRemoved), DiffTokens(b));
  }
}

TEST(DiffWords, OneChangeInALargeTextIsFound) {
  std::string a = Shuffled(100'000, 1, 1'000'000);
  std::string b = a;
  b.insert(b.size() / 2, " NEW ");
  WordDiff diff = DiffWords(a, b);
  EXPECT_LE(diff.removed, 1u);
  EXPECT_LE(diff.added, 3u);
  EXPECT_GE(diff.added, 1u);
}

TEST(DiffText, LeavesOutWhatIsFarFromAChange) {
  std::string same = "1 2 3 4 5 6 7 8 9";
  EXPECT_EQ(DiffText(DiffWords(same + " x " + same, same + " y " + same), 2, false),
            "(… 7 words …) 8 9 [-x-] {+y+} 1 2 (… 7 words …)\n");
  EXPECT_EQ(DiffText(DiffWords("x " + same + " x", "y " + same + " y"), 2, false),
            "[-x-] {+y+} 1 2 (… 5 words …) 8 9 [-x-] {+y+}\n");
  EXPECT_EQ(DiffText(DiffWords(same, same), 2, false), "(… 9 words …)\n");
  EXPECT_EQ(DiffText(DiffWords("a b x", "a b y"), 2, false), "a b [-x-] {+y+}\n");
}

TEST(DiffText, ColoursInsteadOfBrackets) {
  EXPECT_EQ(DiffText(DiffWords("a x", "a y"), 2, true), "a \x1b[31mx\x1b[0m \x1b[32my\x1b[0m\n");
}

TEST(DiffText, EscapesWhatPagesSay) {
  EXPECT_EQ(DiffText(DiffWords("a", "a \x1b[31m\xe2\x80\xae"), 2, false),
            "a {+\\x1b[31m\\u{202e}+}\n");
}

TEST(DiffText, JoinsChineseWithoutSpaces) {
  EXPECT_EQ(DiffText(DiffWords("今日は雨 ok", "今日は晴 ok"), 5, false),
            "今日は [-雨-] {+晴+} ok\n");
}

}  // namespace
}  // namespace crawler
