#include "contentseen/text/tally.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace contentseen {
namespace {

using Hashes = std::vector<std::uint64_t>;

// The same by a map.
Hashes Reference(const Hashes& hashes, std::size_t* distinct) {
  std::map<std::uint64_t, int> counts;
  Hashes kept;
  for (const std::uint64_t hash : hashes) {
    const int count = ++counts[hash];
    if (count <= 128 && (count & (count - 1)) == 0) kept.push_back(hash);
  }
  // As documented, one hash in 2^24 is not counted.
  *distinct = static_cast<std::size_t>(std::count_if(
      counts.begin(), counts.end(), [](const auto& c) { return (c.first & 0xFFFFFF00) != 0; }));
  return kept;
}

// `pool` different hashes, `n` draws, small numbers more often.
Hashes Draw(std::mt19937_64& random, std::size_t n, std::size_t pool) {
  Hashes values(pool);
  std::generate(values.begin(), values.end(), std::ref(random));
  Hashes hashes(n);
  for (std::uint64_t& hash : hashes) hash = values[std::min(random() % pool, random() % pool)];
  return hashes;
}

void ExpectAsReference(const Hashes& hashes) {
  std::size_t distinct = 0;
  const Hashes expected = Reference(hashes, &distinct);
  Tally tally;
  Hashes damped = hashes;
  const Tally::Damped best = tally.Damp(damped.data(), damped.size());
  damped.resize(best.kept);
  EXPECT_EQ(damped, expected);
  EXPECT_EQ(best.distinct, distinct);

  damped = hashes;
  const Tally::Damped plain = tally.DampPortably(damped.data(), damped.size());
  damped.resize(plain.kept);
  EXPECT_EQ(damped, expected);
  EXPECT_EQ(plain.distinct, distinct);
}

TEST(Tally, KeepsOccurrencesOneTwoFourEight) {
  std::mt19937_64 random(1);
  ExpectAsReference({});
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = random() % 2'000;
    ExpectAsReference(Draw(random, n, 1 + random() % (n + 1)));
  }
}

TEST(Tally, StopsCountingAtItsMost) {
  ExpectAsReference(Hashes(100'000, 0x1234567890abcdef));
  ExpectAsReference(Hashes(300, 0));
}

// Hashes that ask for the same bucket overflow into the next ones.
TEST(Tally, FullBucketsOverflow) {
  std::mt19937_64 random(2);
  Hashes hashes = Draw(random, 600, 300);
  for (std::uint64_t& hash : hashes) hash = (hash & 0xFFFFFF00) | 0x700000000;
  ExpectAsReference(hashes);
}

// Both ways agree on all bits even where hashes are taken for one another.
TEST(Tally, BothWaysAgreeOnCollidingHashes) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    Hashes hashes = Draw(random, 1'000, 500);
    for (std::uint64_t& hash : hashes) hash &= 0x0000003F000003FF;
    Hashes again = hashes;
    Tally tally;
    const Tally::Damped best = tally.Damp(hashes.data(), hashes.size());
    const Tally::Damped plain = tally.DampPortably(again.data(), again.size());
    EXPECT_EQ(best.kept, plain.kept);
    EXPECT_EQ(best.distinct, plain.distinct);
    EXPECT_TRUE(std::equal(hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(best.kept),
                           again.begin()));
  }
}

}  // namespace
}  // namespace contentseen
