#include "frontier/frontier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tests/frontier/frontier_fixture.h"

namespace frontier {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_F(FrontierTest, AnEmptyOneHasFinished) { EXPECT_TRUE(HasFinished()); }

TEST_F(FrontierTest, RobotsComesBeforeTheFirstPageOfAnOrigin) {
  Schedule({"https://a.example:8443/x?y"});
  Lease robots = Take();
  EXPECT_EQ(robots.kind(), Lease::Kind::kRobots);
  EXPECT_EQ(robots.url().text(), "https://a.example:8443/robots.txt");
  EXPECT_TRUE(MustWaitForChange());
  frontier().EndRobots(std::move(robots), Ending{}, RobotsKnown{});
  // It counts as a request to the host.
  EXPECT_EQ(Wait(), seconds(1));
  EXPECT_EQ(frontier().Stats().next_in, seconds(1));
  clock_.Advance(seconds(1));
  EXPECT_EQ(frontier().Stats().next_in, seconds(0));
  Lease page = Take();
  EXPECT_EQ(page.kind(), Lease::Kind::kPage);
  EXPECT_EQ(page.url().text(), "https://a.example:8443/x?y");
  EXPECT_EQ(frontier().Stats().pages, 1U);
  frontier().End(std::move(page), Ending{});
  EXPECT_TRUE(HasFinished());
}

TEST_F(FrontierTest, ARobotsTxtFromMemoryCostsNoDelay) {
  Schedule({"http://a/x"});
  frontier().EndRobots(Take(), Ending{.requested = false}, RobotsKnown{});
  EXPECT_EQ(Take().url().text(), "http://a/x");
}

TEST_F(FrontierTest, ACandidateComesOutAsItWentIn) {
  Candidate candidate{.url = U("http://a/x"),
                      .referrer = U("http://b/"),
                      .asked = U("http://a/y"),
                      .depth = 2,
                      .redirects = 1,
                      .seed = true};
  EXPECT_EQ(frontier().Schedule({&candidate, 1}).queued, 1U);
  EXPECT_EQ(TakePage().candidate(), candidate);
}

TEST_F(FrontierTest, TheDelayRunsFromTheEndOfARequest) {
  options_.delay = milliseconds(1500);
  Schedule({"http://a/1", "http://a/2"});
  Lease page = TakePage();
  clock_.Advance(seconds(10));
  frontier().End(std::move(page), Ending{});
  EXPECT_EQ(Wait(), milliseconds(1500));
  clock_.Advance(milliseconds(1499));
  EXPECT_EQ(Wait(), milliseconds(1));
  clock_.Advance(milliseconds(1));
  EXPECT_EQ(Take().url().text(), "http://a/2");
}

TEST_F(FrontierTest, APageNotRequestedCostsNoDelay) {
  Schedule({"http://a/1", "http://a/2"});
  frontier().End(TakePage(), Ending{.requested = false});
  EXPECT_EQ(Take().url().text(), "http://a/2");
}

TEST_F(FrontierTest, AHostIsANameWhateverSchemeAndPort) {
  Schedule({"http://a/1", "https://a/2", "http://a:81/3"});
  Lease robots = Take();
  EXPECT_TRUE(MustWaitForChange());
  frontier().EndRobots(std::move(robots), Ending{}, RobotsKnown{});
  EXPECT_EQ(Wait(), seconds(1));
}

TEST_F(FrontierTest, FirstInFirstOutWithinAnOrigin) {
  Schedule({"http://a/1", "http://a/2", "http://a/3"});
  Schedule({"http://a/4"});
  for (const char* text : {"http://a/1", "http://a/2", "http://a/3", "http://a/4"}) {
    EXPECT_EQ(TakePageAndEnd(), text);
  }
  EXPECT_TRUE(HasFinished());
}

TEST_F(FrontierTest, HostsTakeTurns) {
  options_.delay = seconds(0);
  Schedule({"http://a/1", "http://a/2", "http://a/3", "http://b/1", "http://b/2", "http://c/1"});
  EXPECT_THAT(CrawlAll(), testing::ElementsAre("http://a/1", "http://b/1", "http://c/1",
                                               "http://a/2", "http://b/2", "http://a/3"));
}

TEST_F(FrontierTest, ANewHostDoesNotOvertakeThoseThatWait) {
  Schedule({"http://a/1"});
  clock_.Advance(seconds(5));
  Schedule({"http://b/1"});
  EXPECT_EQ(Take().url().host(), "a");
}

TEST_F(FrontierTest, AHostThatComesBackDoesNotOvertakeEither) {
  Schedule({"http://a/1", "http://b/1"});
  AnswerRobots(1);  // a may be asked again in a second
  clock_.Advance(seconds(5));
  Schedule({"http://c/1"});
  EXPECT_EQ(Take().url().host(), "b");
  EXPECT_EQ(Take().url().host(), "a");
  EXPECT_EQ(Take().url().host(), "c");
}

TEST_F(FrontierTest, HostsWithSeveralConnectionsTakeTurnsToo) {
  options_.connections_per_host = 2;
  Schedule({"http://a/1", "http://a:81/2", "http://b/1", "http://b:81/2"});
  std::vector<Lease> leases;
  for (const char* host : {"a", "b", "a", "b"}) {
    leases.push_back(Take());
    EXPECT_EQ(leases.back().url().host(), host);
  }
}

TEST_F(FrontierTest, MoreUrlsDoNotMoveAHostBack) {
  Schedule({"http://a/1", "http://b/1"});
  clock_.Advance(seconds(5));
  Schedule({"http://a/2"});
  EXPECT_EQ(Take().url().host(), "a");
}

TEST_F(FrontierTest, OriginsOfAHostTakeTurns) {
  options_.delay = seconds(0);
  Schedule({"http://a/1", "http://a/2", "http://a/3", "https://a/1", "https://a/2"});
  EXPECT_THAT(CrawlAll(), testing::ElementsAre("http://a/1", "https://a/1", "http://a/2",
                                               "https://a/2", "http://a/3"));
}

TEST_F(FrontierTest, SeveralConnectionsToOneHost) {
  options_.connections_per_host = 2;
  Schedule({"http://a/1", "http://a/2", "http://a/3", "http://a/4"});
  frontier().EndRobots(Take(), Ending{.requested = false}, RobotsKnown{});
  Lease first = Take();
  Lease second = Take();
  EXPECT_TRUE(MustWaitForChange());
  frontier().End(std::move(first), Ending{});
  EXPECT_EQ(Wait(), seconds(1));
  clock_.Advance(milliseconds(600));
  // The end of any request of the host counts.
  frontier().End(std::move(second), Ending{});
  EXPECT_EQ(Wait(), seconds(1));
}

TEST_F(FrontierTest, ACrawlDelayIsOneConnectionsHoweverManyThereMayBe) {
  options_.connections_per_host = 4;
  Schedule({"http://a/1", "http://a/2", "http://a/3", "https://a/4"});
  Lease robots = Take();
  Lease other_robots = Take();  // no Crawl-delay is known yet
  frontier().EndRobots(std::move(robots), Ending{}, RobotsKnown{.crawl_delay = seconds(3)});
  EXPECT_TRUE(MustWaitForChange());
  frontier().EndRobots(std::move(other_robots), Ending{}, RobotsKnown{});
  for (int page = 0; page < 3; ++page) {
    EXPECT_EQ(Wait(), seconds(3));
    clock_.Advance(seconds(3));
    Lease lease = Take();
    EXPECT_TRUE(MustWaitForChange());
    frontier().End(std::move(lease), Ending{});
  }
}

TEST_F(FrontierTest, CrawlDelayRaisesTheDelayWithinBounds) {
  Schedule({"http://a/1", "http://a/2", "http://b/1", "http://b/2", "http://c/1", "http://c/2"});
  for (RobotsKnown policy :
       {RobotsKnown{.crawl_delay = seconds(7)}, RobotsKnown{.crawl_delay = milliseconds(10)},
        RobotsKnown{.crawl_delay = hours(100'000)}}) {
    frontier().EndRobots(Take(), Ending{}, policy);
  }
  EXPECT_EQ(Wait(), seconds(1));
  clock_.Advance(seconds(1));
  frontier().End(Take(), Ending{.requested = false});  // b/1
  frontier().End(Take(), Ending{.requested = false});  // b/2
  EXPECT_EQ(Wait(), seconds(6));
  clock_.Advance(seconds(6));
  EXPECT_EQ(TakePageAndEnd(), "http://a/1");
  EXPECT_EQ(Wait(), seconds(7));
  clock_.Advance(seconds(7));
  EXPECT_EQ(TakePageAndEnd(), "http://a/2");
  EXPECT_EQ(Wait(), seconds(300 - 14));
}

TEST_F(FrontierTest, RobotsIsAskedForAgainWhenTooOld) {
  Schedule({"http://a/1", "http://a/2", "http://a/3"});
  frontier().EndRobots(Take(), Ending{}, RobotsKnown{.valid_for = hours(10'000)});
  clock_.Advance(hours(24) - seconds(1));
  EXPECT_EQ(TakePageAndEnd(), "http://a/1");
  clock_.Advance(seconds(1));
  Lease robots = Take();
  EXPECT_EQ(robots.kind(), Lease::Kind::kRobots);
  frontier().EndRobots(std::move(robots), Ending{}, RobotsKnown{.valid_for = seconds(0)});
  // Believed long enough to reach a page, whatever was said.
  clock_.Advance(seconds(1));
  EXPECT_EQ(Take().kind(), Lease::Kind::kPage);
}

// Hosts of one domain stand in a line that is longer than a robots.txt is valid.
TEST_F(FrontierTest, RobotsHoldsForTheFirstPageHoweverLongThatHasToWait) {
  options_.hosts_at_once_per_domain = 1;
  options_.robots_valid_max = minutes(1);
  for (int i = 0; i < 80; ++i) Schedule({"http://h" + std::to_string(i) + ".a.test/"});
  std::map<Lease::Kind, int> leases;
  for (int step = 0; step < 1'000; ++step) {
    Acquired next = frontier().Acquire();
    if (const auto* wait = std::get_if<WaitUntil>(&next)) clock_.AdvanceTo(wait->when);
    auto* lease = std::get_if<Lease>(&next);
    if (lease == nullptr) continue;
    ++leases[lease->kind()];
    if (lease->kind() == Lease::Kind::kRobots) {
      frontier().EndRobots(std::move(*lease), Ending{}, RobotsKnown{});
    } else {
      frontier().End(std::move(*lease), Ending{});
    }
  }
  EXPECT_EQ(leases[Lease::Kind::kRobots], 80);
  EXPECT_EQ(leases[Lease::Kind::kPage], 80);
}

TEST_F(FrontierTest, RobotsThatIsOldHoldsForAMinuteFromTheFirstPageOn) {
  options_.robots_valid_max = minutes(1);
  Schedule({"http://a/1", "http://a/2", "http://a/3", "http://a/4"});
  frontier().EndRobots(Take(), Ending{}, RobotsKnown{});
  clock_.Advance(minutes(5));
  frontier().End(Take(), Ending{.requested = false});
  frontier().End(Take(), Ending{.requested = false});
  clock_.Advance(minutes(1));
  Lease robots = Take();
  ASSERT_EQ(robots.kind(), Lease::Kind::kRobots);
  frontier().EndRobots(std::move(robots), Ending{}, RobotsKnown{});
  clock_.Advance(hours(24));
  EXPECT_EQ(Take().kind(), Lease::Kind::kRobots) << "not for days";
}

TEST_F(FrontierTest, PagesWaitWhileRobotsIsUnreachable) {
  Schedule({"http://a/1", "http://b/1"});
  Lease first = Take();
  EXPECT_EQ(first.candidate().attempt, 0U);
  frontier().EndRobots(std::move(first), Ending{}, RobotsUnreachable{.retry_in = minutes(5)});
  EXPECT_EQ(TakePageAndEnd(), "http://b/1");  // takes a second
  EXPECT_EQ(Wait(), minutes(5) - seconds(1));
  clock_.Advance(minutes(5));
  Lease second = Take();
  EXPECT_EQ(second.kind(), Lease::Kind::kRobots);
  EXPECT_EQ(second.candidate().attempt, 1U);
  frontier().EndRobots(std::move(second), Ending{}, RobotsUnreachable{.retry_in = minutes(5)});
  clock_.Advance(minutes(5));
  Lease third = Take();
  EXPECT_EQ(third.candidate().attempt, 2U);
  frontier().EndRobots(std::move(third), Ending{}, RobotsKnown{});
  clock_.Advance(seconds(1));
  EXPECT_EQ(Take().url().text(), "http://a/1");
}

TEST_F(FrontierTest, WhatIsKnownHoldsOnWhereRobotsCannotBeHadAgain) {
  Schedule({"http://a/1", "http://a/2", "http://a/3"});
  frontier().EndRobots(Take(), Ending{}, RobotsKnown{.crawl_delay = seconds(7)});
  clock_.Advance(seconds(7));
  frontier().End(Take(), Ending{});
  clock_.Advance(hours(24));
  Lease robots = Take();
  EXPECT_EQ(robots.kind(), Lease::Kind::kRobots);
  frontier().EndRobots(std::move(robots), Ending{}, RobotsKept{.retry_in = minutes(5)});
  EXPECT_EQ(Wait(), seconds(7));
  clock_.Advance(seconds(7));
  frontier().End(Take(), Ending{});
  clock_.Advance(minutes(5));
  EXPECT_EQ(Take().kind(), Lease::Kind::kRobots);
}

TEST_F(FrontierTest, PagesOfAnOriginGivenUpWaitAndTheCrawlEndsWithoutThem) {
  Schedule({"http://a/1", "http://a/2", "https://a/3"});
  frontier().EndRobots(Take(), Ending{}, RobotsGivenUp{});
  EXPECT_EQ(CrawlAll(), std::vector<std::string>{"https://a/3"});
  EXPECT_TRUE(HasFinished());
  EXPECT_EQ(Schedule({"http://a/4"}).queued, 1U);
  EXPECT_TRUE(HasFinished());
  EXPECT_EQ(frontier().Stats().queued, 3U);
  EXPECT_EQ(frontier().Stats().queued_given_up, 3U);
}

TEST_F(FrontierTest, AnotherOriginGoesOnMeanwhile) {
  Schedule({"http://a/1", "https://a/2"});
  frontier().EndRobots(Take(), Ending{}, RobotsUnreachable{.retry_in = hours(1)});
  EXPECT_EQ(TakePageAndEnd(), "https://a/2");
  EXPECT_GT(Wait(), minutes(59));
}

TEST_F(FrontierTest, ALeaseDroppedGivesItsUrlBackFirst) {
  Schedule({"http://a/1", "http://a/2"});
  {
    Lease dropped = TakePage();
    EXPECT_EQ(frontier().Stats().leased, 1U);
  }
  EXPECT_EQ(frontier().Stats().leased, 0U);
  EXPECT_EQ(frontier().Stats().pages, 0U);
  EXPECT_EQ(Take().url().text(), "http://a/1");
}

TEST_F(FrontierTest, ARobotsLeaseDroppedIsGivenAgain) {
  Schedule({"http://a/1"});
  { Lease dropped = Take(); }
  EXPECT_EQ(Take().kind(), Lease::Kind::kRobots);
}

TEST_F(FrontierTest, ALeaseMovesAndIsEndedOnce) {
  Schedule({"http://a/1", "http://b/1"});
  Lease a = Take();
  Lease b = Take();
  a = std::move(b);  // gives back that of a
  EXPECT_EQ(a.url().host(), "b");
  EXPECT_EQ(frontier().Stats().leased, 1U);
  EXPECT_EQ(Take().url().host(), "a");
}

TEST_F(FrontierTest, ARetryComesAfterItsBackOffAndFirst) {
  options_.retry_delay = seconds(10);
  options_.retry_delay_max = seconds(35);
  Schedule({"http://a/1", "http://a/2"});
  frontier().End(TakePage(), Ending{.retry = true});
  EXPECT_EQ(frontier().Stats().pages, 0U);
  EXPECT_EQ(frontier().Stats().queued, 2U);
  EXPECT_EQ(TakePageAndEnd(), "http://a/2");  // a second later
  Schedule({"http://a/3"});
  EXPECT_EQ(TakePageAndEnd(), "http://a/3");  // another
  Schedule({"http://b/1"});
  EXPECT_EQ(TakePageAndEnd(), "http://b/1");  // and another
  clock_.Advance(Wait());
  Schedule({"http://a/later"});
  Lease again = Take();
  EXPECT_EQ(again.url().text(), "http://a/1");
  EXPECT_EQ(again.candidate().attempt, 1U);
}

TEST_F(FrontierTest, BackOffDoublesUpToItsLimit) {
  options_.retry_delay = seconds(10);
  options_.retry_delay_max = seconds(35);
  Schedule({"http://a/1"});
  AnswerRobots(1);
  clock_.Advance(seconds(1));
  for (int wait : {10, 20, 35, 35}) {
    frontier().End(Take(), Ending{.retry = true});
    EXPECT_EQ(Wait(), seconds(wait));
    clock_.Advance(seconds(wait));
  }
}

TEST_F(FrontierTest, RetryAfterParksTheHostWithinBounds) {
  Schedule({"http://a/1", "http://a/2", "http://a/3"});
  frontier().End(TakePage(), Ending{.park = minutes(2)});
  EXPECT_EQ(Wait(), minutes(2));
  clock_.Advance(minutes(2));
  frontier().End(Take(), Ending{.park = hours(87'600)});  // ten years
  EXPECT_EQ(Wait(), hours(1));
}

TEST_F(FrontierTest, CountsWhatItDoesNotTake) {
  options_.pages_per_host_max = 2;
  options_.origins_per_host_max = 2;
  options_.hosts_max = 3;
  ScheduleCounts counts =
      Schedule({"http://a/1", "http://a/1", "http://a/2", "http://a/3", "http://b/1", "https://b/",
                "http://c:1/", "http://c:2/", "http://d/"});
  EXPECT_EQ(counts.queued, 6U);
  EXPECT_EQ(counts.seen, 1U);
  EXPECT_EQ(Over(counts, ScheduleLimit::kPagesPerHost), 1U);
  EXPECT_EQ(Over(counts, ScheduleLimit::kHosts), 1U);
  EXPECT_EQ(counts.total(), 9U);
  counts += Schedule({"http://c:3/"});
  EXPECT_EQ(Over(counts, ScheduleLimit::kPagesPerHost), 2U);
  EXPECT_EQ(counts.total(), 10U);
  EXPECT_EQ(frontier().Stats().hosts, 3U);
  EXPECT_EQ(frontier().Stats().hosts_waiting, 3U);
}

TEST_F(FrontierTest, OriginsOfAHostAreBounded) {
  options_.origins_per_host_max = 2;
  ScheduleCounts counts = Schedule({"http://a:1/", "http://a:2/", "http://a:3/", "http://a:1/x"});
  EXPECT_EQ(counts.queued, 3U);
  EXPECT_EQ(Over(counts, ScheduleLimit::kOrigins), 1U);
}

TEST_F(FrontierTest, WhatWasOverALimitIsNotSeen) {
  options_.queued_max = 1;
  ScheduleCounts counts = Schedule({"http://a/1", "http://a/2"});
  EXPECT_EQ(Over(counts, ScheduleLimit::kQueued), 1U);
  TakePageAndEnd();
  EXPECT_EQ(Schedule({"http://a/2"}).queued, 1U);
}

TEST_F(FrontierTest, RedirectsAreBounded) {
  std::vector<Candidate> hops = {{.url = U("http://a/5"), .redirects = 5},
                                 {.url = U("http://a/6"), .redirects = 6}};
  ScheduleCounts counts = frontier().Schedule(hops);
  EXPECT_EQ(counts.queued, 1U);
  EXPECT_EQ(Over(counts, ScheduleLimit::kRedirects), 1U);
}

class HostScopeFrontierTest : public FrontierTest {
 protected:
  HostScopeFrontierTest() : FrontierTest({.reach = ScopeReach::kHost, .depth_max = 1}) {}
};

TEST_F(HostScopeFrontierTest, ScopeIsAskedAndWidenedBySeeds) {
  std::vector<Candidate> candidates = {{.url = U("http://a/"), .seed = true},
                                       {.url = U("http://b/")},
                                       {.url = U("http://a/x"), .depth = 2}};
  ScheduleCounts counts = frontier().Schedule(candidates);
  EXPECT_EQ(counts.queued, 1U);
  EXPECT_EQ(counts.out_of_scope[static_cast<std::size_t>(ScopeVerdict::kOtherHost)], 1U);
  EXPECT_EQ(counts.out_of_scope[static_cast<std::size_t>(ScopeVerdict::kTooDeep)], 1U);
  // A seed's redirect brings its target's host in; what was out of scope was not seen.
  Candidate target{.url = U("http://b/"), .asked = U("http://a/"), .redirects = 1, .seed = true};
  EXPECT_EQ(frontier().Schedule({&target, 1}).queued, 1U);
  EXPECT_EQ(Schedule({"http://b/x"}).queued, 1U);
}

TEST_F(FrontierTest, TheBudgetOfPagesEndsTheCrawl) {
  options_.pages_max = 2;
  Schedule({"http://a/1", "http://b/1", "http://c/1"});
  AnswerRobots(3);
  clock_.Advance(seconds(1));
  Lease a = Take();
  Lease b = Take();
  EXPECT_TRUE(MustWaitForChange());
  frontier().End(std::move(a), Ending{});
  EXPECT_TRUE(MustWaitForChange());
  frontier().End(std::move(b), Ending{});
  EXPECT_TRUE(HasFinished());
  EXPECT_EQ(frontier().Stats().pages, 2U);
  EXPECT_EQ(frontier().Stats().queued, 1U);
}

TEST_F(FrontierTest, APageGivenBackOrRetriedReturnsItsBudget) {
  options_.pages_max = 1;
  Schedule({"http://a/1", "http://b/1"});
  AnswerRobots(2);
  clock_.Advance(seconds(1));
  { Lease dropped = Take(); }
  frontier().End(Take(), Ending{.retry = true});
  frontier().End(Take(), Ending{});
  EXPECT_TRUE(HasFinished());
}

TEST_F(FrontierTest, APageThatIsNotRequestedReturnsItsBudget) {
  options_.pages_max = 1;
  Schedule({"http://a/1", "http://a/2", "http://a/3"});
  AnswerRobots(1);
  clock_.Advance(seconds(1));
  frontier().End(Take(), Ending{.requested = false});  // denied by robots.txt, say
  EXPECT_EQ(frontier().Stats().pages_max_reached, 0U);
  EXPECT_EQ(TakePageAndEnd(), "http://a/2");
  EXPECT_TRUE(HasFinished());
  EXPECT_EQ(frontier().Stats().pages, 1U);
  EXPECT_EQ(frontier().Stats().pages_max_reached, 1U);
}

TEST_F(FrontierTest, WhileALeaseIsOutTheCrawlHasNotEnded) {
  Schedule({"http://a/1"});
  Lease page = TakePage();
  EXPECT_TRUE(MustWaitForChange());
  Schedule({"http://b/2"});
  frontier().End(std::move(page), Ending{});
  EXPECT_EQ(TakePageAndEnd(), "http://b/2");
  EXPECT_TRUE(HasFinished());
}

TEST_F(FrontierTest, WakesWhoWasToldToWait) {
  int wakes = 0;
  frontier().SetWakeup([this, &wakes] {
    ++wakes;
    frontier().Stats();  // no lock is held
  });
  Schedule({"http://a/1"});
  EXPECT_EQ(wakes, 0);  // nobody has asked yet
  Lease robots = Take();
  EXPECT_TRUE(MustWaitForChange());
  Schedule({"http://b/1"});
  EXPECT_EQ(wakes, 1);
  Schedule({"http://b/2"});
  EXPECT_EQ(wakes, 1);  // woken already
  Lease other = Take();
  EXPECT_TRUE(MustWaitForChange());
  Schedule({"http://b/2"});  // seen: nothing has changed
  EXPECT_EQ(wakes, 1);
  frontier().EndRobots(std::move(robots), Ending{}, RobotsKnown{});
  EXPECT_EQ(wakes, 2);
  EXPECT_GT(Wait(), seconds(0));
  { Lease dropped = std::move(other); }
  EXPECT_EQ(wakes, 3);
}

TEST_F(FrontierTest, QueuesCostLittleOverTheirBytes) {
  std::size_t text_bytes = 0;
  std::vector<Candidate> candidates;
  for (int i = 0; i < 20'000; ++i) {
    Candidate link{.url = U("http://www.example.com/articles/2026/number-" + std::to_string(i)),
                   .referrer = U("http://www.example.com/articles/"),
                   .depth = 3};
    text_bytes += link.url.path().size();
    candidates.push_back(std::move(link));
  }
  ASSERT_EQ(frontier().Schedule(candidates).queued, candidates.size());
  EXPECT_LE(frontier().Stats().queue_bytes, text_bytes + 12 * candidates.size());
  EXPECT_GE(frontier().Stats().queue_bytes, text_bytes);
}

// So a crawl that has all of a site does not say that something was left out.
TEST_F(FrontierTest, WhatIsKnownIsNotLeftOutHoweverFullItsHost) {
  options_.pages_per_host_max = 2;
  EXPECT_EQ(Schedule({"http://a/1", "http://a/2"}).queued, 2U);
  const ScheduleCounts counts = Schedule({"http://a/1", "http://a/2", "http://a/3"});
  EXPECT_EQ(counts.seen, 2U);
  EXPECT_EQ(Over(counts, ScheduleLimit::kPagesPerHost), 1U);
}

// Its robots.txt may be read after the page was met, and names it as what a page's link does not.
TEST_F(FrontierTest, ASitemapIsReadThoughAPageLinkedToItBefore) {
  const auto as_sitemap = [](std::string_view url) {
    return Candidate{.url = U(url), .role = CandidateRole::kSitemap};
  };
  const std::vector<Candidate> sitemaps = {as_sitemap("http://a/sitemap.xml"),
                                           as_sitemap("http://a/another.xml")};
  EXPECT_EQ(Schedule({"http://a/sitemap.xml"}).queued, 1U);
  EXPECT_EQ(frontier().Schedule(sitemaps).queued, 2U);
  EXPECT_EQ(frontier().Schedule(sitemaps).seen, 2U);
  EXPECT_EQ(Schedule({"http://a/sitemap.xml", "http://a/another.xml"}).seen, 2U);
}

class ExcludingTest : public FrontierTest {
 protected:
  ExcludingTest() : FrontierTest({.reach = ScopeReach::kAny, .exclude = {"/open$"}}) {
    options_.traps.idle_parameter_pages = 2;
  }
};

// What it is without that parameter is asked for by nobody.
TEST_F(ExcludingTest, AUrlOfAnIdleParameterIsJudgedByTheScopeAsItStands) {
  using Kind = PageContent::Kind;
  for (const std::string n : {"1", "2", "3"}) {
    Schedule({"http://a/open?sid=" + n, "http://a/" + n});
    TakePageAndEnd({.content = {.kind = Kind::kDuplicate, .identity = 7}});
    TakePageAndEnd({.content = {.kind = Kind::kNew}});
  }
  EXPECT_EQ(Schedule({"http://a/open?sid=7"}).queued, 1U);
  EXPECT_EQ(TakePageAndEnd(), "http://a/open?sid=7");
}

TEST(FrontierNamesTest, EveryLimitHasAName) {
  for (std::size_t i = 0; i < kScheduleLimits; ++i) {
    EXPECT_FALSE(Name(static_cast<ScheduleLimit>(i)).empty()) << i;
  }
}

}  // namespace
}  // namespace frontier
