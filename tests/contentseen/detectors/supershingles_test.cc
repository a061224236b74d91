#include "contentseen/detectors/supershingles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "contentseen/detectors/keyed_detector.h"
#include "contentseen/detectors/minhash_detector.h"
#include "tests/contentseen/canonical_hash.h"

namespace contentseen {
namespace {

constexpr int kTrials = 4'000;
constexpr std::size_t kElements = 100;

// The part of kTrials pairs of sets of resemblance shared / kElements that `hit` holds for.
template <class Hit>
double PartOfPairs(std::size_t shared, Hit hit) {
  int hits = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::uint64_t seed = shared * 1'000'000 + static_cast<std::uint64_t>(trial);
    const tests::SetPair sets = tests::Sets(seed, kElements, shared);
    hits += hit(sets) ? 1 : 0;
  }
  return static_cast<double>(hits) / kTrials;
}

struct Point {
  std::size_t resemblance;  // in percent
  double probability;
};

// Henzinger's rule: the table of P(at least 2 of 6), J^14 for each.
TEST(Supershingles, TwoOfSixAgreeAsOftenAsTheFormulaSays) {
  const Point points[] = {{70, .001}, {80, .026}, {85, .120}, {90, .415},
                          {92, .604}, {95, .879}, {97, .979}, {99, 1.0}};
  for (const Point& point : points) {
    const double part = PartOfPairs(point.resemblance, [](const tests::SetPair& sets) {
      return EqualWords(SupershinglesOf(sets.a), SupershinglesOf(sets.b)) >= 2;
    });
    EXPECT_NEAR(part, point.probability, 0.02) << point.resemblance;
  }
}

TEST(MinHashBands, SomeBandAgreesAsOftenAsTheFormulaSays) {
  const Point points[] = {{50, .053}, {60, .211}, {70, .565}, {75, .772},
                          {80, .924}, {85, .988}, {90, 1.00}};
  for (const Point& point : points) {
    const double part = PartOfPairs(point.resemblance, [](const tests::SetPair& sets) {
      return EqualWords(MinHashBands(sets.a, 14, 8), MinHashBands(sets.b, 14, 8)) > 0;
    });
    EXPECT_NEAR(part, point.probability, 0.02) << point.resemblance;
  }
}

TEST(SupershingleKeys, AreSharedExactlyWhenEnoughPositionsAgree) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 2'000; ++trial) {
    Supershingles a{};
    Supershingles b{};
    // Of three values only, so that many agree, and equal values stand at other positions.
    for (std::uint64_t& x : a) x = random() % 3;
    for (std::uint64_t& x : b) x = random() % 3;
    for (std::uint32_t least = 1; least <= kSupershingles; ++least) {
      const auto keys_a = SupershingleKeys(a, least);
      const auto keys_b = SupershingleKeys(b, least);
      const bool shared = std::find_first_of(keys_a.begin(), keys_a.end(), keys_b.begin(),
                                             keys_b.end()) != keys_a.end();
      ASSERT_EQ(shared, EqualWords(a, b) >= least);
    }
  }
}

TEST(SupershingleKeys, OfTwoAreBrodersFifteenMegashingles) {
  EXPECT_EQ(SupershingleKeys(Supershingles{1, 2, 3, 4, 5, 6}, 2).size(), 15u);
}

}  // namespace
}  // namespace contentseen
