#include "contentseen/detectors/minwise.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "tests/contentseen/canonical_hash.h"

namespace contentseen {
namespace {

using tests::CanonicalHash;

// Word 2-shingles of a text, each hashed as the published vectors do.
std::vector<std::uint64_t> Bigrams(const std::vector<std::string>& words) {
  std::vector<std::uint64_t> shingles;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    shingles.push_back(CanonicalHash(words[i] + " " + words[i + 1]));
  }
  return shingles;
}

TEST(CanonicalHash, IsThatOfTheVectors) {
  EXPECT_EQ(CanonicalHash(""), 0xefd01f60ba992926u);
  EXPECT_EQ(CanonicalHash("a"), 0x82a2a958a9bece5bu);
  EXPECT_EQ(CanonicalHash("foobar"), 0x2c22194922d1672bu);
  EXPECT_EQ(CanonicalHash("the"), 0xcb3ff435b889fb31u);
}

TEST(MinWise, PublishedVectors) {
  std::array<std::uint64_t, 4> minima{};
  MinWise(Bigrams({"the", "cat", "sat", "on", "the", "mat"}), minima);
  EXPECT_EQ(minima, (std::array<std::uint64_t, 4>{0x44cf38f7a10c9f86, 0x15ac337e1f6fd65d,
                                                  0x29ded6269ac5d4d1, 0x0ea5dc82a2f875f3}));
  MinWise(Bigrams({"the", "cat", "sat", "on", "a", "mat"}), minima);
  EXPECT_EQ(minima, (std::array<std::uint64_t, 4>{0x44cf38f7a10c9f86, 0x15ac337e1f6fd65d,
                                                  0x29ded6269ac5d4d1, 0x21c9f6196eb336c5}));
}

TEST(MinWise, ByEightsEqualsOneByOne) {
  std::mt19937_64 random(1);
  for (std::size_t size = 1; size < 70; ++size) {
    std::vector<std::uint64_t> set(size);
    for (std::uint64_t& x : set) x = random();
    std::array<std::uint64_t, 13> minima{};
    std::array<std::uint64_t, 13> expected{};
    MinWise(set, minima);
    MinWiseScalar(set, expected);
    ASSERT_EQ(minima, expected) << size;
    set.push_back(set.front());
    MinWise(set, minima);
    ASSERT_EQ(minima, expected) << "a repeated element changes nothing";
  }
}

TEST(MinWise, AgreementEstimatesResemblance) {
  constexpr std::size_t kMinima = 4'000;
  std::vector<std::uint64_t> a(kMinima);
  std::vector<std::uint64_t> b(kMinima);
  for (const std::size_t shared : {10, 50, 90}) {
    const tests::SetPair sets = tests::Sets(shared, 100, shared);
    MinWise(sets.a, a);
    MinWise(sets.b, b);
    double equal = 0;
    for (std::size_t i = 0; i < kMinima; ++i) equal += a[i] == b[i] ? 1 : 0;
    EXPECT_NEAR(equal / kMinima, static_cast<double>(shared) / 100, 0.03);
  }
}

}  // namespace
}  // namespace contentseen
