// Many threads crawl a made-up web: every page exactly once, every host politely, and an end.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "frontier/frontier.h"

namespace frontier {
namespace {

constexpr unsigned kPages = 3000;
constexpr unsigned kHosts = 13;
constexpr unsigned kThreads = 4;

/// Page n links to 2n+1, 2n+2, a seen page, and lies on host n mod kHosts.
Url PageUrl(unsigned number) {
  return Url::FromCanonical("http://host" + std::to_string(number % kHosts) + "/" +
                            std::to_string(number));
}

/// An event that counts, so that none is missed between asking and waiting.
class Bell {
 public:
  void Ring() {
    base::MutexLock lock(mutex_);
    ++rings_;
    rung_.NotifyAll();
  }
  std::uint64_t Rings() {
    base::MutexLock lock(mutex_);
    return rings_;
  }
  void WaitForMoreThan(std::uint64_t rings) {
    base::MutexLock lock(mutex_);
    while (rings_ <= rings) rung_.Wait(mutex_);
  }

 private:
  base::Mutex mutex_;
  base::CondVar rung_;
  std::uint64_t rings_ GUARDED_BY(mutex_) = 0;
};

class Crawlers {
 public:
  explicit Crawlers(base::Duration delay)
      : scope_(Scope::Make({.reach = ScopeReach::kAny}).value()),
        frontier_(FrontierOptions{.delay = delay}, *scope_, clock_) {
    frontier_.SetWakeup([this] { bell_.Ring(); });
  }

  void Run() {
    Candidate seed{.url = PageUrl(0), .seed = true};
    frontier_.Schedule({&seed, 1});
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back([this] { Crawl(); });
    for (std::thread& thread : threads) thread.join();
  }

  void Crawl() {
    while (true) {
      std::uint64_t rings = bell_.Rings();
      Acquired next = frontier_.Acquire();
      if (std::holds_alternative<Finished>(next)) return bell_.Ring();
      if (const auto* wait = std::get_if<WaitUntil>(&next)) {
        clock_.AdvanceTo(wait->when);
      } else if (std::holds_alternative<WaitForChange>(next)) {
        bell_.WaitForMoreThan(rings);
      } else {
        Work(std::get<Lease>(std::move(next)));
      }
    }
  }

  void Work(Lease lease) {
    if (lease.kind() == Lease::Kind::kRobots) {
      return frontier_.EndRobots(std::move(lease), Ending{}, RobotsKnown{});
    }
    auto number = static_cast<unsigned>(std::stoul(std::string(lease.url().path().substr(1))));
    std::atomic<int>& busy = busy_[number % kHosts];
    if (busy.fetch_add(1) != 0) impolite_.fetch_add(1);
    std::vector<Candidate> links;
    for (unsigned link : {2 * number + 1, 2 * number + 2, number / 2}) {
      if (link < kPages) {
        links.push_back(Candidate{.url = PageUrl(link), .referrer = lease.url()});
      }
    }
    frontier_.Schedule(links);
    busy.fetch_sub(1);
    if (number % 7 == 3 && lease.candidate().attempt == 0) {
      return frontier_.End(std::move(lease), Ending{.retry = true});
    }
    if (number % 11 == 5 && dropped_[number].exchange(1) == 0) return;  // the lease goes back
    visits_[number].fetch_add(1);
    frontier_.End(std::move(lease), Ending{});
  }

  base::FakeClock clock_;
  std::unique_ptr<Scope> scope_;
  Bell bell_;
  Frontier frontier_;
  std::array<std::atomic<int>, kPages> visits_{};
  std::array<std::atomic<int>, kPages> dropped_{};
  std::array<std::atomic<int>, kHosts> busy_{};
  std::atomic<int> impolite_{0};
};

void ExpectWholeWebOnce(base::Duration delay) {
  auto crawlers = std::make_unique<Crawlers>(delay);
  crawlers->Run();
  for (unsigned i = 0; i < kPages; ++i) ASSERT_EQ(crawlers->visits_[i].load(), 1) << i;
  EXPECT_EQ(crawlers->impolite_.load(), 0);
  FrontierStats stats = crawlers->frontier_.Stats();
  EXPECT_EQ(stats.queued, 0U);
  EXPECT_EQ(stats.leased, 0U);
  EXPECT_EQ(stats.pages, kPages);
  EXPECT_EQ(stats.queue_bytes, 0U);
}

TEST(FrontierThreadsTest, TheWholeWebOnceWithoutDelay) { ExpectWholeWebOnce(base::Duration(0)); }

TEST(FrontierThreadsTest, TheWholeWebOnceWithDelay) {
  ExpectWholeWebOnce(std::chrono::seconds(1));
}

}  // namespace
}  // namespace frontier
