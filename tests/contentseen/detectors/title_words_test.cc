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
  bool Apart(std::string_view a, std::string_view b) const { return TitlesApart(Of(a), Of(b)); }
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
  for (const auto* title :
       {"One - Society", "Two - Society", "Three - Society", "Four - Society"}) {
    Learn(title);
  }
  EXPECT_TRUE(Apart("Spring walk - Society", "Autumn ride - Society"));
  EXPECT_TRUE(TitlesApart(before, Of("Autumn ride - Society"))) << "one of before it was known";
  EXPECT_FALSE(Apart("Spring walk - Society", "Society")) << "the site's name alone says nothing";
  EXPECT_FALSE(Apart("Spring walk - Society", "Spring walk"));
}

TEST_F(TitleWordsTest, AreFew) {
  std::string title;
  for (int i = 0; i < 200; ++i) title += "word" + std::to_string(i) + ' ';
  const std::vector<TitleWord> words = Of(title);
  EXPECT_EQ(words.size(), kTitleWordsMax);
  EXPECT_TRUE(std::ranges::is_sorted(words));
  EXPECT_LT(words.back(), kRepeatedTitleWord);
  EXPECT_EQ(Of("again and again"), Of("and again"));
}

}  // namespace
}  // namespace contentseen
