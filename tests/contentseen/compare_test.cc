#include "contentseen/compare.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/contentseen/texts.h"

namespace contentseen {
namespace {

TEST(Compare, ATextWithItself) {
  std::mt19937_64 random(1);
  const std::string text = tests::Article(random, 200);
  const Comparison c = Compare({}, text, "  " + text);
  EXPECT_EQ(c.kind, Kind::kExactText);
  EXPECT_EQ(c.distance, 0);
  EXPECT_EQ(c.a.text_digest, c.b.text_digest);
  EXPECT_EQ(c.a.tokens, 200u);
  EXPECT_EQ(c.shared_features, c.a.features);
  EXPECT_EQ(c.shared_weight, c.a.weight);
  EXPECT_EQ(c.resemblance, 1);
  EXPECT_EQ(c.weighted_resemblance, 1);
}

TEST(Compare, CountsWhatIsShared) {
  // Shared: a, b, c, which weigh 2 each, "a b", "b c", "a b c".
  const ContentSeenOptions all_lengths = {.features = {.shingle_weights = {2, 1, 1}}};
  const Comparison c = Compare(all_lengths, "a b c d", "a b c e");
  EXPECT_EQ(c.a.features, 9u);
  EXPECT_EQ(c.b.features, 9u);
  EXPECT_EQ(c.shared_features, 6u);
  EXPECT_EQ(c.shared_weight, 9u);
  EXPECT_DOUBLE_EQ(c.resemblance, 6.0 / 12.0);
  EXPECT_TRUE(c.a.too_short);
  EXPECT_EQ(c.kind, Kind::kNew);
}

TEST(Compare, WeighsRepeats) {
  // a weighs 2 in one text, 1 in the other.
  const FeatureOptions words_only{.key = 0, .shingle_weights = {1, 0, 0}};
  const Comparison c = Compare({.features_min = 1, .features = words_only}, "a a b", "a b");
  EXPECT_EQ(c.a.weight, 3u);
  EXPECT_EQ(c.b.weight, 2u);
  EXPECT_EQ(c.shared_weight, 2u);
  EXPECT_DOUBLE_EQ(c.weighted_resemblance, 2.0 / 3.0);
}

TEST(Compare, EmptyTextsAreLikeNothing) {
  const Comparison c = Compare({}, "", " \n");
  EXPECT_TRUE(c.a.empty);
  EXPECT_TRUE(c.b.empty);
  EXPECT_EQ(c.kind, Kind::kNew);
  EXPECT_EQ(c.resemblance, 0);
}

TEST(Compare, KindFollowsK) {
  std::mt19937_64 random(2);
  std::vector<std::string> words = tests::Words(random, 400);
  const std::string a = tests::Joined(words);
  words[200] = "changed";
  const std::string b = tests::Joined(words);
  const int distance = Compare({}, a, b).distance;
  ASSERT_GT(distance, 0);
  ASSERT_LT(distance, 10);
  EXPECT_EQ(Compare({.k = distance}, a, b).kind, Kind::kNear);
  EXPECT_EQ(Compare({.k = distance - 1}, a, b).kind, Kind::kNew);
  EXPECT_EQ(Compare({.k = 10, .features_min = 5'000}, a, b).kind, Kind::kNew);
}

}  // namespace
}  // namespace contentseen
