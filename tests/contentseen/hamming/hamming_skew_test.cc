#include <gtest/gtest.h>

#include <set>

#include "contentseen/hamming/hamming_code.h"
#include "contentseen/hamming/hamming_geometry.h"
#include "contentseen/hamming/hamming_index.h"
#include "tests/contentseen/hamming/samples.h"

// Real fingerprints are not uniform (Manku, Jain, Das Sarma 2007, section 4). Were any of these
// quadratic, the test would not end within its time limit.

namespace contentseen {
namespace {

std::unique_ptr<HammingIndex> NewIndex(unsigned k) {
  auto index = HammingIndex::Create({.k = k, .huge_pages = false});
  EXPECT_TRUE(index);
  return std::move(*index);
}

void CompareSample(const HammingIndex& index, const std::vector<Fingerprint>& stored,
                   std::mt19937_64& random) {
  for (Fingerprint query : samples::Queries(random, stored, 60, index.k() + 2)) {
    std::vector<Fingerprint> near = samples::Within(stored, query, index.k());
    auto found = index.FindWithin(query);
    ASSERT_EQ(found.has_value(), !near.empty()) << std::hex << query;
    ASSERT_EQ(index.FindNearest(query), samples::Nearest(near, query)) << std::hex << query;
  }
  // Every one is found, quickly.
  std::size_t missing = 0;
  for (Fingerprint x : stored) missing += index.FindWithin(x) ? 0 : 1;
  EXPECT_EQ(missing, 0U);
}

// A million distinct ones, ascending: random numbers cut to their last `bits`, all with `common`.
std::vector<Fingerprint> AMillionWith(Fingerprint common, unsigned bits, std::mt19937_64& random) {
  std::set<Fingerprint> distinct;
  while (distinct.size() < 1'000'000) distinct.insert(common | random() >> (64 - bits));
  return {distinct.begin(), distinct.end()};
}

// Returns the distinct ones, ascending, which must have been new.
std::vector<Fingerprint> InsertAll(HammingIndex& index, const std::vector<Fingerprint>& all) {
  std::set<Fingerprint> distinct(all.begin(), all.end());
  EXPECT_EQ(index.InsertBatch(all), distinct.size());
  return {distinct.begin(), distinct.end()};
}

TEST(HammingSkewTest, AMillionIdenticalOnesAreOne) {
  auto index = NewIndex(3);
  for (int i = 0; i < 1'000'000; ++i) index->Insert(0x0123456789abcdef);
  EXPECT_EQ(index->size(), 1U);
}

// What has left for heavy cells is no reason to grow.
TEST(HammingSkewTest, AThousandWithOneHighHalfTakeNoRoom) {
  std::mt19937_64 random(7);
  auto index = NewIndex(3);
  const std::uint64_t empty = index->bytes();
  for (int i = 0; i < 1'000; ++i) index->Insert(0xabcd'ef01'0000'0000 | (random() >> 32));
  EXPECT_LE(index->bytes(), empty + (std::uint64_t{1} << 20));
}

TEST(HammingSkewTest, Row114_AMillionWithOneHighHalf) {
  std::mt19937_64 random(1);
  auto index = NewIndex(3);
  std::vector<Fingerprint> stored = AMillionWith(0xabcd'ef01'0000'0000, 32, random);
  EXPECT_EQ(index->InsertBatch(stored), stored.size());
  CompareSample(*index, stored, random);
}

// Homes that want two overflow lines each take all that their region can have; from then on what
// finds no line turns heavy, however little it is. Half by half, as pages of a series come.
TEST(HammingSkewTest, MoreThanARegionHasOverflowLinesFor) {
  std::mt19937_64 random(8);
  auto index = NewIndex(3);
  const HammingGeometry geometry;  // of a table without expectations
  std::vector<Fingerprint> stored;
  std::set<std::uint32_t> homes;
  while (homes.size() < 900) {
    const auto half = static_cast<std::uint32_t>(random());
    const std::uint32_t home =
        geometry.LineOf(HammingGeometry::Mix(HammingCode::Encode(half).codeword));
    if (home >= HammingGeometry::kUnit || !homes.insert(home).second) continue;
    for (int i = 0; i < 19; ++i) {
      stored.push_back(Fingerprint{half} << 32 | random() >> 32);
      ASSERT_TRUE(index->Insert(stored.back()));
    }
  }
  EXPECT_EQ(index->InsertBatch(stored), 0U);
  CompareSample(*index, stored, random);
  // And they stay when the region is rewritten.
  const std::vector<Fingerprint> others = samples::Uniform(random, 1'200'000);
  EXPECT_EQ(index->InsertBatch(others), others.size());
  stored.insert(stored.end(), others.begin(), others.end());
  CompareSample(*index, stored, random);
}

TEST(HammingSkewTest, HalfAMillionAroundOnePage) {
  std::mt19937_64 random(2);
  auto index = NewIndex(3);
  CompareSample(*index, InsertAll(*index, samples::Clustered(random, 500'000, 1, 8)), random);
}

TEST(HammingSkewTest, CountingNumbers) {
  std::mt19937_64 random(3);
  auto index = NewIndex(3);
  std::vector<Fingerprint> stored;
  for (Fingerprint x = 0; x < 300'000; ++x) stored.push_back(x * 3);
  EXPECT_EQ(index->InsertBatch(stored), stored.size());
  CompareSample(*index, stored, random);
}

TEST(HammingSkewTest, AWideRadiusToo) {
  std::mt19937_64 random(4);
  auto index = NewIndex(6);
  CompareSample(*index, InsertAll(*index, samples::Clustered(random, 30'000, 1, 8)), random);
}

class HammingWideSkewTest : public testing::TestWithParam<unsigned> {};

// Lookups near them do not go through the list of a million.
TEST_P(HammingWideSkewTest, AMillionWithOnePart) {
  std::mt19937_64 random(5);
  auto index = NewIndex(GetParam());
  const std::vector<Fingerprint> stored = AMillionWith(0xabcd'0000'0000'0000, 48, random);
  EXPECT_EQ(index->InsertBatch(stored), stored.size());
  EXPECT_EQ(index->InsertBatch(stored), 0U);
  std::size_t wrong = 0;
  for (int n = 0; n < 50'000; ++n) {
    const Fingerprint query = 0xabcd'0000'0000'0000 | (random() >> 16);
    auto found = index->FindWithin(query);
    wrong += found && Distance(*found, query) > static_cast<int>(index->k()) ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0U);
  for (Fingerprint query : samples::Queries(random, stored, 30, index->k() + 2)) {
    const std::vector<Fingerprint> near = samples::Within(stored, query, index->k());
    ASSERT_EQ(index->FindNearest(query), samples::Nearest(near, query)) << std::hex << query;
  }
}
INSTANTIATE_TEST_SUITE_P(Radius, HammingWideSkewTest, testing::Values(6, 8, 10));

TEST(HammingSkewTest, AWideRadiusAndAMillionAroundOnePage) {
  std::mt19937_64 random(6);
  auto index = NewIndex(6);
  std::vector<Fingerprint> stored = samples::Clustered(random, 1'000'000, 1, 12);
  InsertAll(*index, stored);
  EXPECT_EQ(index->InsertBatch(stored), 0U);
}

}  // namespace
}  // namespace contentseen
