#include "contentseen/hamming/hamming_code.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>

namespace contentseen {
namespace {

TEST(HammingCodeTest, DecodeInvertsEncode) {
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    std::uint32_t half = random();
    HammingCell cell = HammingCode::Encode(half);
    ASSERT_LT(cell.codeword, 1U << 27);
    ASSERT_LT(cell.syndrome, 32U);
    ASSERT_EQ(HammingCode::Decode(cell.codeword, cell.syndrome), half);
    // A codeword is at most one bit away.
    ASSERT_LE(std::popcount(half ^ HammingCode::Decode(cell.codeword, 0)), 1);
  }
}

TEST(HammingCodeTest, CodewordsAreThreeBitsApart) {
  // Linear: the smallest distance is the smallest weight of a codeword but zero.
  int least = 32;
  for (std::uint32_t word = 1; word < 1U << 26; ++word) {
    least = std::min(least, std::popcount(HammingCode::Decode(word, 0)));
  }
  EXPECT_EQ(least, 3);
}

TEST(HammingCodeTest, BallOfRadiusOneMeetsSixteenCodewords) {
  for (std::uint32_t s = 0; s < 32; ++s) {
    EXPECT_EQ(HammingCode::Ball(s, 0).size(), 1U);
    EXPECT_EQ(HammingCode::Ball(s, 1).size(), s == 0 ? 1U : 16U);
  }
}

TEST(HammingCodeTest, BallIsExactlyTheBall) {
  std::mt19937 random(2);
  for (unsigned radius = 0; radius <= 2; ++radius) {
    for (int i = 0; i < 100; ++i) {
      std::uint32_t half = random();
      HammingCell centre = HammingCode::Encode(half);
      std::multiset<std::uint32_t> met;
      for (const HammingBallEntry& entry : HammingCode::Ball(centre.syndrome, radius)) {
        for (std::uint32_t s = 0; s < 32; ++s) {
          std::uint32_t codeword = centre.codeword ^ entry.codeword_flips;
          if ((entry.syndromes >> s & 1) != 0) met.insert(HammingCode::Decode(codeword, s));
          if ((entry.syndromes_flipped >> s & 1) != 0) {
            met.insert(HammingCode::Decode(codeword ^ 1U << 26, s));
          }
        }
      }
      std::multiset<std::uint32_t> ball = {half};
      for (unsigned a = 0; radius >= 1 && a < 32; ++a) {
        ball.insert(half ^ 1U << a);
        for (unsigned b = 0; radius == 2 && b < a; ++b) ball.insert(half ^ 1U << a ^ 1U << b);
      }
      ASSERT_EQ(met, ball);
    }
  }
}

}  // namespace
}  // namespace contentseen
