#include "contentseen/hamming/hamming_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contentseen/hamming/hamming_index.h"

namespace contentseen {
namespace {

TEST(HammingPlanTest, EveryPlanIsComplete) {
  for (unsigned k = 0; k <= 10; ++k) {
    for (std::uint64_t n : {0ULL, 1'000ULL, 1'000'000ULL, 100'000'000ULL, 8'000'000'000ULL}) {
      for (const HammingPlan& plan : RankHammingPlans(k, n)) {
        unsigned bits = 0;
        int sum = 0;
        std::uint64_t covered = 0;
        for (const HammingPlan::Part& part : plan.parts) {
          bits += part.width;
          sum += part.threshold;
          EXPECT_GE(part.threshold, -1);
          covered |= ((std::uint64_t{1} << part.width) - 1) << part.shift;
          EXPECT_LE(part.threshold, plan.layout == HammingPlan::Layout::kLines ? 2 : 10);
        }
        EXPECT_EQ(bits, 64U);
        EXPECT_EQ(covered, ~std::uint64_t{0});
        EXPECT_EQ(sum, static_cast<int>(k) - static_cast<int>(plan.parts.size()) + 1);
      }
    }
  }
}

// More than an index has room for are as many as it has: a plan is there at once.
TEST(HammingPlanTest, NoNumberIsTooLarge) {
  for (unsigned k : {0U, 3U, 10U}) {
    const HammingPlan most = ChooseHammingPlan(k, kHammingFingerprintsMax);
    EXPECT_EQ(most.expected_n, kHammingFingerprintsMax);
    for (std::uint64_t n : {kHammingFingerprintsMax + 1, ~std::uint64_t{0}}) {
      EXPECT_EQ(FormatHammingPlan(ChooseHammingPlan(k, n)), FormatHammingPlan(most));
    }
  }
}

TEST(HammingPlanTest, TheUsualRadiusIsTwoHalvesWithinOneBit) {
  for (std::uint64_t n : {1'000'000ULL, 100'000'000ULL, 1'000'000'000ULL}) {
    HammingPlan plan = ChooseHammingPlan(3, n);
    ASSERT_EQ(plan.parts.size(), 2U);
    EXPECT_EQ(plan.layout, HammingPlan::Layout::kLines);
    EXPECT_EQ(plan.parts[0].threshold, 1);
    EXPECT_EQ(plan.parts[1].threshold, 1);
    EXPECT_LE(plan.bytes_per_fingerprint, 15.0);
  }
}

TEST(HammingPlanTest, BallSizes) {
  EXPECT_EQ(HammingBall(64, 3), 43745);
  EXPECT_EQ(HammingBall(32, 1), 33);
  EXPECT_EQ(HammingBall(32, 2), 529);
  EXPECT_EQ(HammingBall(2, 5), 4);
}

TEST(HammingPlanTest, ShowsPartsAndEstimate) {
  std::string text = FormatHammingPlan(ChooseHammingPlan(3, 100'000'000));
  EXPECT_THAT(text, testing::HasSubstr("2 parts"));
  EXPECT_THAT(text, testing::HasSubstr("32..63"));
  EXPECT_THAT(text, testing::HasSubstr("thresholds add up to 2"));
}

}  // namespace
}  // namespace contentseen
