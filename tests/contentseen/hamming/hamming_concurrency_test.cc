#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <span>
#include <thread>

#include "contentseen/hamming/hamming_index.h"
#include "contentseen/hamming/hamming_part.h"
#include "tests/contentseen/hamming/samples.h"

namespace contentseen {
namespace {

constexpr unsigned kThreads = 4;
// With so many the smallest table is about to grow (at 734,000).
constexpr std::size_t kBeforeGrowth = 725'000;

std::unique_ptr<HammingIndex> NewIndex(unsigned k, std::uint64_t expected_n = 0) {
  auto index = HammingIndex::Create({.k = k, .expected_n = expected_n, .huge_pages = false});
  EXPECT_TRUE(index);
  return std::move(*index);
}

template <class Body>
void InThreads(Body body) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) threads.emplace_back([=] { body(t); });
  for (std::thread& thread : threads) thread.join();
}

// Whatever the way a lookup reaches x (through either half, alone or in a batch), it must find a
// fingerprint once Insert(x) has returned.
std::size_t Unseen(const HammingIndex& index, Fingerprint x, std::mt19937_64& random) {
  Fingerprint high = Fingerprint{7} << (32 + random() % 29);
  Fingerprint low = Fingerprint{7} << random() % 29;
  const Fingerprint queries[] = {x, x ^ high, x ^ low, x ^ samples::Flips(random, 3)};
  std::size_t unseen = 0;
  std::array<std::optional<Fingerprint>, 4> found;
  index.FindBatch(queries, found);
  for (std::size_t i = 0; i < 4; ++i) {
    for (const auto& one : {found[i], index.FindWithin(queries[i])}) {
      unseen += one && Distance(*one, queries[i]) <= 3 ? 0 : 1;
    }
  }
  return unseen;
}

// All threads insert, sharing a third of what they insert, and look for what they and others have
// inserted, while the tables grow. In the sequential model a fingerprint is new exactly once.
void InsertAndLook(HammingIndex& index, const std::vector<Fingerprint>& pool,
                   std::size_t per_thread) {
  std::vector<std::atomic<bool>> inserted(pool.size());
  std::vector<std::atomic<int>> news(pool.size());
  std::atomic<std::size_t> unseen = 0;
  std::atomic<std::size_t> wrong = 0;
  InThreads([&](unsigned t) {
    std::mt19937_64 random(100 + t);
    for (std::size_t n = 0; n < per_thread; ++n) {
      std::size_t i = random() % pool.size();
      if (index.Insert(pool[i])) news[i].fetch_add(1);
      inserted[i].store(true);
      std::size_t j = random() % pool.size();
      for (std::size_t look : {i, j}) {
        if (look == j && (n % 4 != 0 || !inserted[j].load())) continue;
        unseen += Unseen(index, pool[look], random);
      }
      Fingerprint far = random();
      auto found = index.FindWithin(far);
      wrong += found && Distance(*found, far) > 3 ? 1 : 0;
    }
  });
  EXPECT_EQ(unseen.load(), 0U);
  EXPECT_EQ(wrong.load(), 0U);
  for (std::size_t i = 0; i < pool.size(); ++i) {
    ASSERT_EQ(news[i].load(), inserted[i].load() ? 1 : 0) << std::hex << pool[i];
  }
}

TEST(HammingConcurrencyTest, SeenOnceInsertedWhileTheTablesGrow) {
  std::mt19937_64 random(1);
  auto index = NewIndex(3);
  std::vector<Fingerprint> before = samples::Uniform(random, kBeforeGrowth);
  index->InsertBatch(before);
  std::vector<Fingerprint> pool = samples::Uniform(random, 60'000);
  InsertAndLook(*index, pool, 20'000);
  std::size_t lost = 0;
  for (Fingerprint x : before) lost += index->FindWithin(x) == x ? 0 : 1;
  EXPECT_EQ(lost, 0U);
}

TEST(HammingConcurrencyTest, SeenOnceInsertedWhileCellsTurnHeavy) {
  std::mt19937_64 random(2);
  auto index = NewIndex(3);
  std::vector<Fingerprint> pool = samples::Adversarial(random, 12'000);
  std::vector<Fingerprint> families = samples::Clustered(random, 12'000, 3, 8);
  pool.insert(pool.end(), families.begin(), families.end());
  std::set<Fingerprint> distinct(pool.begin(), pool.end());
  InsertAndLook(*index, {distinct.begin(), distinct.end()}, 8'000);
}

// Sparse tables with lines of two layouts each: few halves, each with so many others that most go
// to overflow, and at last to heavy cells.
TEST(HammingConcurrencyTest, SeenOnceInsertedWhateverTheLinesLayout) {
  std::mt19937_64 random(6);
  for (std::uint64_t expected_n : {5'700'000, 40'000'000}) {
    auto index = NewIndex(3, expected_n);
    std::vector<Fingerprint> pool;
    for (int i = 0; i < 80; ++i) {
      const Fingerprint half = random() >> 32;
      for (int j = 0; j < 40; ++j) {
        pool.push_back(i % 2 == 0 ? half << 32 | random() >> 32 : random() << 32 | half);
      }
    }
    InsertAndLook(*index, pool, 2'000);
  }
}

TEST(HammingConcurrencyTest, VisitsSeeWhatWasInsertedBefore) {
  std::mt19937_64 random(3);
  auto index = NewIndex(3);
  index->InsertBatch(samples::Uniform(random, kBeforeGrowth));
  std::vector<Fingerprint> family = samples::Clustered(random, 200, 1, 1);
  index->InsertBatch(family);
  std::vector<Fingerprint> near = samples::Within(family, family[0], 3);
  std::atomic<std::size_t> wrong = 0;
  InThreads([&](unsigned t) {
    std::mt19937_64 own(200 + t);
    for (int n = 0; n < 6'000; ++n) {
      index->Insert(own());
      if (n % 4 != 0) continue;
      std::set<Fingerprint> visited;
      index->ForEachWithin(family[0], [&](Fingerprint x) { visited.insert(x); });
      wrong += std::includes(visited.begin(), visited.end(), near.begin(), near.end()) ? 0 : 1;
      wrong += index->FindNearest(family[0]) == family[0] ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong.load(), 0U);
}

TEST(HammingConcurrencyTest, ForEachPassesOverNothingWhileTheTablesGrow) {
  std::mt19937_64 random(8);
  auto index = NewIndex(3);
  std::vector<Fingerprint> before = samples::Uniform(random, kBeforeGrowth);
  index->InsertBatch(before);
  std::sort(before.begin(), before.end());
  std::atomic<std::size_t> wrong = 0;
  InThreads([&](unsigned t) {
    std::mt19937_64 own(300 + t);
    for (int n = 0; n < 40'000 && t != 0; ++n) index->Insert(own());
    for (int n = 0; n < 4 && t == 0; ++n) {
      std::vector<Fingerprint> visited;
      index->ForEach([&](Fingerprint x) { visited.push_back(x); });
      std::sort(visited.begin(), visited.end());
      wrong += std::includes(visited.begin(), visited.end(), before.begin(), before.end()) ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong.load(), 0U);
}

// Batches so large that they are ordered by line, into tables that have to grow for them.
TEST(HammingConcurrencyTest, LargeBatchesFillTheTablesEvenly) {
  constexpr std::size_t kEach = 1'100'000;
  constexpr std::size_t kShared = 100'000;
  std::mt19937_64 random(5);
  auto index = NewIndex(3);
  std::vector<Fingerprint> all = samples::Uniform(random, 2 * kEach - kShared);
  all[kEach - 1] = 0;
  std::atomic<std::uint64_t> inserted = 0;
  std::atomic<std::size_t> unseen = 0;
  InThreads([&](unsigned t) {
    if (t < 2) {
      auto part = std::span(all).subspan(t * (kEach - kShared), kEach);
      inserted += index->InsertBatch(part);
      for (std::size_t i = 0; i < kEach; i += 100) unseen += index->FindWithin(part[i]) ? 0 : 1;
      return;
    }
    std::mt19937_64 own(400 + t);
    for (int n = 0; n < 5'000; ++n) {
      Fingerprint x = own();
      inserted += index->Insert(x) ? 1 : 0;
      unseen += index->FindWithin(x) ? 0 : 1;
    }
  });
  EXPECT_EQ(inserted.load(), all.size() + 2 * 5'000);
  EXPECT_EQ(index->size(), inserted.load());
  for (Fingerprint x : all) unseen += index->FindWithin(x) == x ? 0 : 1;
  EXPECT_EQ(unseen.load(), 0U);
  // Had lines been filled in order before the table grew, most would have turned heavy.
  EXPECT_LE(static_cast<double>(index->bytes()) / static_cast<double>(index->size()), 16.5);
}

TEST(HammingConcurrencyTest, ListsOfCellsAreReadWhileTheyGrow) {
  std::mt19937_64 random(4);
  auto index = NewIndex(8);
  std::vector<Fingerprint> pool = samples::Uniform(random, 4'000);
  std::vector<std::atomic<int>> news(pool.size());
  std::atomic<std::size_t> unseen = 0;
  InThreads([&](unsigned t) {
    std::mt19937_64 own(300 + t);
    for (int n = 0; n < 2'000; ++n) {
      std::size_t i = own() % pool.size();
      if (index->Insert(pool[i])) news[i].fetch_add(1);
      unseen += index->FindWithin(pool[i] ^ samples::Flips(own, 8)) ? 0 : 1;
    }
  });
  EXPECT_EQ(unseen.load(), 0U);
  for (const auto& times : news) ASSERT_LE(times.load(), 1);
}

// All agree in one part, and its list becomes so long that it is split.
TEST(HammingConcurrencyTest, ListsOfCellsAreReadWhileTheyAreSplit) {
  std::mt19937_64 random(5);
  auto index = NewIndex(6);
  std::vector<Fingerprint> pool = samples::Uniform(random, HammingPart::kLong + 3'000);
  for (Fingerprint& x : pool) x = x >> 16 | 0xabcd'0000'0000'0000;
  const std::size_t before = HammingPart::kLong - 1'500;
  EXPECT_EQ(index->InsertBatch(std::span(pool).first(before)), before);
  std::atomic<std::size_t> next = before;
  std::atomic<std::size_t> unseen = 0;
  InThreads([&](unsigned t) {
    std::mt19937_64 own(400 + t);
    for (std::size_t i = next++; i < pool.size(); i = next++) {
      index->Insert(pool[i]);
      for (std::size_t look : {i, own() % before}) {
        // In the common part too, or in the others only.
        const Fingerprint query = pool[look] ^ samples::Flips(own, 6);
        auto found = index->FindWithin(query);
        unseen += found && Distance(*found, query) <= 6 ? 0 : 1;
      }
    }
  });
  EXPECT_EQ(unseen.load(), 0U);
  EXPECT_EQ(index->size(), pool.size());
}

}  // namespace
}  // namespace contentseen
