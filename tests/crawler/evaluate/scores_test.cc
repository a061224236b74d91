#include "crawler/evaluate/scores.h"

#include <gtest/gtest.h>

namespace crawler {
namespace {

// Worked out on paper with z = 1.96 and its square 3.8415: n of n gives [n / (n + z^2), 1], none
// of n its mirror image, half of n is symmetric about 1/2.
TEST(WilsonInterval, KnownValues) {
  const struct {
    std::uint64_t hits;
    std::uint64_t trials;
    Interval interval;
  } vectors[] = {{16, 16, {0.8064, 1}},       {15, 15, {0.7961, 1}},
                 {5, 5, {0.5655, 1}},         {0, 10, {0, 0.2775}},
                 {50, 100, {0.4038, 0.5962}}, {25, 26, {0.8111, 0.9932}},
                 {81, 263, {0.2553, 0.3662}}};
  for (const auto& vector : vectors) {
    const Interval interval = WilsonInterval(vector.hits, vector.trials);
    EXPECT_NEAR(interval.low, vector.interval.low, 1e-4) << vector.hits << " of " << vector.trials;
    EXPECT_NEAR(interval.high, vector.interval.high, 1e-4);
  }
  EXPECT_EQ(WilsonInterval(0, 10).low, 0);
  EXPECT_EQ(WilsonInterval(10, 10).high, 1);
  EXPECT_EQ(WilsonInterval(0, 0), (Interval{0, 1}));
}

TEST(WilsonInterval, HoldsTheShareAndNarrows) {
  double width = 1;
  for (std::uint64_t n = 3; n < 3'000'000; n *= 3) {
    const Interval interval = WilsonInterval(n / 3, n);
    EXPECT_LT(interval.low, 1.0 / 3);
    EXPECT_GT(interval.high, 1.0 / 3);
    EXPECT_LT(interval.high - interval.low, width);
    width = interval.high - interval.low;
  }
  EXPECT_LT(width, 0.002);
}

TEST(Counts, EachVerdictIsCountedOnce) {
  Counts counts;
  counts.Add(/*duplicate=*/true, /*flagged=*/true);
  for (int i = 0; i < 2; ++i) counts.Add(false, true);
  for (int i = 0; i < 3; ++i) counts.Add(true, false);
  for (int i = 0; i < 4; ++i) counts.Add(false, false);
  EXPECT_EQ(counts, (Counts{.hits = 1, .false_alarms = 2, .misses = 3, .passes = 4}));
  EXPECT_EQ(counts.total(), 10U);
  EXPECT_EQ(counts.flagged(), 3U);
  EXPECT_DOUBLE_EQ(counts.Precision(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(counts.Recall(), 1.0 / 4);
  EXPECT_DOUBLE_EQ(counts.F1(), 2.0 / 7) << "2 h / (2 h + f + m)";
}

TEST(Counts, WhoFlagsNothingFlagsNothingWrongly) {
  const Counts counts{.hits = 0, .false_alarms = 0, .misses = 5, .passes = 5};
  EXPECT_EQ(counts.Precision(), 1);
  EXPECT_EQ(counts.Recall(), 0);
  EXPECT_EQ(counts.F1(), 0);
  EXPECT_EQ(Counts{}.F1(), 1);
}

// J = 50 of 100 lies in [.4038, .5962]; 2J / (1 + J) takes that to [.5753, .7470], and 1/2 to 2/3.
TEST(Counts, TheIntervalOfF1IsThatOfJTransformed) {
  const Counts counts{.hits = 50, .false_alarms = 20, .misses = 30, .passes = 1'000};
  EXPECT_NEAR(counts.F1(), 2.0 / 3, 1e-12);
  EXPECT_NEAR(counts.F1Interval().low, 0.5753, 1e-4);
  EXPECT_NEAR(counts.F1Interval().high, 0.7470, 1e-4);
  EXPECT_NEAR(counts.PrecisionInterval().low, WilsonInterval(50, 70).low, 1e-12);
  EXPECT_NEAR(counts.RecallInterval().high, WilsonInterval(50, 80).high, 1e-12);
}

}  // namespace
}  // namespace crawler
