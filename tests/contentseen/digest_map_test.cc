#include "contentseen/digest_map.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace contentseen {
namespace {

Key128 KeyOf(std::uint64_t i) { return Xxh3Key(std::to_string(i)); }

TEST(DigestMap, FindsWhatWasInserted) {
  DigestMap<std::uint64_t> map(7);
  EXPECT_FALSE(map.Find(KeyOf(0)).has_value());
  constexpr std::uint64_t kEntries = 50'000;
  for (std::uint64_t i = 0; i < kEntries; ++i) ASSERT_TRUE(map.Insert(KeyOf(i), i));
  EXPECT_EQ(map.size(), kEntries);
  for (std::uint64_t i = 0; i < kEntries; ++i) ASSERT_EQ(map.Find(KeyOf(i)), i);
  for (std::uint64_t i = kEntries; i < 2 * kEntries; ++i) ASSERT_FALSE(map.Find(KeyOf(i)));
}

TEST(DigestMap, FirstValueStays) {
  DigestMap<int> map(0);
  EXPECT_TRUE(map.Insert({1, 2}, 10));
  EXPECT_FALSE(map.Insert({1, 2}, 20));
  EXPECT_EQ(map.Find({1, 2}), 10);
  EXPECT_EQ(map.size(), 1u);
}

TEST(DigestMap, KeysThatShareHalfAreApart) {
  DigestMap<int> map(0);
  map.Insert({1, 2}, 12);
  map.Insert({1, 3}, 13);
  map.Insert({2, 2}, 22);
  EXPECT_EQ(map.Find({1, 2}), 12);
  EXPECT_EQ(map.Find({1, 3}), 13);
  EXPECT_EQ(map.Find({2, 2}), 22);
  EXPECT_FALSE(map.Find({2, 3}).has_value());
}

// Against one by one, whatever the sizes of the batches, with keys that stand in several of them.
TEST(DigestMap, ABatchIsAsOneByOne) {
  using Map = DigestMap<std::uint64_t>;
  constexpr std::uint64_t kKeys = 20'000;
  const auto least = [](std::uint64_t a, std::uint64_t b) { return a < b; };
  for (const std::size_t size : {1U, 7U, 1'000U, 30'000U}) {
    for (const std::uint64_t expected : {std::uint64_t{0}, kKeys, 3 * kKeys}) {
      Map one_by_one(3);
      Map batched(3, expected);
      std::vector<Map::Entry> batch;
      for (std::uint64_t i = 0; i < 2 * kKeys; ++i) {
        const Map::Entry entry{KeyOf(i * 7 % kKeys), i};
        one_by_one.Insert(entry.key, entry.value);
        batch.push_back(entry);
        if (batch.size() < size && i + 1 < 2 * kKeys) continue;
        batched.InsertBatch(batch, least);
        batch.clear();
      }
      ASSERT_EQ(batched.size(), one_by_one.size());
      for (std::uint64_t i = 0; i < 2 * kKeys; ++i) {
        ASSERT_EQ(batched.Find(KeyOf(i)), one_by_one.Find(KeyOf(i))) << i;
      }
    }
  }
}

TEST(DigestMap, TheValueThatPrecedesStaysWhateverTheOrder) {
  DigestMap<int> map(0);
  const auto least = [](int a, int b) { return a < b; };
  using Entry = DigestMap<int>::Entry;
  map.InsertBatch(std::vector<Entry>{{{1, 1}, 5}, {{2, 2}, 7}, {{1, 1}, 3}}, least);
  map.InsertBatch(std::vector<Entry>{{{1, 1}, 4}, {{2, 2}, 6}}, least);
  EXPECT_EQ(map.Find({1, 1}), 3);
  EXPECT_EQ(map.Find({2, 2}), 6);
  EXPECT_EQ(map.size(), 2u);
}

TEST(DigestMap, MemoryIsWhatTheHeaderSays) {
  DigestMap<std::array<std::uint64_t, 2>> map(0);
  constexpr std::size_t kEntries = 100'000;
  for (std::size_t i = 0; i < kEntries; ++i) map.Insert(KeyOf(i), {});
  EXPECT_LT(map.memory_bytes(), kEntries * (32 + 12));
}

TEST(DigestMap, OfManyInsertingOneKeyExactlyOneWins) {
  DigestMap<int> map(0);
  constexpr int kThreads = 8;
  constexpr std::uint64_t kKeys = 2'000;
  std::atomic<int> won = 0;  // relaxed would do: read after the joins
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&map, &won, t] {
      for (std::uint64_t i = 0; i < kKeys; ++i) won += map.Insert(KeyOf(i), t) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(won.load(), static_cast<int>(kKeys));
  EXPECT_EQ(map.size(), kKeys);
}

}  // namespace
}  // namespace contentseen
