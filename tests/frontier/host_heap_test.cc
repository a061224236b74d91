#include "frontier/host_heap.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace frontier {
namespace {

base::Time At(int seconds) { return base::Time(std::chrono::seconds(seconds)); }

TEST(HostHeapTest, EqualTimesComeInTheOrderSet) {
  HostHeap heap;
  for (std::uint32_t host : {3U, 1U, 2U}) heap.Set(host, At(5));
  heap.Set(9, At(4));
  for (std::uint32_t host : {9U, 3U, 1U, 2U}) {
    EXPECT_EQ(heap.TopHost(), host);
    heap.Remove(host);
  }
  EXPECT_TRUE(heap.empty());
}

TEST(HostHeapTest, AgreesWithAScan) {
  std::mt19937 random(4);
  HostHeap heap;
  std::map<std::uint32_t, base::Time> reference;
  for (int i = 0; i < 100'000; ++i) {
    std::uint32_t host = random() % 50;
    if (random() % 3 == 0) {
      heap.Remove(host);
      reference.erase(host);
    } else {
      base::Time when = At(static_cast<int>(random() % 100));
      heap.Set(host, when);
      reference[host] = when;
    }
    ASSERT_EQ(heap.size(), reference.size());
    ASSERT_EQ(heap.Has(host), reference.contains(host));
    if (reference.empty()) continue;
    base::Time first = base::Time::max();
    for (const auto& [other, when] : reference) first = std::min(first, when);
    ASSERT_EQ(heap.TopTime(), first);
    ASSERT_EQ(reference.at(heap.TopHost()), first);
    ASSERT_EQ(heap.TimeOf(heap.TopHost()), first);
  }
}

}  // namespace
}  // namespace frontier
