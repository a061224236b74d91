#include "frontier/record_queue.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>
#include <utility>

namespace frontier {
namespace {

TEST(RecordQueueTest, FirstInFirstOut) {
  RecordQueue queue;
  EXPECT_TRUE(queue.empty());
  queue.PushBack("a");
  queue.PushBack("");
  queue.PushBack(std::string(100'000, 'x'));
  EXPECT_EQ(queue.Front(), "a");
  queue.PopFront();
  EXPECT_EQ(queue.Front(), "");
  queue.PopFront();
  EXPECT_EQ(queue.Front(), std::string(100'000, 'x'));
  queue.PushFront("first");
  EXPECT_EQ(queue.Front(), "first");
  queue.PopFront();
  queue.PopFront();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), 0U);
}

TEST(RecordQueueTest, AgreesWithADeque) {
  std::mt19937_64 random(9);
  RecordQueue queue;
  std::deque<std::string> reference;
  for (int i = 0; i < 200'000; ++i) {
    // Phases that grow and phases that shrink.
    unsigned grow = (i / 2000) % 2 == 0 ? 6 : 2;
    std::string record(random() % (random() % 50 == 0 ? 5000 : 60), static_cast<char>(random()));
    unsigned action = static_cast<unsigned>(random() % 8);
    if (action < grow) {
      queue.PushBack(record);
      reference.push_back(record);
    } else if (action == 7) {
      queue.PushFront(record);
      reference.push_front(record);
    } else if (!reference.empty()) {
      queue.PopFront();
      reference.pop_front();
    }
    ASSERT_EQ(queue.empty(), reference.empty());
    if (reference.empty()) continue;
    ASSERT_EQ(queue.Front(), reference.front());
  }
}

TEST(RecordQueueTest, CostsLittleOverItsBytes) {
  RecordQueue queue;
  for (int i = 0; i < 10'000; ++i) queue.PushBack(std::string(40, 'x'));
  EXPECT_LE(queue.bytes(), 10'000U * 43U);
}

TEST(RecordQueueTest, GivingBackTakesNoMoreRoom) {
  RecordQueue queue;
  queue.PushBack("one");
  queue.PushBack("two");
  const std::size_t before = queue.bytes();
  queue.PopFront();
  queue.PushFront("one");
  EXPECT_EQ(queue.bytes(), before);
}

TEST(RecordQueueTest, Moves) {
  RecordQueue a;
  a.PushBack("1");
  RecordQueue b = std::move(a);
  EXPECT_EQ(b.Front(), "1");
  a = std::move(b);
  EXPECT_EQ(a.Front(), "1");
  a.PushBack("2");
  a.PopFront();
  EXPECT_EQ(a.Front(), "2");
}

TEST(RecordQueueTest, ALongChainIsFreedWithoutRecursion) {
  RecordQueue queue;
  for (int i = 0; i < 200'000; ++i) queue.PushFront(std::string(200, 'x'));
  EXPECT_FALSE(queue.empty());
}

}  // namespace
}  // namespace frontier
