// The frontier with a store: queues that spill, and frontiers that go on where another was.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "frontier/frontier.h"
#include "frontier/host_record.h"
#include "frontier/origin_queue.h"
#include "store/memory_store.h"

namespace frontier {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

Url U(const std::string& text) { return Url::Parse(text).value(); }

class FrontierStoreTest : public testing::Test {
 protected:
  FrontierStoreTest() : scope_(Scope::Make({.reach = ScopeReach::kAny}).value()) {
    options_.delay = seconds(1);
    Renew();
  }

  // What is not committed dies with the old one.
  void Renew() {
    frontier_.reset();
    frontier_ = std::make_unique<Frontier>(options_, *scope_, clock_, store_.get());
    const base::Status restored = frontier_->Restore();
    EXPECT_TRUE(restored) << restored.error().message;
  }
  void Commit() {
    store::Batch batch;
    frontier_->Save(batch);
    EXPECT_TRUE(store_->Write(batch, store::Durability::kProcess));
    frontier_->Saved();
  }
  // In another process, of this scope.
  void GoOnExcluding(std::vector<std::string> exclude) {
    frontier_.reset();
    scope_ = Scope::Make({.reach = ScopeReach::kAny, .exclude = std::move(exclude)}).value();
    Renew();
  }
  ScheduleCounts Schedule(const std::vector<std::string>& urls) {
    std::vector<Candidate> candidates;
    for (const std::string& url : urls) candidates.push_back({.url = U(url)});
    return frontier_->Schedule(candidates);
  }
  // What Acquire says once it has passed over what it will.
  Acquired AcquireNow() {
    for (;;) {
      Acquired next = frontier_->Acquire();
      const auto* wait = std::get_if<WaitUntil>(&next);
      if (wait == nullptr || wait->when > clock_.Now()) return next;
    }
  }
  // The next lease, whatever must be waited for before; nothing at the end or where something must
  // happen first.
  std::optional<Lease> NextLease() {
    for (;;) {
      Acquired next = frontier_->Acquire();
      if (auto* lease = std::get_if<Lease>(&next)) return std::move(*lease);
      auto* wait = std::get_if<WaitUntil>(&next);
      if (wait == nullptr) return std::nullopt;
      clock_.AdvanceTo(wait->when);
    }
  }
  // The next one of a page, with robots.txt answered before.
  std::optional<Lease> NextPage() {
    while (std::optional<Lease> lease = NextLease()) {
      if (lease->kind() == Lease::Kind::kPage) return lease;
      frontier_->EndRobots(std::move(*lease), {}, RobotsKnown{});
    }
    return std::nullopt;
  }
  // So many leases of pages, held at the same time, each committed before the next.
  std::vector<Lease> LeaseOneByOne(std::size_t count) {
    std::vector<Lease> leases;
    while (leases.size() < count) {
      std::optional<Lease> lease = NextPage();
      if (!lease) break;
      leases.push_back(std::move(*lease));
      Commit();
    }
    return leases;
  }
  // Leases and ends all that there is; gives the URLs in order.
  std::vector<std::string> Drain() {
    std::vector<std::string> urls;
    while (std::optional<Lease> lease = NextPage()) {
      urls.push_back(lease->url().text());
      frontier_->End(std::move(*lease), {});
    }
    return urls;
  }
  // One page whatever its query is, and no other twice.
  static Ending OnePage(const Url& url) {
    using Kind = PageContent::Kind;
    const PageContent copy{.kind = Kind::kDuplicate, .identity = 7};
    return {.content = url.query().empty() ? PageContent{.kind = Kind::kNew} : copy};
  }
  // By turns: a host that gives one page again and again may be out of order.
  static std::vector<std::string> ByTurns(const std::vector<std::string>& a,
                                          const std::vector<std::string>& b) {
    std::vector<std::string> urls;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (i < a.size()) urls.push_back(a[i]);
      if (i < b.size()) urls.push_back(b[i]);
    }
    return urls;
  }
  static std::vector<std::string> Numbered(const std::string& prefix, int count) {
    std::vector<std::string> urls;
    for (int i = 0; i < count; ++i) urls.push_back(prefix + std::to_string(i));
    return urls;
  }

  FrontierOptions options_;
  base::FakeClock clock_;
  std::unique_ptr<Scope> scope_;
  std::unique_ptr<store::MemoryStore> store_ = std::make_unique<store::MemoryStore>();
  std::unique_ptr<Frontier> frontier_;
};

TEST_F(FrontierStoreTest, WhatWasCommittedWaitsAgainInOrderAndWhatWasLeasedToo) {
  const auto urls = Numbered("http://a.test/", 10);
  EXPECT_EQ(Schedule(urls).queued, 10U);
  std::optional<Lease> first = NextPage();
  frontier_->End(std::move(*first), {});
  first.reset();
  std::optional<Lease> leased = NextPage();
  Commit();
  leased.reset();
  Renew();
  EXPECT_EQ(frontier_->Stats().queued, 9U);
  EXPECT_EQ(frontier_->Stats().pages, 1U);
  EXPECT_EQ(frontier_->Stats().seen, 10U);
  EXPECT_EQ(Schedule(urls).seen, 10U);
  EXPECT_EQ(Drain(), std::vector<std::string>(urls.begin() + 1, urls.end()));
}

TEST_F(FrontierStoreTest, WhatWasNotCommittedIsGone) {
  Schedule({"http://a.test/1"});
  Commit();
  Schedule({"http://a.test/2"});
  std::optional<Lease> lease = NextPage();
  frontier_->End(std::move(*lease), {});
  lease.reset();
  Renew();
  EXPECT_EQ(Schedule({"http://a.test/2"}).queued, 1U);
  EXPECT_EQ(Drain(), (std::vector<std::string>{"http://a.test/1", "http://a.test/2"}));
}

TEST_F(FrontierStoreTest, QueuesSpillAndComeBackInOrder) {
  options_.queue_bytes_max = 2'000;
  options_.delay = seconds(0);
  Renew();
  std::map<std::string, std::vector<std::string>> expected;
  for (int round = 0; round < 20; ++round) {
    for (const std::string host : {"http://a.test/", "http://b.test/", "http://c.test:81/"}) {
      const auto urls = Numbered(host + std::to_string(round) + "-", 50);
      ASSERT_EQ(Schedule(urls).queued, 50U);
      auto& all = expected[host];
      all.insert(all.end(), urls.begin(), urls.end());
    }
    if (round % 3 == 0) Commit();
  }
  Commit();
  EXPECT_EQ(frontier_->Stats().queued, 3'000U);
  EXPECT_LE(frontier_->Stats().queue_bytes, 20'000U);
  for (const bool resumed : {false, true}) {
    std::map<std::string, std::vector<std::string>> found;
    if (resumed) Renew();
    for (const std::string& url : Drain()) {
      found[url.substr(0, url.find('/', 8) + 1)].push_back(url);
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(frontier_->Stats().queued, 0U);
    EXPECT_TRUE(std::holds_alternative<Finished>(frontier_->Acquire()));
  }
  Commit();
}

TEST_F(FrontierStoreTest, AnOriginWhoseUrlsAreNotCommittedWaitsAndWakesOnCommit) {
  options_.queue_bytes_max = 0;  // nothing is kept in memory
  Renew();
  int wakes = 0;
  frontier_->SetWakeup([&wakes] { ++wakes; });
  Schedule({"http://a.test/1", "http://a.test/2"});
  EXPECT_TRUE(std::holds_alternative<WaitForChange>(frontier_->Acquire()));
  const int before = wakes;
  Commit();
  EXPECT_EQ(wakes, before + 1);
  EXPECT_EQ(Drain().size(), 2U);
}

TEST_F(FrontierStoreTest, ARetryKeepsItsAttemptAndItsTime) {
  options_.retry_delay = minutes(10);
  options_.retry_delay_max = hours(1);
  Renew();
  Schedule({"http://a.test/1"});
  std::optional<Lease> lease = NextPage();
  frontier_->End(std::move(*lease), {.retry = true});
  lease.reset();
  const base::Time ended = clock_.Now();
  Commit();
  Renew();
  EXPECT_EQ(frontier_->Stats().pages, 0U);
  lease = NextPage();
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->candidate().attempt, 1U);
  EXPECT_GE(clock_.Now(), ended + minutes(8));
  frontier_->End(std::move(*lease), {});
  lease.reset();
  Commit();
  Renew();
  EXPECT_TRUE(std::holds_alternative<Finished>(frontier_->Acquire()));
}

TEST_F(FrontierStoreTest, AParkedHostStaysParkedAndItsRobotsKnown) {
  options_.park_max = hours(1);
  Renew();
  Schedule({"http://a.test/1", "http://a.test/2"});
  std::optional<Lease> lease = NextPage();
  frontier_->End(std::move(*lease), {.park = minutes(30)});
  lease.reset();
  const base::Time ended = clock_.Now();
  Commit();
  clock_.Advance(minutes(5));
  Renew();
  {
    const std::optional<Lease> next = NextLease();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->kind(), Lease::Kind::kPage);
  }
  EXPECT_GE(clock_.Now(), ended + minutes(30) - seconds(1));
}

TEST_F(FrontierStoreTest, AnEntryThatIsNoneStopsWithASentenceAndStaysInTheStore) {
  Schedule({"http://a.test/1"});
  Schedule({"http://a.test/2"});
  Commit();
  const store::Store& stored = *store_;
  auto entries = stored.Read(store::Table::kQueue);
  ASSERT_TRUE(entries->Valid());
  const std::string key(entries->key());
  store::Batch batch;
  batch.Put(store::Table::kQueue, key, std::string(entries->value()) + "?");
  ASSERT_TRUE(store_->Write(batch, store::Durability::kProcess));
  Renew();
  EXPECT_EQ(Drain(), std::vector<std::string>{"http://a.test/2"});
  ASSERT_FALSE(frontier_->status());
  EXPECT_NE(frontier_->status().error().message.find("queue of http://a.test"), std::string::npos)
      << frontier_->status().error().message;
  EXPECT_EQ(frontier_->Stats().queued, 0u);
  EXPECT_EQ(frontier_->Stats().leased, 0u);
  Commit();
  entries = stored.Read(store::Table::kQueue);
  ASSERT_TRUE(entries->Valid());
  EXPECT_EQ(entries->key(), key);
}

// As a parameter of it was found to be idle since it was accepted.
TEST_F(FrontierStoreTest, AUrlThatStandsForOthersIsNotTakenForOneOfThem) {
  options_.traps.idle_parameter_pages = 3;
  for (const bool given_back : {false, true}) {
    store_ = std::make_unique<store::MemoryStore>();
    Renew();
    std::vector<std::string> urls =
        ByTurns(Numbered("http://shop.test/p?item=1&v=", 5), Numbered("http://shop.test/", 5));
    urls.emplace_back("http://shop.test/p?item=2&v=9");
    EXPECT_EQ(Schedule(urls).queued, 11U);
    Commit();
    std::optional<Lease> lease;
    while ((lease = NextPage()) && lease->url().text() != urls.back()) {
      const Ending ending = OnePage(lease->url());
      frontier_->End(std::move(*lease), ending);
    }
    ASSERT_TRUE(lease);
    if (given_back) lease.reset();
    Commit();
    lease.reset();
    Renew();
    EXPECT_THAT(Drain(), testing::Contains(urls.back()));
  }
}

TEST_F(FrontierStoreTest, UrlsSeenOutlastCommitsInWhichOneWasFoundToStandForOthersOnly) {
  options_.traps.idle_parameter_pages = 2;
  Renew();
  const std::vector<std::string> urls =
      ByTurns(Numbered("http://shop.test/", 5), Numbered("http://shop.test/p?item=1&v=", 4));
  EXPECT_EQ(Schedule(urls).queued, urls.size());
  Commit();
  while (std::optional<Lease> lease = NextPage()) {
    const Ending ending = OnePage(lease->url());
    frontier_->End(std::move(*lease), ending);
    Commit();
  }
  EXPECT_EQ(frontier_->Stats().seen,
            urls.size() + 3);  // what it is without ?v=, and who stands for it
  Renew();
  EXPECT_EQ(frontier_->Stats().seen, urls.size() + 3);
  EXPECT_EQ(Schedule(urls).seen, urls.size());
}

TEST_F(FrontierStoreTest, WhatASitemapWasSeenAsOutlastsTheProcess) {
  const Candidate sitemap{.url = U("http://a.test/map.xml"), .role = CandidateRole::kSitemap};
  EXPECT_EQ(Schedule({"http://a.test/page.xml"}).queued, 1U);
  EXPECT_EQ(frontier_->Schedule({&sitemap, 1}).queued, 1U);
  Commit();
  Renew();
  EXPECT_EQ(frontier_->Schedule({&sitemap, 1}).seen, 1U);
  EXPECT_EQ(Schedule({"http://a.test/map.xml"}).seen, 1U);
  const Candidate other{.url = U("http://a.test/page.xml"), .role = CandidateRole::kSitemap};
  EXPECT_EQ(frontier_->Schedule({&other, 1}).queued, 1U);
}

TEST_F(FrontierStoreTest, ALongBackOffOutlastsTheProcess) {
  options_.retry_delay = options_.retry_delay_max = hours(5);
  options_.failing_delay_max = hours(6);
  options_.jitter_percent = 100;
  Renew();
  Schedule(Numbered("http://a.test/", 3));
  for (int i = 0; i < 2; ++i) {
    std::optional<Lease> lease = NextPage();
    ASSERT_TRUE(lease);
    frontier_->End(std::move(*lease), {.host = HostState::kFailing});
  }
  Commit();
  Acquired next = frontier_->Acquire();
  ASSERT_TRUE(std::holds_alternative<WaitUntil>(next));
  const base::Time until = std::get<WaitUntil>(next).when;
  EXPECT_GE(until, clock_.Now() + hours(5));
  Renew();
  next = frontier_->Acquire();
  ASSERT_TRUE(std::holds_alternative<WaitUntil>(next));
  EXPECT_GE(std::get<WaitUntil>(next).when, until);
}

// A machine's clock is set right, or it wakes up in another time zone: nobody waits longer for it
// than he would have.
TEST_F(FrontierStoreTest, AClockSetBackMakesNobodyWaitLonger) {
  Schedule(Numbered("http://a.test/", 3));
  Schedule({"http://b.test/"});
  frontier_->End(*NextPage(), {.host = HostState::kFailing, .retry = true});
  frontier_->End(*NextPage(), {.park = minutes(10)});
  Commit();
  auto waits = [this] {
    const Acquired next = frontier_->Acquire();
    CHECK(std::holds_alternative<WaitUntil>(next));
    return std::get<WaitUntil>(next).when - clock_.Now();
  };
  const base::Duration before = waits();
  EXPECT_GT(before, seconds(0));
  clock_.JumpWall(-hours(2));
  Renew();
  EXPECT_LE(waits(), before + std::chrono::milliseconds(1));
  // What this process and the one before wrote is of one clock.
  frontier_->End(*NextPage(), {.park = minutes(10)});
  Commit();
  const base::Duration later = waits();
  clock_.JumpWall(-hours(1));
  Renew();
  EXPECT_LE(waits(), later + std::chrono::milliseconds(1));
  clock_.JumpWall(hours(4));
  Renew();
  EXPECT_TRUE(std::holds_alternative<Lease>(frontier_->Acquire()));
}

TEST_F(FrontierStoreTest, WhereMemoryIsShortAnOriginHasOneUrlInIt) {
  constexpr int kHosts = 300;
  options_.queue_bytes_max = 0;
  Renew();
  for (int host = 0; host < kHosts; ++host) {
    Schedule(Numbered("http://h" + std::to_string(host) + ".test/a/path/of/some/length/", 6));
  }
  Commit();
  for (const bool resumed : {false, true}) {
    if (resumed) Renew();
    EXPECT_LE(frontier_->Stats().queue_bytes, kHosts * 150U) << resumed;
    EXPECT_GE(frontier_->Stats().host_bytes, kHosts * 850U);
  }
}

// A whole row of them, between two that may be leased.
TEST_F(FrontierStoreTest, WhatIsInBackOffHoldsNothingUpWhereMemoryIsShort) {
  options_.queue_bytes_max = 0;
  options_.connections_per_host = 128;
  options_.delay = seconds(0);
  options_.retry_delay = options_.retry_delay_max = hours(1);
  Renew();
  Schedule(Numbered("http://a.test/", 130));
  Commit();
  std::vector<Lease> under_way = LeaseOneByOne(125);
  ASSERT_EQ(under_way.size(), 125U);
  for (std::size_t i = 1; i < under_way.size(); ++i) {
    if (i != 2) frontier_->End(std::move(under_way[i]), {.retry = true});
  }
  Commit();
  under_way.clear();
  Renew();
  for (const char* expected : {"http://a.test/0", "http://a.test/2", "http://a.test/125"}) {
    std::optional<Lease> lease = NextPage();
    ASSERT_TRUE(lease);
    EXPECT_EQ(lease->url().text(), expected);
    frontier_->End(std::move(*lease), {});
  }
}

// They wait in the store for the next process.
TEST_F(FrontierStoreTest, WhatIsGivenUpTakesNoMemory) {
  options_.host_failures_max = 1;
  options_.retry_delay = minutes(1);
  Renew();
  Schedule(Numbered("http://dead.test/", 100));
  Schedule(Numbered("http://closed.test/", 100));
  Commit();
  for (int i = 0; i < 2; ++i) {
    std::optional<Lease> lease = NextLease();
    ASSERT_TRUE(lease);
    const bool dead = lease->url().host() == "dead.test";
    frontier_->EndRobots(std::move(*lease), {},
                         dead ? OriginPolicy(RobotsKnown{}) : RobotsGivenUp{});
  }
  std::optional<Lease> page = NextLease();
  ASSERT_TRUE(page);
  EXPECT_GT(frontier_->Stats().queue_bytes, 0U);
  frontier_->End(std::move(*page), {.host = HostState::kFailing, .retry = true});
  page.reset();
  Schedule(Numbered("http://dead.test/late", 10));
  Schedule(Numbered("http://closed.test/late", 10));
  Commit();
  clock_.Advance(hours(1));
  EXPECT_TRUE(std::holds_alternative<Finished>(frontier_->Acquire()));
  EXPECT_EQ(frontier_->Stats().queue_bytes, 0U);
  EXPECT_EQ(frontier_->Stats().queued_given_up, 220U);
  Renew();
  EXPECT_EQ(Drain().size(), 220U);
}

TEST_F(FrontierStoreTest, WhatIsInBackOffIsNotReadBackAmongTheSpilled) {
  options_.queue_bytes_max = 0;
  options_.connections_per_host = 8;
  Renew();
  const auto urls = Numbered("http://a.test/", 20);
  Schedule(urls);
  Commit();
  std::vector<Lease> under_way = LeaseOneByOne(8);
  ASSERT_EQ(under_way.size(), 8u);
  frontier_->End(std::move(under_way.back()), {.retry = true});
  under_way.pop_back();
  Commit();
  under_way.clear();
  Renew();
  std::multiset<std::string> asked;
  for (int commits = 0; commits < 30; ++commits) {
    for (const std::string& url : Drain()) asked.insert(url);
    Commit();
  }
  EXPECT_EQ(asked, std::multiset<std::string>(urls.begin(), urls.end()));
}

// Its number may lie beyond the first that is spilled: it must not be found among those.
TEST_F(FrontierStoreTest, WhatStandsForOthersAfterABackOffIsLeasedOnce) {
  options_.queue_bytes_max = 0;
  options_.connections_per_host = 8;
  options_.traps.idle_parameter_pages = 2;
  options_.retry_delay = options_.retry_delay_max = seconds(20);
  Renew();
  std::vector<std::string> urls =
      ByTurns(Numbered("http://shop.test/p?item=1&v=", 3), Numbered("http://shop.test/", 4));
  urls.emplace_back("http://shop.test/p?item=2&v=9");
  for (const std::string& url : Numbered("http://shop.test/late", 8)) urls.push_back(url);
  Schedule(urls);
  Commit();
  std::vector<Lease> under_way = LeaseOneByOne(8);
  ASSERT_EQ(under_way.size(), 8u);
  ASSERT_EQ(under_way.back().url().text(), "http://shop.test/p?item=2&v=9");
  frontier_->End(std::move(under_way.back()), {.retry = true});
  under_way.pop_back();
  Commit();
  under_way.clear();
  Renew();
  for (int i = 0; i < 5; ++i) {
    std::optional<Lease> lease = NextPage();
    ASSERT_TRUE(lease);
    const Ending ending = OnePage(lease->url());
    frontier_->End(std::move(*lease), ending);
  }
  clock_.Advance(minutes(1));
  std::optional<Lease> again = NextPage();
  ASSERT_TRUE(again);
  ASSERT_EQ(again->url().text(), "http://shop.test/p?item=2&v=9");
  Commit();
  std::vector<std::string> others;
  for (int commits = 0; commits < 10; ++commits) {
    for (const std::string& url : Drain()) others.push_back(url);
    Commit();
  }
  std::vector<std::string> expected = {"http://shop.test/2", "http://shop.test/3"};
  for (const std::string& url : Numbered("http://shop.test/late", 8)) expected.push_back(url);
  EXPECT_EQ(others, expected);
  frontier_->End(std::move(*again), {});
  EXPECT_TRUE(std::holds_alternative<Finished>(frontier_->Acquire()));
}

TEST_F(FrontierStoreTest, ADeadHostIsTriedAnewByTheNextProcess) {
  options_.host_failures_max = 3;
  options_.queue_bytes_max = 200;  // some are spilled
  Renew();
  const auto urls = Numbered("http://a.test/", 60);
  Schedule(urls);
  Commit();
  std::size_t failed = 0;
  for (; std::optional<Lease> lease = NextPage(); ++failed) {
    frontier_->End(std::move(*lease), {.host = HostState::kFailing});
  }
  EXPECT_EQ(failed, 3U);
  EXPECT_TRUE(std::holds_alternative<Finished>(frontier_->Acquire()));
  const auto late = Numbered("http://a.test/late", 60);
  EXPECT_EQ(Schedule(late).queued, 60U);
  Commit();
  EXPECT_TRUE(std::holds_alternative<Finished>(frontier_->Acquire()));
  Renew();
  EXPECT_EQ(Schedule({"http://a.test/0"}).seen, 1U);
  EXPECT_EQ(frontier_->Stats().hosts_dead, 0U);
  std::vector<std::string> rest(urls.begin() + 3, urls.end());
  rest.insert(rest.end(), late.begin(), late.end());
  EXPECT_EQ(Drain(), rest);
}

TEST_F(FrontierStoreTest, ARobotsTxtThatWasGivenUpIsAskedForAnewByTheNextProcess) {
  Schedule({"http://a.test/1", "http://a.test/2"});
  for (const OriginPolicy& policy :
       {OriginPolicy(RobotsUnreachable{}), OriginPolicy(RobotsGivenUp{})}) {
    Acquired next = frontier_->Acquire();
    ASSERT_TRUE(std::holds_alternative<Lease>(next));
    frontier_->EndRobots(std::get<Lease>(std::move(next)), {}, policy);
    clock_.Advance(minutes(5));
  }
  EXPECT_TRUE(std::holds_alternative<Finished>(frontier_->Acquire()));
  Commit();
  Renew();
  EXPECT_EQ(frontier_->Stats().queued_given_up, 0U);
  {
    const Acquired next = frontier_->Acquire();
    ASSERT_TRUE(std::holds_alternative<Lease>(next));
    EXPECT_EQ(std::get<Lease>(next).kind(), Lease::Kind::kRobots);
    EXPECT_EQ(std::get<Lease>(next).candidate().attempt, 0U);
  }
  EXPECT_EQ(Drain().size(), 2U);
}

// And nothing is asked for their sake, robots.txt neither.
TEST_F(FrontierStoreTest, WhatWaitsIsJudgedByTheScopeOfTheProcessThatComesToIt) {
  Schedule({"http://a.test/keep", "http://a.test/p1", "http://b.test/p2"});
  Commit();
  GoOnExcluding({"/p"});
  std::set<std::string> asked;
  while (std::optional<Lease> lease = NextLease()) {
    asked.insert(lease->url().text());
    if (lease->kind() == Lease::Kind::kRobots) {
      frontier_->EndRobots(std::move(*lease), {}, RobotsKnown{});
    } else {
      frontier_->End(std::move(*lease), {});
    }
  }
  EXPECT_EQ(asked, (std::set<std::string>{"http://a.test/robots.txt", "http://a.test/keep"}));
  EXPECT_EQ(frontier_->Stats().pages, 1U);
  EXPECT_EQ(frontier_->Stats().queued, 2U);
  EXPECT_EQ(frontier_->Stats().queued_out_of_scope, 2U);
  EXPECT_EQ(frontier_->Stats().queued_open(), 0U);
  EXPECT_TRUE(std::holds_alternative<Finished>(frontier_->Acquire()));
}

// Spilled, in back-off, or in memory.
TEST_F(FrontierStoreTest, WhatIsOutOfScopeWaitsForAProcessOfAWiderOne) {
  for (const std::uint64_t queue_bytes_max :
       {std::uint64_t{0}, FrontierOptions().queue_bytes_max}) {
    options_.queue_bytes_max = queue_bytes_max;
    store_ = std::make_unique<store::MemoryStore>();
    Renew();
    const auto out = Numbered("http://a.test/p", 200);
    const auto in = Numbered("http://a.test/keep", 10);
    Schedule(out);
    Schedule(in);
    Commit();
    std::optional<Lease> failed = NextPage();
    frontier_->End(std::move(*failed), {.retry = true});
    failed.reset();
    Commit();
    for (int process = 0; process < 2; ++process) {
      GoOnExcluding({"/p"});
      EXPECT_EQ(Drain().size(), process == 0 ? in.size() : 0U);
      EXPECT_EQ(frontier_->Stats().queued_out_of_scope, out.size());
      EXPECT_EQ(frontier_->Stats().queued, out.size());
      EXPECT_EQ(frontier_->Stats().queue_bytes, 0U);
      Commit();
    }
    GoOnExcluding({});
    EXPECT_EQ(Schedule(out).seen, out.size());
    EXPECT_THAT(Drain(), testing::UnorderedElementsAreArray(out));
    EXPECT_EQ(frontier_->Stats().queued, 0U);
  }
}

// Nor does anybody wait for the end of its rest, or of a back-off.
TEST_F(FrontierStoreTest, AHostOfWhichNothingIsInScopeHoldsNothingUp) {
  options_.retry_delay = options_.retry_delay_max = hours(1);
  for (const std::uint64_t queue_bytes_max :
       {std::uint64_t{0}, FrontierOptions().queue_bytes_max}) {
    options_.queue_bytes_max = queue_bytes_max;
    store_ = std::make_unique<store::MemoryStore>();
    GoOnExcluding({});
    Schedule(Numbered("http://a.test/p", 200));
    Schedule({"http://b.test/keep", "http://b.test/p"});
    Commit();
    for (int host = 0; host < 2; ++host) {
      std::optional<Lease> failed = NextPage();
      frontier_->End(std::move(*failed), {.park = hours(1), .retry = true});
    }
    Commit();
    GoOnExcluding({"/p"});
    EXPECT_TRUE(std::holds_alternative<WaitUntil>(AcquireNow()));
    EXPECT_EQ(frontier_->Stats().queued_out_of_scope, 201U);
    EXPECT_EQ(frontier_->Stats().hosts_waiting, 1U);
    GoOnExcluding({"/p", "/keep"});
    EXPECT_TRUE(std::holds_alternative<Finished>(AcquireNow()));
    EXPECT_EQ(frontier_->Stats().queued_out_of_scope, 202U);
    EXPECT_EQ(frontier_->Stats().queue_bytes, 0U);
    GoOnExcluding({});
    EXPECT_EQ(Drain().size(), 202U);
  }
}

TEST_F(FrontierStoreTest, ASeedIsOneHoweverDeepAnEarlierProcessFoundIt) {
  const std::vector<Candidate> deep = {{.url = U("http://a.test/seed"), .depth = 5},
                                       {.url = U("http://a.test/link"), .depth = 5}};
  EXPECT_EQ(frontier_->Schedule(deep).queued, 2U);
  Commit();
  frontier_.reset();
  scope_ = Scope::Make({.reach = ScopeReach::kAny, .depth_max = 2}).value();
  Renew();
  const std::vector<Candidate> seed = {{.url = U("http://a.test/seed"), .seed = true}};
  EXPECT_EQ(frontier_->Schedule(seed).seen, 1U);
  std::optional<Lease> lease = NextPage();
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->url().text(), "http://a.test/seed");
  EXPECT_EQ(lease->candidate().depth, 0U);
  EXPECT_TRUE(lease->candidate().seed);
  frontier_->End(std::move(*lease), {});
  EXPECT_FALSE(NextPage());
  EXPECT_EQ(frontier_->Stats().queued_out_of_scope, 1U);
}

// The mutex is held for no longer than for a batch.
TEST_F(FrontierStoreTest, OfAMillionUrlsOutOfScopeSomeArePassedOverAtATime) {
  Schedule(Numbered("http://a.test/p", 1'000));
  Commit();
  GoOnExcluding({"/p"});
  std::uint64_t passed_over = 0;
  while (std::holds_alternative<WaitUntil>(frontier_->Acquire())) {
    const std::uint64_t now = frontier_->Stats().queued_out_of_scope;
    ASSERT_GT(now, passed_over);
    ASSERT_LE(now, passed_over + 100);
    passed_over = now;
  }
  EXPECT_EQ(frontier_->Stats().queued_out_of_scope, 1'000U);
}

// They are passed over at once, whatever is known of their origin's robots.txt, and make it no
// younger.
TEST_F(FrontierStoreTest, WhatIsOutOfScopeWaitsForNoRobotsTxt) {
  Schedule({"http://a.test/p1", "http://a.test/p2", "http://a.test/p3", "http://a.test/keep"});
  {
    Acquired robots = frontier_->Acquire();
    frontier_->EndRobots(std::get<Lease>(std::move(robots)), {},
                         RobotsUnreachable{.retry_in = minutes(1)});
  }
  Commit();
  GoOnExcluding({"/p"});
  clock_.Advance(minutes(2));
  const Acquired next = frontier_->Acquire();
  ASSERT_TRUE(std::holds_alternative<Lease>(next));
  EXPECT_EQ(std::get<Lease>(next).kind(), Lease::Kind::kRobots);
  EXPECT_EQ(frontier_->Stats().queued_out_of_scope, 3U);
}

// What waits, spilled or not, is judged by what is learned from it.
TEST_F(FrontierStoreTest, AProbeGoesAheadOfWhatWaitsAndOfTheLimitsOfItsHost) {
  const std::string probe = "http://a.test/0123456789abcdef";
  for (const bool after_a_crash : {false, true}) {
    for (const std::uint64_t queue_bytes_max : {0, 1'000'000}) {
      options_.queue_bytes_max = queue_bytes_max;
      options_.pages_per_host_max = 100;
      options_.pages_per_domain_max = 100;
      store_ = std::make_unique<store::MemoryStore>();
      Renew();
      auto expected = Numbered("http://a.test/", 100);
      EXPECT_EQ(Schedule(expected).queued, 100U);
      EXPECT_EQ(Schedule({"http://a.test/more"}).queued, 0U);
      Commit();
      std::optional<Lease> robots = NextLease();
      const Candidate candidate{.url = U(probe), .role = CandidateRole::kProbe};
      EXPECT_EQ(frontier_->Schedule({&candidate, 1}).queued, 1U);
      frontier_->EndRobots(std::move(*robots), {}, RobotsKnown{});
      robots.reset();
      Commit();
      if (after_a_crash) Renew();
      expected.insert(expected.begin(), probe);
      EXPECT_EQ(Drain(), expected);
      EXPECT_EQ(frontier_->Stats().queued, 0U);
    }
  }
}

// Who asks for one page gets it, and no probe.
TEST_F(FrontierStoreTest, AProbeGoesBehindASeed) {
  const std::vector<Candidate> candidates = {
      {.url = U("http://a.test/seed"), .seed = true},
      {.url = U("http://a.test/link")},
      {.url = U("http://a.test/0123456789abcdef"), .role = CandidateRole::kProbe}};
  EXPECT_EQ(frontier_->Schedule(candidates).queued, 3U);
  EXPECT_EQ(Drain(),
            (std::vector<std::string>{"http://a.test/seed", "http://a.test/0123456789abcdef",
                                      "http://a.test/link"}));
}

TEST_F(FrontierStoreTest, SeedsWidenTheScopeAgain) {
  scope_ = Scope::Make({.reach = ScopeReach::kHost}).value();
  Renew();
  Candidate seed{.url = U("http://a.test/"), .seed = true};
  frontier_->Schedule({&seed, 1});
  Commit();
  frontier_.reset();
  scope_ = Scope::Make({.reach = ScopeReach::kHost}).value();
  Renew();
  EXPECT_EQ(Schedule({"http://a.test/2", "http://b.test/"}).queued, 1U);
}

// Any schedule, leases, ends, retries, commits and deaths: each URL accepted is ended once, but
// for those whose end or acceptance was not committed.
TEST_F(FrontierStoreTest, NothingIsLostOrRepeatedWhateverHappens) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    frontier_.reset();
    store_ = std::make_unique<store::MemoryStore>();
    options_.queue_bytes_max = random() % 3 * 400;
    options_.delay = seconds(random() % 2);
    Renew();
    std::set<std::string> accepted, ended, committed_accepted, committed_ended;
    auto schedule = [&] {
      const std::string url =
          "http://h" + std::to_string(random() % 5) + ".test/" + std::to_string(random() % 400);
      if (Schedule({url}).queued == 0) return;
      EXPECT_TRUE(accepted.insert(url).second) << url;
    };
    auto lease = [&] {
      std::optional<Lease> page = NextPage();
      if (!page) return;
      const std::string url = page->url().text();
      EXPECT_TRUE(accepted.contains(url) && !ended.contains(url)) << url;
      const bool retry = random() % 5 == 0;
      if (!retry) ended.insert(url);
      frontier_->End(std::move(*page), {.retry = retry});
    };
    for (int step = 0; step < 1'500; ++step) {
      switch (random() % 8) {
        case 0:
          Commit();
          committed_accepted = accepted;
          committed_ended = ended;
          break;
        case 1:
          if (random() % 10 != 0) break;
          Renew();
          accepted = committed_accepted;
          ended = committed_ended;
          EXPECT_EQ(frontier_->Stats().queued, accepted.size() - ended.size());
          break;
        case 2:
        case 3:
          lease();
          break;
        default:
          schedule();
      }
    }
    Commit();
    Renew();
    for (const std::string& url : Drain()) EXPECT_TRUE(ended.insert(url).second) << url;
    EXPECT_EQ(ended, accepted) << "seed " << seed;
  }
}

TEST_F(FrontierStoreTest, AHostWhoseRobotsTxtCannotBeHadCostsTheNextProcessNoMoreTime) {
  Schedule({"http://a.test/1"});
  std::vector<base::Duration> took;
  for (int process = 0; process < 4; ++process) {
    const base::Time began = clock_.Now();
    for (int attempt = 0; attempt < 3; ++attempt) {
      std::optional<Lease> lease = NextLease();
      ASSERT_TRUE(lease);
      ASSERT_EQ(lease->kind(), Lease::Kind::kRobots);
      const auto policy =
          attempt < 2 ? OriginPolicy(RobotsUnreachable{seconds(5)}) : RobotsGivenUp{};
      frontier_->EndRobots(std::move(*lease), {.host = HostState::kFailing}, policy);
    }
    took.push_back(clock_.Now() - began);
    Commit();
    Renew();
  }
  EXPECT_LE(took.back(), took.front() + minutes(1));
}

TEST_F(FrontierStoreTest, RulesThatDoNotLastAreAskedForAnewByTheNextProcess) {
  Schedule({"http://a.test/1", "http://a.test/2"});
  frontier_->EndRobots(std::move(*NextLease()), {}, RobotsKnown{.lasts = false});
  EXPECT_EQ(NextLease()->kind(), Lease::Kind::kPage);
  Commit();
  Renew();
  EXPECT_EQ(NextLease()->kind(), Lease::Kind::kRobots);
}

// The host that it leads to has nothing of its own that waits, and is known and at rest all the
// same.
TEST_F(FrontierStoreTest, ARobotsTxtThatWaitsElsewhereIsAskedForFromTheBeginningByTheNextProcess) {
  Schedule({"http://a.test/1", "http://b.test/1"});
  for (int i = 0; i < 2; ++i) {
    frontier_->EndRobots(std::move(*NextLease()), {}, RobotsElsewhere{U("http://hub.test/")});
  }
  const Ending busy{.park = minutes(9)};
  frontier_->EndRobots(std::move(*NextLease()), busy, RobotsUnreachable{});
  Commit();
  Renew();
  Schedule({"http://c.test/1", "http://hub.test/1"});
  Commit();
  Renew();
  EXPECT_EQ(frontier_->Stats().hosts, 4U);
  const base::Time began = clock_.Now();
  std::vector<std::string> asked;
  while (std::optional<Lease> lease = NextLease()) {
    if (lease->kind() == Lease::Kind::kRobots) {
      asked.push_back(lease->url().text());
      frontier_->EndRobots(std::move(*lease), {}, RobotsKnown{});
      continue;
    }
    if (lease->url().host() == "hub.test") {
      EXPECT_GE(clock_.Now() - began, minutes(9));
    }
    frontier_->End(std::move(*lease), {});
  }
  EXPECT_THAT(asked, testing::UnorderedElementsAre(
                         "http://a.test/robots.txt", "http://b.test/robots.txt",
                         "http://c.test/robots.txt", "http://hub.test/robots.txt"));
}

TEST_F(FrontierStoreTest, AnotherReaderOfRobotsTxtAsksForItAnewAndKeepsNoDelay) {
  Schedule({"http://a.test/1", "http://a.test/2", "http://a.test/3"});
  frontier_->EndRobots(std::move(*NextLease()), {}, RobotsKnown{.crawl_delay = minutes(1)});
  frontier_->End(std::move(*NextLease()), {});
  Commit();
  Renew();
  EXPECT_EQ(NextLease()->kind(), Lease::Kind::kPage) << "the same reader";

  options_.robots_reader = 1;
  Renew();
  clock_.Advance(minutes(1));
  std::optional<Lease> robots = NextLease();
  ASSERT_EQ(robots->kind(), Lease::Kind::kRobots);
  frontier_->EndRobots(std::move(*robots), {.requested = false}, RobotsKnown{});
  const base::Time began = clock_.Now();
  EXPECT_EQ(Drain().size(), 2U);
  EXPECT_LE(clock_.Now() - began, seconds(10));
}

// Remembers what was read of the queue.
class WatchedStore final : public store::Store {
 public:
  base::Status Write(const store::Batch& batch, store::Durability durability) override {
    return store_.Write(batch, durability);
  }
  base::Result<std::optional<std::string>> Get(store::Table table,
                                               std::string_view key) const override {
    return store_.Get(table, key);
  }
  std::unique_ptr<store::Cursor> Read(store::Table table, std::string_view from,
                                      std::string_view until) const override {
    if (table == store::Table::kQueue) ranges.emplace_back(from, until);
    return store_.Read(table, from, until);
  }
  mutable std::vector<std::pair<std::string, std::string>> ranges;

 private:
  store::MemoryStore store_;
};

// The first key behind the origin of `key`.
std::string AfterOrigin(const std::string& key) {
  std::uint64_t entry = 0;
  QueuePlace place = QueuePlace::Read(key, &entry).value();
  ++place.origin;
  return place.Key(0).substr(0, 5);
}

// What was removed there would have to be stepped over.
TEST(FrontierStoreRangeTest, ReadingAQueueBackGoesNoFurtherThanItsEnd) {
  WatchedStore store;
  base::FakeClock clock;
  const std::unique_ptr<Scope> scope = Scope::Make({.reach = ScopeReach::kAny}).value();
  Frontier frontier({.queue_bytes_max = 0}, *scope, clock, &store);
  std::vector<Candidate> candidates;
  for (int i = 0; i < 200; ++i) {
    for (const std::string host : {"a", "b"}) {
      candidates.push_back({.url = U("http://" + host + ".test/" + std::to_string(i))});
    }
  }
  frontier.Schedule(candidates);
  store::Batch batch;
  frontier.Save(batch);
  ASSERT_TRUE(store.Write(batch, store::Durability::kProcess));
  frontier.Saved();
  for (int leases = 0; leases < 100;) {
    Acquired next = frontier.Acquire();
    if (auto* wait = std::get_if<WaitUntil>(&next)) {
      clock.AdvanceTo(wait->when);
      continue;
    }
    ASSERT_TRUE(std::holds_alternative<Lease>(next));
    Lease& lease = std::get<Lease>(next);
    if (lease.kind() == Lease::Kind::kRobots) {
      frontier.EndRobots(std::move(lease), {}, RobotsKnown{});
    } else {
      frontier.End(std::move(lease), {});
      ++leases;
    }
  }
  ASSERT_FALSE(store.ranges.empty());
  for (const auto& [from, until] : store.ranges) {
    EXPECT_EQ(until, AfterOrigin(from)) << "that of the origin which it begins in";
  }
}

TEST(WallTimesTest, GoesThereAndBackAndIsBounded) {
  base::FakeClock clock;
  const WallTimes times(clock);
  EXPECT_EQ(times.ToWall(clock.Now()), 0);
  EXPECT_EQ(times.FromWall(0, hours(1)), clock.Now());
  const std::int64_t later = times.ToWall(clock.Now() + seconds(90));
  EXPECT_EQ(times.FromWall(later, hours(1)), clock.Now() + seconds(90));
  EXPECT_EQ(times.FromWall(later, seconds(60)), clock.Now() + seconds(60));
  clock.Advance(seconds(100));
  EXPECT_EQ(WallTimes(clock).FromWall(later, hours(1)), clock.Now());
}

}  // namespace
}  // namespace frontier
