#include "contentseen/detectors/text_profile.h"
#include "base/hex.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "contentseen/digest.h"
#include "contentseen/text/text.h"

namespace contentseen {
namespace {

std::string ProfileOf(std::string_view text, const TextProfileOptions& options = {}) {
  const std::string normalized = NormalizeText(text);
  std::vector<Token> tokens;
  Tokenize(normalized, &tokens);
  return TextProfile(normalized, tokens, options);
}

TEST(Md5, PublishedVectors) {
  EXPECT_EQ(base::ToHex(Md5("")), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(base::ToHex(Md5("abc")), "900150983cd24fb0d6963f7d28e17f72");
}

// What Nutch's code gives, run in Java, but for the order of "cat" and "the".
TEST(TextProfile, NutchesRuleWithLexicalTies) {
  const std::string profile = ProfileOf("The cat sat on the mat. The cat ran. A dog.");
  EXPECT_EQ(profile, "cat 2\nthe 2");
  EXPECT_EQ(base::ToHex(Md5(profile)), "6c897ec31c69e7f30e0962f50eb9d280");
  EXPECT_EQ(base::ToHex(Md5("the 2\ncat 2")), "229cfcff54430d37070086b4ac285a8b");
}

TEST(TextProfile, WithoutRepetitionEveryWordCounts) {
  EXPECT_EQ(ProfileOf("one two three of it"), "one 1\nthree 1\ntwo 1");
}

TEST(TextProfile, CountsAreRoundedDownToTheQuant) {
  std::string text;
  for (int i = 0; i < 250; ++i) text += "often ";  // quant = round(2.5) = 3
  for (int i = 0; i < 8; ++i) text += "rarer ";
  text += "twice twice";
  EXPECT_EQ(ProfileOf(text), "often 249\nrarer 6");
  EXPECT_EQ(ProfileOf("often often often", {.quant_percent = 100}), "often 3");
}

TEST(TextProfile, ShortWordsAreLeftOutAndBigramsAreNot) {
  EXPECT_EQ(ProfileOf("of it at on"), "");
  EXPECT_EQ(ProfileOf(""), "");
  EXPECT_EQ(ProfileOf("ab äöü"), "äöü 1");
  EXPECT_EQ(ProfileOf("ab abc", {.token_length_min = 1}), "ab 1\nabc 1");
  EXPECT_EQ(ProfileOf("中国人"), "中国 1\n国人 1");
}

}  // namespace
}  // namespace contentseen
