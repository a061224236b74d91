#include "contentseen/detectors/projection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "contentseen/mix.h"

namespace contentseen {
namespace {

void Flip(Projection* projection, std::size_t bit) {
  (*projection)[bit / 64] ^= std::uint64_t{1} << bit % 64;
}

bool SharesKey(const ProjectionParts& parts, const Projection& stored, const Projection& asked) {
  const auto keys = parts.Keys(stored);
  const auto ask = parts.KeysToAsk(asked);
  return std::find_first_of(keys.begin(), keys.end(), ask.begin(), ask.end()) != keys.end();
}

TEST(Projection, BitsAreSignsOfTheSumsOverTokens) {
  std::mt19937_64 random(5);
  for (const std::size_t size : {1, 2, 3, 17, 200}) {
    std::vector<std::uint64_t> tokens(size);
    for (std::uint64_t& token : tokens) token = random() % 50;
    const Projection projection = ProjectionOf(tokens);
    for (std::size_t bit = 0; bit < kProjectionBits; ++bit) {
      int sum = 0;
      for (const std::uint64_t token : tokens) {
        const std::uint64_t row = Mix64(token + (bit / 64 + 1) * 0x9E3779B97F4A7C15);
        sum += (row >> bit % 64 & 1) != 0 ? 1 : -1;
      }
      ASSERT_EQ(projection[bit / 64] >> bit % 64 & 1, sum > 0 ? 1u : 0u);
    }
  }
}

TEST(Projection, EqualBitsCounts) {
  Projection a{};
  EXPECT_EQ(EqualBits(a, a), 384u);
  Projection b = a;
  for (std::size_t bit = 0; bit < kProjectionBits; bit += 32) Flip(&b, bit);
  EXPECT_EQ(EqualBits(a, b), 372u);
}

// Errors strewn at random, and spread as evenly as they can be: one into each part in turn, which
// is the worst case of the pigeonhole.
TEST(ProjectionParts, NothingWithinTheDistanceIsMissed) {
  std::mt19937_64 random(7);
  for (std::uint32_t distance = 0; distance <= 31; ++distance) {
    const ProjectionParts parts(distance);
    for (int trial = 0; trial < 200; ++trial) {
      Projection a;
      for (std::uint64_t& word : a) word = random();
      Projection b = a;
      std::vector<std::size_t> bits(kProjectionBits);
      std::iota(bits.begin(), bits.end(), 0);
      std::shuffle(bits.begin(), bits.end(), random);
      const std::size_t spread = 1 + random() % 40;
      const std::size_t start = random() % kProjectionBits;
      for (std::size_t i = 0; i < distance; ++i) {
        const std::size_t even =
            (start + i * kProjectionBits / std::max(1u, distance)) % kProjectionBits;
        const std::size_t run = (start + i * spread) % kProjectionBits;
        Flip(&b, trial % 3 == 0 ? even : trial % 3 == 1 ? run : bits[i]);
      }
      ASSERT_GE(EqualBits(a, b), kProjectionBits - distance);
      ASSERT_TRUE(SharesKey(parts, a, b)) << distance;
      ASSERT_TRUE(SharesKey(parts, b, a)) << distance;
    }
  }
}

// Thirteen parts and not twelve: with one error in each of twelve pieces of 32 bits, Henzinger's
// join misses a pair of exactly 372 equal bits.
TEST(ProjectionParts, FindsThePairThatTwelvePiecesMiss) {
  const Projection a{};
  Projection b = a;
  for (std::size_t bit = 7; bit < kProjectionBits; bit += 32) Flip(&b, bit);
  EXPECT_EQ(EqualBits(a, b), 372u);
  EXPECT_TRUE(SharesKey(ProjectionParts(12), a, b));
  EXPECT_EQ(ProjectionParts(12).Keys(a).size(), 13u);
}

TEST(ProjectionParts, UnlikeOnesShareNoKey) {
  std::mt19937_64 random(9);
  int shared = 0;
  for (int trial = 0; trial < 1'000; ++trial) {
    Projection a;
    Projection b;
    for (std::uint64_t& word : a) word = random();
    for (std::uint64_t& word : b) word = random();
    shared += SharesKey(ProjectionParts(12), a, b) ? 1 : 0;
  }
  EXPECT_EQ(shared, 0);
}

}  // namespace
}  // namespace contentseen
