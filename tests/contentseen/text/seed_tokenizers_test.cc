#include "contentseen/text/seed_tokenizers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

namespace contentseen {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Text = std::u16string_view;

constexpr Text kTheMat = u"the cat sat on the mat.";
constexpr Text kAMat = u"the cat sat on a mat.";

TEST(OverlappingTokens, LeaveOutTheLastWindow) {
  EXPECT_THAT(OverlappingTokens(u"abcdef"), ElementsAre(Text(u"abcd"), Text(u"bcde")));
  EXPECT_EQ(kTheMat.size(), 23u);
  EXPECT_EQ(OverlappingTokens(kTheMat).size(), 19u);
  EXPECT_THAT(OverlappingTokens(u"abcd"), IsEmpty());
  EXPECT_THAT(OverlappingTokens(u""), IsEmpty());
  EXPECT_THAT(OverlappingTokens(u"abcdefg", 3, 1), ElementsAre(Text(u"abc"), Text(u"cde")));
}

TEST(FixedSizeTokens, TheLastMayBeShorter) {
  EXPECT_THAT(FixedSizeTokens(u"abcdefg"), ElementsAre(Text(u"abcde"), Text(u"fg")));
  EXPECT_THAT(FixedSizeTokens(u"abcdef", 2), ElementsAre(Text(u"ab"), Text(u"cd"), Text(u"ef")));
  EXPECT_THAT(FixedSizeTokens(u""), IsEmpty());
}

// The module's own example: 7 of 32 bits differ, 78.125 %.
TEST(DotNetSimHash, TheExampleOfTheModule) {
  const std::uint32_t the = DotNetSimHash(OverlappingTokens(kTheMat));
  const std::uint32_t a = DotNetSimHash(OverlappingTokens(kAMat));
  EXPECT_EQ(the, 0xdb87a2f4u);
  EXPECT_EQ(a, 0x998f0276u);
  const int distance = std::popcount(the ^ a);
  EXPECT_EQ(distance, 7);
  EXPECT_EQ(Likeness(distance, 32), 0.78125);
}

TEST(Likeness, IsThePartOfEqualBits) {
  EXPECT_EQ(Likeness(0, 64), 1);
  EXPECT_EQ(Likeness(64, 64), 0);
  EXPECT_EQ(Likeness(16, 64), 0.75);
}

const std::vector<std::string_view> kTheCat = {"the", "cat", "sat", "on", "the", "mat"};
const std::vector<std::string_view> kACat = {"the", "cat", "sat", "on", "a", "mat"};

std::vector<std::string> Characters(const std::vector<std::string_view>& words) {
  std::vector<std::string> characters;
  for (const std::string_view word : words) {
    if (!characters.empty()) characters.emplace_back(" ");
    for (const char c : word) characters.emplace_back(1, c);
  }
  return characters;
}

TEST(ShingleResemblance, PublishedVectorsOfWords) {
  EXPECT_DOUBLE_EQ(ShingleResemblance(kTheCat, kACat, 1), 5.0 / 6);
  EXPECT_DOUBLE_EQ(ShingleResemblance(kTheCat, kACat, 2), 3.0 / 7);
  EXPECT_DOUBLE_EQ(ShingleResemblance(kTheCat, kACat, 3), 2.0 / 6);
  EXPECT_DOUBLE_EQ(ShingleContainment(kTheCat, kACat, 1), 1);
  EXPECT_DOUBLE_EQ(ShingleContainment(kACat, kTheCat, 1), 5.0 / 6);
}

TEST(ShingleResemblance, PublishedVectorsOfCharacters) {
  const auto the = Characters(kTheCat);
  const auto a = Characters(kACat);
  const std::vector<std::string_view> of_the(the.begin(), the.end());
  const std::vector<std::string_view> of_a(a.begin(), a.end());
  EXPECT_DOUBLE_EQ(ShingleResemblance(of_the, of_a, 2), 14.0 / 17);
  EXPECT_DOUBLE_EQ(ShingleResemblance(of_the, of_a, 3), 14.0 / 20);
  EXPECT_DOUBLE_EQ(ShingleResemblance(of_the, of_a, 4), 13.0 / 22);
}

// Five windows, three different ones.
TEST(ShingleResemblance, ShinglesAreASet) {
  const std::vector<std::string_view> rose = {"a", "rose", "is", "a", "rose", "is", "a", "rose"};
  const std::vector<std::string_view> part(rose.begin(), rose.begin() + 6);
  EXPECT_DOUBLE_EQ(ShingleResemblance(rose, part, 4), 1);
  EXPECT_DOUBLE_EQ(ShingleResemblance(rose, std::span(part).first(4), 4), 1.0 / 3);
  EXPECT_DOUBLE_EQ(ShingleResemblance({}, {}, 1), 0);
}

}  // namespace
}  // namespace contentseen
