#include "crawler/warc/archive_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace crawler {
namespace {

contentseen::Verdict Judged(std::uint64_t sequence) { return {.sequence = sequence}; }

/// What passed, in order.
class Passing {
 public:
  void Pass(contentseen::DocumentId id, const contentseen::Verdict& verdict) {
    order_.Await(verdict);
    {
      base::MutexLock lock(mutex_);
      passed_.emplace_back(verdict.sequence, id);
    }
    order_.Passed(id, verdict);
  }
  ArchiveOrder& order() { return order_; }
  std::vector<std::pair<std::uint64_t, contentseen::DocumentId>> passed() {
    base::MutexLock lock(mutex_);
    return passed_;
  }

 private:
  ArchiveOrder order_;
  base::Mutex mutex_;
  std::vector<std::pair<std::uint64_t, contentseen::DocumentId>> passed_ GUARDED_BY(mutex_);
};

TEST(ArchiveOrder, PagesPassInTheOrderOfTheirVerdicts) {
  Passing passing;
  // Drawn in this order, and done with in another one: each thread dawdles as it likes.
  std::atomic<std::uint64_t> drawn = 1;
  constexpr std::uint64_t kPages = 4'000;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i) {
    threads.emplace_back([&, random = std::mt19937(i)]() mutable {
      while (true) {
        const std::uint64_t sequence = drawn.fetch_add(1);
        if (sequence > kPages) return;
        passing.order().Announce(1'000 + sequence);
        for (std::uint64_t j = random() % 20; j > 0; --j) std::this_thread::yield();
        passing.Pass(1'000 + sequence, Judged(sequence));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto passed = passing.passed();
  EXPECT_EQ(passed.size(), kPages);
  EXPECT_TRUE(std::is_sorted(passed.begin(), passed.end()));
}

TEST(ArchiveOrder, ACopyComesAfterItsOriginal) {
  Passing passing;
  passing.order().Announce(7);
  passing.order().Announce(8);
  std::thread copy([&] { passing.Pass(0, {.same_bytes_as = 8}); });
  std::thread later([&] { passing.Pass(8, Judged(2)); });
  passing.Pass(7, Judged(1));
  copy.join();
  later.join();
  ASSERT_EQ(passing.passed().size(), 3U);
  EXPECT_EQ(passing.passed()[0].second, 7U);
  EXPECT_EQ(passing.passed()[1].second, 8U);
  EXPECT_EQ(passing.passed()[2].second, 0U);
  // Neither a copy of what passed long ago nor a page that was not judged waits for anything.
  passing.Pass(0, {.same_bytes_as = 8});
  passing.Pass(0, {});
}

}  // namespace
}  // namespace crawler
