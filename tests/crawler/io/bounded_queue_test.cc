#include "crawler/io/bounded_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace crawler {
namespace {

TEST(BoundedQueue, ReservedAndWaitingTogetherNeverExceedTheCapacity) {
  BoundedQueue<int> queue(2);
  EXPECT_TRUE(queue.Reserve());
  EXPECT_TRUE(queue.Reserve());
  EXPECT_FALSE(queue.Reserve());
  queue.Push(1);
  EXPECT_FALSE(queue.Reserve());
  queue.Release();
  EXPECT_TRUE(queue.Reserve());
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_TRUE(queue.Reserve());
  EXPECT_FALSE(queue.Reserve());
}

TEST(BoundedQueue, DrainsAfterCloseAndThenGivesNothing) {
  BoundedQueue<int> queue(3);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(queue.Reserve());
    queue.Push(i);
  }
  queue.Close();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(queue.Pop(), i);
  EXPECT_EQ(queue.Pop(), std::nullopt);
}

TEST(BoundedQueue, EveryItemArrivesOnceWhateverTheThreads) {
  constexpr int kItems = 20'000;
  BoundedQueue<int> queue(8);
  std::vector<std::atomic<int>> taken(kItems);
  std::vector<std::thread> takers;
  for (int t = 0; t < 3; ++t) {
    takers.emplace_back([&] {
      while (auto item = queue.Pop()) ++taken[static_cast<std::size_t>(*item)];
    });
  }
  std::atomic<int> next{0};
  std::vector<std::thread> givers;
  for (int t = 0; t < 2; ++t) {
    givers.emplace_back([&] {
      for (int item = next++; item < kItems; item = next++) {
        while (!queue.Reserve()) std::this_thread::yield();
        queue.Push(item);
      }
    });
  }
  for (std::thread& giver : givers) giver.join();
  queue.Close();
  for (std::thread& taker : takers) taker.join();
  for (const auto& count : taken) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace crawler
