#include "base/random_seed.h"

#include <set>

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(RandomSeedTest, MovesAllBitsAndRepeatsNone) {
  std::set<std::uint64_t> seeds;
  std::uint64_t ones = 0;
  std::uint64_t zeros = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t seed = RandomSeed();
    seeds.insert(seed);
    ones |= seed;
    zeros |= ~seed;
  }
  EXPECT_EQ(seeds.size(), 100U);
  EXPECT_EQ(ones & zeros, ~std::uint64_t{0});
}

}  // namespace
}  // namespace base
