#include "contentseen/hamming/hamming_index.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <set>
#include <string>

#include "tests/contentseen/hamming/samples.h"
#include "tests/contentseen/memory_limit.h"

namespace contentseen {
namespace {

std::unique_ptr<HammingIndex> NewIndex(HammingIndex::Options options) {
  options.huge_pages = false;
  auto index = HammingIndex::Create(options);
  EXPECT_TRUE(index) << (index ? "" : index.error().message);
  return std::move(*index);
}

// Every kind of lookup against a linear scan.
void Compare(const HammingIndex& index, const std::vector<Fingerprint>& stored,
             const std::vector<Fingerprint>& queries) {
  std::vector<std::optional<Fingerprint>> batch(queries.size());
  index.FindBatch(queries, batch);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    Fingerprint query = queries[i];
    std::vector<Fingerprint> near = samples::Within(stored, query, index.k());
    hits += near.empty() ? 0 : 1;
    for (const auto& found : {index.FindWithin(query), batch[i]}) {
      ASSERT_EQ(found.has_value(), !near.empty()) << std::hex << query;
      bool right = !found || std::binary_search(near.begin(), near.end(), *found);
      ASSERT_TRUE(right) << std::hex << query;
    }
    ASSERT_EQ(index.FindNearest(query), samples::Nearest(near, query)) << std::hex << query;
    std::vector<Fingerprint> visited;
    index.ForEachWithin(query, [&](Fingerprint x) { visited.push_back(x); });
    std::sort(visited.begin(), visited.end());
    ASSERT_EQ(visited, near) << std::hex << query;
  }
  // Else nothing was tested.
  EXPECT_GT(hits, queries.size() / 10);
}

struct Case {
  unsigned k;
  HammingKernel kernel;
  std::string data;
};

class HammingIndexTest : public testing::TestWithParam<Case> {};

TEST_P(HammingIndexTest, EqualsLinearScan) {
  const Case& param = GetParam();
  std::mt19937_64 random(param.k * 1000 + static_cast<unsigned>(param.kernel));
  std::vector<Fingerprint> data;
  constexpr std::size_t kN = 20'000;
  if (param.data == "uniform") data = samples::Uniform(random, kN);
  if (param.data == "clustered") data = samples::Clustered(random, kN, 30, 2 * param.k + 4);
  if (param.data == "adversarial") data = samples::Adversarial(random, kN);
  auto index = NewIndex({.k = param.k, .kernel = param.kernel});
  if (index->kernel_name() != samples::NameOf(param.kernel)) {
    GTEST_SKIP() << "this processor has no " << samples::NameOf(param.kernel);
  }
  std::set<Fingerprint> distinct;
  for (Fingerprint x : data) ASSERT_EQ(index->Insert(x), distinct.insert(x).second);
  EXPECT_EQ(index->size(), distinct.size());
  for (Fingerprint x : data) ASSERT_FALSE(index->Insert(x));
  EXPECT_EQ(index->size(), distinct.size());
  Compare(*index, data, samples::Queries(random, data, 300, param.k + 2));
  std::set<Fingerprint> all;
  index->ForEach([&](Fingerprint x) { EXPECT_TRUE(all.insert(x).second); });
  EXPECT_EQ(all, distinct);
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (unsigned k = 0; k <= 10; ++k) {
    for (HammingKernel kernel :
         {HammingKernel::kScalar, HammingKernel::kAvx2, HammingKernel::kAvx512}) {
      for (const char* data : {"uniform", "clustered", "adversarial"}) {
        cases.push_back({k, kernel, data});
      }
    }
  }
  return cases;
}

std::string NameOf(const testing::TestParamInfo<Case>& of) {
  const std::string kernels[] = {"Best", "Scalar", "Avx2", "Avx512"};
  return "K" + std::to_string(of.param.k) + kernels[static_cast<int>(of.param.kernel)] + "_" +
         of.param.data;
}

INSTANTIATE_TEST_SUITE_P(All, HammingIndexTest, testing::ValuesIn(Cases()), NameOf);

// Tables of sizes that have lines of every layout, alone and beside another; with few in them, but
// these close together.
class HammingIndexLayoutTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(HammingIndexLayoutTest, EqualsLinearScan) {
  for (HammingKernel kernel :
       {HammingKernel::kScalar, HammingKernel::kAvx2, HammingKernel::kAvx512}) {
    std::mt19937_64 random(GetParam());
    auto index = NewIndex({.k = 3, .expected_n = GetParam(), .kernel = kernel});
    std::vector<Fingerprint> data = samples::Clustered(random, 2'000, 8, 9);
    for (Fingerprint x : samples::Adversarial(random, 1'000)) data.push_back(x);
    // Few halves, each with up to thirty others: full lines, overflow and heavy cells.
    for (int i = 0; i < 1'000; ++i) {
      Fingerprint half = random() % 40 * 0x01234567 & 0xffffffff;
      data.push_back(i % 2 == 0 ? half << 32 | random() >> 32 : random() << 32 | half);
    }
    std::set<Fingerprint> distinct;
    for (Fingerprint x : data) ASSERT_EQ(index->Insert(x), distinct.insert(x).second);
    for (Fingerprint x : data) ASSERT_FALSE(index->Insert(x));
    Compare(*index, data, samples::Queries(random, data, 60, 5));
  }
}

// Bit 31 takes no part in a half's codeword: what differs there is looked for at home, where it
// may be in overflow. (Two bits more, of the other half, keep the other table from finding it.)
TEST_P(HammingIndexLayoutTest, FindsWhatDiffersInBit31) {
  for (HammingKernel kernel :
       {HammingKernel::kScalar, HammingKernel::kAvx2, HammingKernel::kAvx512}) {
    std::mt19937_64 random(GetParam());
    auto index = NewIndex({.k = 3, .expected_n = GetParam(), .kernel = kernel});
    std::vector<Fingerprint> data;
    for (int i = 0; i < 50; ++i) {
      const Fingerprint half = random() >> 32;
      for (int j = 0; j < 18; ++j) data.push_back(half | random() << 32);
      for (int j = 0; j < 18; ++j) data.push_back(half << 32 | random() >> 32);
    }
    index->InsertBatch(data);
    std::vector<Fingerprint> queries;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const unsigned own = i / 18 % 2 == 0 ? 0 : 32;
      Fingerprint two = (Fingerprint{3} << random() % 31) << (32 - own);
      queries.push_back(data[i] ^ Fingerprint{1} << (own + 31) ^ two);
    }
    Compare(*index, data, queries);
  }
}

INSTANTIATE_TEST_SUITE_P(All, HammingIndexLayoutTest,
                         testing::Values(5'800'000, 10'000'000, 40'000'000, 100'000'000,
                                         163'000'000, 200'000'000, 1'200'000'000));

// Growth through several rounds from the smallest size, all kinds of lookups in between.
TEST(HammingIndexGrowthTest, EqualsLinearScanAtEverySize) {
  std::mt19937_64 random(7);
  auto index = NewIndex({.k = 3});
  std::vector<Fingerprint> stored;
  for (std::size_t n : {600'000U, 700'000U, 900'000U, 1'500'000U, 2'000'000U}) {
    std::vector<Fingerprint> more = samples::Uniform(random, n - stored.size());
    EXPECT_EQ(index->InsertBatch(more), more.size());
    stored.insert(stored.end(), more.begin(), more.end());
    Compare(*index, stored, samples::Queries(random, stored, 100, 5));
    EXPECT_LE(static_cast<double>(index->bytes()) / static_cast<double>(n), 16.0);
  }
  std::size_t missing = 0;
  for (Fingerprint x : stored) missing += index->FindWithin(x) ? 0 : 1;
  EXPECT_EQ(missing, 0U);
}

// Growth to where lines have another layout, with some that have it already and after all have.
TEST(HammingIndexGrowthTest, LinesChangeTheirLayout) {
  std::mt19937_64 random(17);
  auto index = NewIndex({.k = 3, .expected_n = 5'700'000});
  // Cells with more than a line and its overflow hold.
  constexpr unsigned kEqualHalves = 40;
  std::vector<Fingerprint> heavy;
  for (int i = 0; i < 300; ++i) {
    const Fingerprint half = random() >> 32 << 32;
    for (unsigned j = 0; j < kEqualHalves; ++j) heavy.push_back(half | random() >> 32);
  }
  EXPECT_EQ(index->InsertBatch(heavy), heavy.size());
  std::vector<Fingerprint> stored = heavy;
  for (std::size_t n : {5'700'000U, 5'800'000U, 5'950'000U}) {
    std::vector<Fingerprint> more = samples::Uniform(random, n - stored.size());
    EXPECT_EQ(index->InsertBatch(more), more.size());
    stored.insert(stored.end(), more.begin(), more.end());
    Compare(*index, stored, samples::Queries(random, stored, 20, 4));
    std::vector<Fingerprint> some;
    for (std::size_t i = 0; i < stored.size(); i += 10) some.push_back(stored[i]);
    std::vector<std::optional<Fingerprint>> found(some.size());
    index->FindBatch(some, found);
    EXPECT_EQ(std::count(found.begin(), found.end(), std::nullopt), 0);
    // By the equal half only: two bits of the other one keep the other table from finding it.
    EXPECT_EQ(std::count_if(heavy.begin(), heavy.end(),
                            [&](Fingerprint x) { return !index->FindWithin(x ^ 5); }),
              0);
    EXPECT_EQ(index->InsertBatch(heavy), 0U);
    EXPECT_LE(static_cast<double>(index->bytes()) / static_cast<double>(n), 16.0);
  }
}

TEST(HammingIndexGrowthTest, ExpectedNumberMakesTheSameSet) {
  std::mt19937_64 random(8);
  auto index = NewIndex({.k = 3, .expected_n = 1'000'000});
  std::vector<Fingerprint> stored = samples::Uniform(random, 1'200'000);
  EXPECT_EQ(index->InsertBatch(stored), stored.size());
  Compare(*index, stored, samples::Queries(random, stored, 200, 5));
}

TEST(HammingIndexUseTest, RebuiltWithAnotherRadius) {
  std::mt19937_64 random(9);
  auto index = NewIndex({.k = 3});
  std::vector<Fingerprint> stored = samples::Clustered(random, 10'000, 20, 12);
  index->InsertBatch(stored);
  auto wider = index->Rebuilt({.k = 7});
  ASSERT_TRUE(wider);
  EXPECT_EQ((*wider)->size(), index->size());
  EXPECT_EQ((*wider)->k(), 7U);
  Compare(**wider, stored, samples::Queries(random, stored, 200, 9));
}

// An index that nobody knows yet says that memory is refused; to one that others may be reading
// it is the end.
TEST(HammingIndexUseTest, RefusedMemoryIsSaidOrTheEnd) {
  if (tests::kSanitized) GTEST_SKIP() << "sanitizers end the process themselves";
  std::mt19937_64 random(12);
  const std::vector<Fingerprint> stored = samples::Uniform(random, 100'000);
  const auto index = NewIndex({.k = 3});
  index->InsertBatch(stored);
  EXPECT_EXIT(tests::ExpectRefusals(0, [&] { return index->Rebuilt({.k = 7}); }),
              testing::ExitedWithCode(0), "");
  EXPECT_EXIT(tests::ExpectRefusals(0, [&] { return HammingIndex::Of(stored, {.k = 7}); }),
              testing::ExitedWithCode(0), "");
  const auto insert_for_ever = [&](auto insert) {
    const auto lists = NewIndex({.k = 7});
    tests::LimitAddressSpace(tests::AddressSpace() + (std::uint64_t{4} << 20));
    try {
      for (;;) insert(*lists);
    } catch (const std::bad_alloc&) {
      std::_Exit(0);
    }
  };
  EXPECT_DEATH(insert_for_ever([&](HammingIndex& lists) { lists.Insert(random()); }), "bad_alloc");
  EXPECT_DEATH(insert_for_ever([&](HammingIndex& lists) {
                 lists.InsertBatch(samples::Uniform(random, 1'000));
               }),
               "bad_alloc");
}

TEST(HammingIndexUseTest, RefusesMoreThanThereIsRoomFor) {
  const auto index = HammingIndex::Create({.k = 3, .expected_n = kHammingFingerprintsMax + 1});
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().message,
            "the Hamming index has no room for 1500000001 fingerprints, only for 1500000000: "
            "expect fewer");
}

// In the largest tables bit 31 of a half takes part in the address, and heavy cells that differ
// in it are reached from two lines.
TEST(HammingIndexUseTest, VisitsEachOnceInTheLargestTables) {
  std::mt19937_64 random(10);
  auto index = NewIndex({.k = 3, .expected_n = 900'000'000});
  for (int n = 0; n < 40; ++n) {
    const Fingerprint half = random() >> 32 << 32;
    std::vector<Fingerprint> stored;
    for (int i = 0; i < 40; ++i) {
      stored.push_back(half | random() >> 32);
      stored.push_back(stored.back() ^ Fingerprint{1} << 63);
    }
    EXPECT_EQ(index->InsertBatch(stored), stored.size());
    Compare(*index, stored, stored);
  }
}

TEST(HammingIndexUseTest, TakesConstantVisitors) {
  auto index = NewIndex({.k = 3});
  index->Insert(8);
  std::vector<Fingerprint> visited;
  const auto visit = [&](Fingerprint x) { visited.push_back(x); };
  index->ForEachWithin(9, visit);
  index->ForEach(visit);
  EXPECT_EQ(visited, (std::vector<Fingerprint>{8, 8}));
}

std::vector<Fingerprint> seen_by_function;
bool SeeUntilNine(Fingerprint x) {
  seen_by_function.push_back(x);
  return x != 9;
}

TEST(HammingIndexUseTest, TakesPlainFunctionsAsVisitors) {
  auto index = NewIndex({.k = 3});
  for (Fingerprint x : {9, 10}) index->Insert(x);
  seen_by_function.clear();
  index->ForEachWithin(9, SeeUntilNine);
  index->ForEach(&SeeUntilNine);
  EXPECT_EQ(std::count(seen_by_function.begin(), seen_by_function.end(), 9), 2);
}

// No lock is held while a visitor runs, and none of what was there is passed over.
TEST(HammingIndexUseTest, VisitorsMayInsertUntilTheTablesGrow) {
  std::mt19937_64 random(11);
  auto index = NewIndex({.k = 3});
  std::vector<Fingerprint> before = samples::Uniform(random, 730'000);
  for (int i = 0; i < 100; ++i) before.push_back(0xabcd'ef01'0000'0000 | random() >> 32);
  index->InsertBatch(before);
  const std::uint64_t bytes = index->bytes();
  std::vector<Fingerprint> visited;
  index->ForEach([&](Fingerprint x) {
    visited.push_back(x);
    if (visited.size() <= 30'000) index->Insert(random());
  });
  EXPECT_GT(index->bytes(), bytes);
  std::sort(before.begin(), before.end());
  std::sort(visited.begin(), visited.end());
  EXPECT_TRUE(std::includes(visited.begin(), visited.end(), before.begin(), before.end()));
}

TEST(HammingIndexUseTest, EmptyFindsNothing) {
  for (unsigned k : {0U, 3U, 5U, 8U}) {
    auto index = NewIndex({.k = k});
    EXPECT_EQ(index->FindWithin(0), std::nullopt);
    EXPECT_EQ(index->FindWithin(~Fingerprint{0}), std::nullopt);
    EXPECT_EQ(index->size(), 0U);
  }
}

TEST(HammingIndexUseTest, ZeroIsAFingerprintLikeAnother) {
  auto index = NewIndex({.k = 3});
  EXPECT_TRUE(index->Insert(0));
  EXPECT_FALSE(index->Insert(0));
  EXPECT_EQ(index->FindWithin(7), Fingerprint{0});
  EXPECT_EQ(index->FindWithin(15), std::nullopt);
  EXPECT_EQ(index->FindNearest(1), Fingerprint{0});
}

}  // namespace
}  // namespace contentseen
