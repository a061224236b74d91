#include "frontier/url_seen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

namespace frontier {
namespace {

Url Numbered(std::uint64_t number) {
  return Url::FromCanonical("http://host.example/page/" + std::to_string(number));
}

TEST(UrlSeenTest, TellsNewFromSeen) {
  UrlSeen seen(7);
  EXPECT_TRUE(seen.Insert(Numbered(1)));
  EXPECT_FALSE(seen.Insert(Numbered(1)));
  EXPECT_TRUE(seen.Insert(Numbered(2)));
  EXPECT_EQ(seen.size(), 2U);
}

TEST(UrlSeenTest, AgreesWithAnUnorderedSet) {
  UrlSeen seen(1);
  std::unordered_set<std::string> reference;
  std::mt19937_64 random(42);
  for (int i = 0; i < 300'000; ++i) {
    Url url = Numbered(random() % 100'000);
    ASSERT_EQ(seen.Insert(url), reference.insert(url.text()).second) << url.text();
  }
  EXPECT_EQ(seen.size(), reference.size());
}

TEST(UrlSeenTest, HashesAtTheEdgesAreKeptApart) {
  UrlSeen seen(1);
  // The ends of the table, where probing wraps around; 0 is no hash that Hash() gives.
  std::unordered_set<std::uint64_t> reference;
  for (std::uint64_t i = 1; i < 2000; ++i) {
    for (std::uint64_t hash : {i, ~i, i << 32}) {
      EXPECT_EQ(seen.InsertHash(hash), reference.insert(hash).second) << hash;
    }
  }
  for (std::uint64_t hash : reference) EXPECT_FALSE(seen.InsertHash(hash));
  EXPECT_EQ(seen.size(), reference.size());
}

// Were all shards to grow at the same time, it would be 10 bytes before and 15 after.
TEST(UrlSeenTest, TakesTwelveOrThirteenBytesAUrlWhateverTheirNumber) {
  UrlSeen seen(3);
  std::mt19937_64 random(1);
  std::size_t next = 100'000;
  double least = 100;
  double most = 0;
  while (seen.size() < 1'000'000) {
    seen.InsertHash(random());
    if (seen.size() < next) continue;
    const double a_url = static_cast<double>(seen.bytes()) / static_cast<double>(seen.size());
    least = std::min(least, a_url);
    most = std::max(most, a_url);
    next += next / 50;
  }
  EXPECT_GE(least, 12.0);
  EXPECT_LE(most, 13.0);
}

TEST(UrlSeenTest, AnotherKeyIsAnotherHash) {
  EXPECT_NE(UrlSeen(1).Hash(Numbered(1)), UrlSeen(2).Hash(Numbered(1)));
  EXPECT_EQ(UrlSeen(1).Hash(Numbered(1)), UrlSeen(1).Hash(Numbered(1)));
}

TEST(UrlSeenTest, OfManyThreadsOneIsTheFirst) {
  constexpr std::uint64_t kUrls = 20'000;
  constexpr int kThreads = 4;
  UrlSeen seen(5);
  std::vector<std::atomic<int>> firsts(kUrls);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&seen, &firsts, t] {
      for (std::uint64_t i = 0; i < kUrls; ++i) {
        std::uint64_t number = t % 2 == 0 ? i : kUrls - 1 - i;
        std::uint64_t hash = seen.Hash(Numbered(number));
        seen.Prefetch(hash);
        if (seen.InsertHash(hash)) firsts[number].fetch_add(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint64_t i = 0; i < kUrls; ++i) ASSERT_EQ(firsts[i].load(), 1) << i;
  EXPECT_EQ(seen.size(), kUrls);
}

}  // namespace
}  // namespace frontier
