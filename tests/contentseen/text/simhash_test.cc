#include "contentseen/text/simhash.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "contentseen/mix.h"
#include "tests/contentseen/property.h"

namespace contentseen {
namespace {

constexpr std::array kKernels = {SimHashKernel::kScalar, SimHashKernel::kSwar,
                                 SimHashKernel::kAvx2, SimHashKernel::kAvx512};

// The canonical hash of ../shared/design/algorithms.md, by which its vectors were computed.
std::uint64_t Fnv1a64(std::string_view s) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : s) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}
std::uint64_t CanonicalHash(std::string_view s) { return Mix64(Fnv1a64(s)); }

constexpr char kOnTheMat[] = "the cat sat on the mat";
constexpr char kOnAMat[] = "the cat sat on a mat";

Fingerprint OfDistinctBigrams(const std::string& text) {
  std::set<std::string> bigrams;
  for (std::size_t i = 0; i + 2 <= text.size(); ++i) bigrams.insert(text.substr(i, 2));
  std::vector<std::uint64_t> hashes;
  for (const std::string& bigram : bigrams) hashes.push_back(CanonicalHash(bigram));
  SimHash simhash;
  simhash.Add(hashes);
  return simhash.Finish();
}

Fingerprint OfWordsByCount(const std::string& text) {
  std::map<std::string, std::uint8_t> counts;
  std::istringstream words(text);
  for (std::string word; words >> word;) ++counts[word];
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint8_t> weights;
  for (const auto& [word, count] : counts) {
    hashes.push_back(CanonicalHash(word));
    weights.push_back(count);
  }
  SimHash simhash;
  simhash.Add(hashes, weights);
  return simhash.Finish();
}

TEST(SimHash, CanonicalHashAgreesWithTheReference) {
  EXPECT_EQ(Fnv1a64(""), 0xcbf29ce484222325u);
  EXPECT_EQ(Fnv1a64("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(Fnv1a64("foobar"), 0x85944171f73967e8u);
  EXPECT_EQ(CanonicalHash(""), 0xefd01f60ba992926u);
  EXPECT_EQ(CanonicalHash("a"), 0x82a2a958a9bece5bu);
  EXPECT_EQ(CanonicalHash("foobar"), 0x2c22194922d1672bu);
  EXPECT_EQ(CanonicalHash("the"), 0xcb3ff435b889fb31u);
}

TEST(SimHash, EightBitVector) {
  const std::vector<std::uint64_t> hashes = {0b10110010, 0b01100110, 0b11000011};
  const std::vector<std::uint8_t> weights = {3, 2, 1};
  SimHash simhash;
  simhash.Add(hashes, weights);
  // V of bits 7..0 is 2, 0, 4, 0, -6, -2, 6, -4: zero gives no bit.
  EXPECT_EQ(simhash.Finish(), 0b10100010u);
}

TEST(SimHash, DistinctBigramVectors) {
  EXPECT_EQ(OfDistinctBigrams(kOnTheMat), 0x80ad2d93a291b9cau);
  EXPECT_EQ(OfDistinctBigrams(kOnAMat), 0x042d2d91a010b1c2u);
  EXPECT_EQ(Distance(OfDistinctBigrams(kOnTheMat), OfDistinctBigrams(kOnAMat)), 9);
}

TEST(SimHash, CountedWordVectors) {
  EXPECT_EQ(OfWordsByCount(kOnTheMat), 0x88afd0352089f021u);
  EXPECT_EQ(OfWordsByCount(kOnAMat), 0x88abd810208fe003u);
  EXPECT_EQ(Distance(OfWordsByCount(kOnTheMat), OfWordsByCount(kOnAMat)), 10);
}

TEST(SimHash, NoFeaturesGiveZero) { EXPECT_EQ(SimHash().Finish(), 0u); }

TEST(SimHash, OneFeatureGivesItself) {
  const std::vector<std::uint64_t> one = {0x123456789abcdef0};
  SimHash simhash;
  simhash.Add(one, 7);
  EXPECT_EQ(simhash.Finish(), one[0]);
}

TEST(SimHash, ATieGivesZero) {
  const std::vector<std::uint64_t> opposite = {0x00ff00ff00ff00ff, 0xff00ff00ff00ff00};
  SimHash simhash;
  simhash.Add(opposite);
  EXPECT_EQ(simhash.Finish(), 0u);
}

// What the definition says, with nothing clever.
Fingerprint ByDefinition(const std::vector<std::uint64_t>& hashes,
                         const std::vector<std::uint8_t>& weights) {
  Fingerprint fingerprint = 0;
  for (int i = 0; i < 64; ++i) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < hashes.size(); ++k) {
      sum += (hashes[k] >> i & 1) != 0 ? weights[k] : -int{weights[k]};
    }
    if (sum > 0) fingerprint |= Fingerprint{1} << i;
  }
  return fingerprint;
}

TEST(SimHash, EveryKernelAgreesWithTheDefinition) {
  EXPECT_TRUE(tests::Holds([](const std::vector<std::uint8_t>& weights, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::uint64_t> hashes(weights.size());
    for (std::uint64_t& hash : hashes) hash = random();
    const Fingerprint expected = ByDefinition(hashes, weights);
    const Fingerprint flat = ByDefinition(hashes, std::vector<std::uint8_t>(hashes.size(), 1));
    for (const SimHashKernel kernel : kKernels) {
      if (!IsAvailable(kernel)) continue;
      SimHash weighted(kernel);
      weighted.Add(hashes, weights);
      RC_ASSERT(weighted.Finish() == expected);
      SimHash unweighted(kernel);
      unweighted.Add(hashes, 3);
      RC_ASSERT(unweighted.Finish() == flat);
    }
  }));
}

TEST(SimHash, EveryKernelIsTriedHere) {
  for (const SimHashKernel kernel : kKernels) {
    if (!IsAvailable(kernel)) GTEST_SKIP() << "this processor has no " << Name(kernel);
  }
}

TEST(SimHash, LongRunsOfHeavyFeaturesAgree) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> hashes(10'007);
  std::vector<std::uint8_t> weights(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    hashes[i] = random();
    weights[i] = i % 3 == 0 ? 255 : static_cast<std::uint8_t>(random());
  }
  const Fingerprint expected = ByDefinition(hashes, weights);
  for (const SimHashKernel kernel : kKernels) {
    if (!IsAvailable(kernel)) continue;
    SimHash simhash(kernel);
    simhash.Add(hashes, weights);
    EXPECT_EQ(simhash.Finish(), expected) << Name(kernel);
  }
}

TEST(SimHash, OrderAndGroupingDoNotMatter) {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> hashes(1'000);
  for (std::uint64_t& hash : hashes) hash = random();
  SimHash at_once;
  at_once.Add(hashes, 2);
  SimHash piecemeal;
  for (auto hash = hashes.rbegin(); hash != hashes.rend(); ++hash) {
    piecemeal.Add(std::span(&*hash, 1));
    piecemeal.Add(std::span(&*hash, 1));
  }
  EXPECT_EQ(piecemeal.Finish(), at_once.Finish());
}

// Row 82 of ../shared/design/hostile-inputs.md.
TEST(SimHash, Row82TenMillionRepeatsOverflowNothing) {
  const std::vector<std::uint64_t> heavy(10'000'000, 0xaaaaaaaaaaaaaaaa);
  for (const SimHashKernel kernel : kKernels) {
    if (!IsAvailable(kernel)) continue;
    SimHash simhash(kernel);
    simhash.Add(heavy, SimHash::kWeightMax);
    simhash.Add(std::vector<std::uint64_t>(1'000, 0x5555555555555555), SimHash::kWeightMax);
    EXPECT_EQ(simhash.Finish(), 0xaaaaaaaaaaaaaaaau) << Name(kernel);
  }
}

TEST(SimHash, SomeKernelIsAlwaysThere) {
  EXPECT_TRUE(IsAvailable(SimHashKernel::kScalar));
  EXPECT_TRUE(IsAvailable(SimHashKernel::kSwar));
  EXPECT_TRUE(IsAvailable(BestKernel()));
}

}  // namespace
}  // namespace contentseen
