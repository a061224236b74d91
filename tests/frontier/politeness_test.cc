// How gently hosts are treated: each alone, together with others, and when they fail.

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontier/outage.h"
#include "tests/frontier/frontier_fixture.h"

namespace frontier {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class PolitenessTest : public FrontierTest {
 protected:
  /// Ends the robots lease and waits until the host may be asked for a page.
  Lease FirstPage() {
    frontier().EndRobots(Take(), Ending{}, RobotsKnown{});
    clock_.Advance(options_.delay);
    return Take();
  }
  Ending AnsweredFrom(std::string_view address) { return Ending{.address = address}; }
};

// ---- One host

TEST_F(PolitenessTest, ASlowHostIsLeftAloneForLonger) {
  options_.response_time_factor = 5;
  Schedule({"http://a/1", "http://a/2", "http://a/3", "http://a/4"});
  frontier().End(FirstPage(), Ending{.response_time = milliseconds(700)});
  EXPECT_EQ(Wait(), milliseconds(3500));
  clock_.Advance(Wait());
  frontier().End(Take(), Ending{.response_time = milliseconds(10)});
  EXPECT_EQ(Wait(), seconds(1));  // never less than the delay
  clock_.Advance(Wait());
  frontier().End(Take(), Ending{.response_time = hours(1'000'000)});
  EXPECT_EQ(Wait(), options_.slow_delay_max);
}

TEST_F(PolitenessTest, WithoutADelayResponseTimeDoesNotMatter) {
  options_.delay = seconds(0);
  Schedule({"http://a/1", "http://a/2"});
  frontier().End(FirstPage(), Ending{.response_time = seconds(7)});
  EXPECT_EQ(Take().url().text(), "http://a/2");
}

TEST_F(PolitenessTest, Row92_CrawlDelayIsHonouredWithinBounds) {
  // 10^9 seconds and a tenth of a second; a negative one is none (parser/robots_txt.h).
  for (auto [asked, waited] :
       {std::pair<base::Duration, base::Duration>(seconds(1'000'000'000), options_.delay_max),
        {milliseconds(100), seconds(1)},
        {seconds(7), seconds(7)}}) {
    frontier_.reset();
    Schedule({"http://a/1"});
    frontier().EndRobots(Take(), Ending{}, RobotsKnown{.crawl_delay = asked});
    EXPECT_EQ(Wait(), waited);
  }
}

// ---- Robots.txt that stands elsewhere

class RobotsElsewhereTest : public PolitenessTest {
 protected:
  /// Ends the robots lease that must come now by a redirect there.
  void Redirect(std::string_view url) {
    frontier().EndRobots(Take(), Ending{}, RobotsElsewhere{U(url)});
  }
  /// Waits for the next lease, which must be for the robots.txt of `origin`.
  Lease TakeHop(const std::string& origin) {
    clock_.Advance(Wait());
    Lease lease = Take();
    EXPECT_EQ(lease.kind(), Lease::Kind::kRobots);
    EXPECT_EQ(lease.candidate().asked.value().text(), origin + "/robots.txt");
    return lease;
  }
};

TEST_F(RobotsElsewhereTest, IsAskedForAtThePaceOfTheHostThatItStandsOn) {
  Schedule({"http://a/1", "http://b/1", "http://c/1"});
  for (int i = 0; i < 3; ++i) Redirect("http://hub/rules");
  for (const std::string origin : {"http://a", "http://b", "http://c"}) {
    Lease hop = Take();
    EXPECT_EQ(hop.url().text(), "http://hub/rules");
    EXPECT_EQ(hop.candidate().asked.value().text(), origin + "/robots.txt");
    EXPECT_EQ(hop.candidate().redirects, 1U);
    EXPECT_TRUE(MustWaitForChange()) << "one connection";
    frontier().EndRobots(std::move(hop), Ending{.park = seconds(30)}, RobotsGivenUp{});
    if (origin == "http://c") break;
    EXPECT_EQ(Wait(), seconds(30)) << "what the hub asks for";
    clock_.Advance(seconds(30));
  }
  EXPECT_TRUE(HasFinished());
}

TEST_F(RobotsElsewhereTest, TakesTurnsWithThePagesOfThatHost) {
  Schedule({"http://hub/1", "http://hub/2"});
  frontier().End(FirstPage(), Ending{});
  Schedule({"http://a/1", "http://b/1"});
  for (int i = 0; i < 2; ++i) Redirect("http://hub/robots.txt");
  frontier().EndRobots(TakeHop("http://a"), Ending{}, RobotsUnreachable{hours(1)});
  EXPECT_EQ(TakePageAndEnd(), "http://hub/2");
  frontier().EndRobots(TakeHop("http://b"), Ending{}, RobotsUnreachable{hours(1)});
}

TEST_F(RobotsElsewhereTest, HoldsForTheOneThatItIsOfAndItsPageWaitsADelayAfterIt) {
  Schedule({"http://a/1"});
  Redirect("http://a/2");
  clock_.Advance(seconds(5));
  Lease hop = Take();
  frontier().EndRobots(std::move(hop), Ending{}, RobotsElsewhere{U("http://hub/rules")});
  hop = Take();
  EXPECT_EQ(hop.candidate().redirects, 2U);
  EXPECT_TRUE(MustWaitForChange()) << "its page waits";
  frontier().EndRobots(std::move(hop), Ending{}, RobotsKnown{.crawl_delay = seconds(7)});
  EXPECT_EQ(Wait(), seconds(7));
  EXPECT_EQ(TakePageAndEnd(), "http://a/1");
  EXPECT_TRUE(HasFinished());
}

TEST_F(RobotsElsewhereTest, IsGivenBackToTheBeginning) {
  Schedule({"http://a/1"});
  Redirect("http://hub/rules");
  { const Lease hop = Take(); }
  clock_.Advance(Wait());
  EXPECT_EQ(Take().url().text(), "http://a/robots.txt");
}

TEST_F(RobotsElsewhereTest, IsLostWhereTheHostIsGivenUp) {
  options_.host_failures_max = 1;
  Schedule({"http://a/1", "http://b/1"});
  for (int i = 0; i < 2; ++i) Redirect("http://hub/rules");
  frontier().EndRobots(Take(), Ending{.host = HostState::kFailing}, RobotsUnreachable{hours(1)});
  Lease waited = Take();
  EXPECT_EQ(waited.kind(), Lease::Kind::kRobotsLost);
  EXPECT_EQ(waited.candidate().asked.value().text(), "http://b/robots.txt");
  frontier().EndRobots(std::move(waited), Ending{.requested = false}, RobotsUnreachable{hours(1)});
  Schedule({"http://c/1"});
  Redirect("http://hub/rules");
  Lease late = Take();
  EXPECT_EQ(late.kind(), Lease::Kind::kRobotsLost);
  frontier().EndRobots(std::move(late), Ending{.requested = false}, RobotsGivenUp{});
  EXPECT_EQ(frontier().Stats().hosts_dead, 1U) << "only that one";
}

// What comes of it brings the host that asked not back to life: with no queue left nothing would
// ever come, and the crawl not end.
TEST_F(RobotsElsewhereTest, IsAnsweredTooLateWhereTheOneThatAsksIsGivenUp) {
  options_.host_failures_max = 1;
  Schedule({"http://a/1"});
  Redirect("http://hub/rules");
  Lease hop = Take();
  EXPECT_EQ(hop.url().text(), "http://hub/rules");
  Schedule({"http://a:81/1", "http://a:81/2"});
  frontier().End(TakePage(), Ending{.host = HostState::kFailing});
  EXPECT_TRUE(MustWaitForChange());
  frontier().EndRobots(std::move(hop), Ending{}, RobotsGivenUp{});
  EXPECT_TRUE(HasFinished());
  EXPECT_EQ(frontier().Stats().hosts_dead, 1U);
}

TEST_F(RobotsElsewhereTest, IsBorneByTheOneThatAsksWhereNoHostMoreFindsRoom) {
  options_.hosts_max = 1;
  Schedule({"http://a/1"});
  Redirect("http://hub/rules");
  EXPECT_EQ(Wait(), seconds(1)) << "its own delay";
  Lease hop = TakeHop("http://a");
  EXPECT_EQ(hop.url().text(), "http://hub/rules");
  const Ending overloaded{.host = HostState::kOverloaded, .park = minutes(9)};
  frontier().EndRobots(std::move(hop), overloaded, RobotsKnown{});
  EXPECT_EQ(Wait(), seconds(1)) << "it is not blamed";
  EXPECT_EQ(frontier().Stats().hosts, 1U);
}

// ---- Hosts that fail

TEST_F(PolitenessTest, Row122_AnOverloadedHostIsParkedEverLonger) {
  options_.retry_delay = seconds(10);
  options_.failing_delay_max = seconds(35);
  Schedule({"http://a/1", "http://a/2", "http://a/3", "http://a/4", "http://a/5", "http://a/6"});
  const Ending busy{.host = HostState::kOverloaded};
  frontier().End(FirstPage(), busy);
  for (int wait : {10, 20, 35}) {
    EXPECT_EQ(Wait(), seconds(wait));
    clock_.Advance(Wait());
    frontier().End(Take(), busy);
  }
  // What the host says itself goes before, up to park_max.
  clock_.Advance(Wait());
  frontier().End(Take(), Ending{.host = HostState::kOverloaded, .park = hours(87'600)});
  EXPECT_EQ(Wait(), options_.park_max);
  // And one good answer makes it well again.
  clock_.Advance(Wait());
  frontier().End(Take(), Ending{});
  EXPECT_EQ(frontier().Stats().hosts_dead, 0U);
}

TEST_F(PolitenessTest, ASingleFailureAmongAnswersCostsNothing) {
  Schedule({"http://a/1", "http://a/2", "http://a/3"});
  frontier().End(FirstPage(), Ending{.host = HostState::kFailing});
  EXPECT_EQ(Wait(), options_.delay);
  clock_.Advance(Wait());
  frontier().End(Take(), Ending{});
  EXPECT_EQ(Wait(), options_.delay);
}

TEST_F(PolitenessTest, BackOffIsSpreadAndTheSameInEachRun) {
  options_.jitter_percent = 50;
  options_.retry_delay = seconds(10);
  options_.hash_key = 7;
  std::set<base::Duration> waits;
  std::vector<base::Duration> first_run;
  for (int run = 0; run < 2; ++run) {
    frontier_.reset();
    std::vector<base::Duration> drawn;
    for (int i = 0; i < 20; ++i) {
      Schedule({"http://h" + std::to_string(i) + "/"});
      frontier().EndRobots(Take(), Ending{.requested = false}, RobotsKnown{});
      frontier().End(Take(), Ending{.retry = true});
      const base::Duration wait = Wait();
      EXPECT_GE(wait, seconds(10));
      EXPECT_LE(wait, seconds(15));
      drawn.push_back(wait);
      clock_.Advance(wait);
      frontier().End(Take(), Ending{});
    }
    waits.insert(drawn.begin(), drawn.end());
    if (run == 0) first_run = drawn;
    EXPECT_EQ(drawn, first_run);
  }
  EXPECT_GT(waits.size(), 10U);
}

TEST_F(PolitenessTest, Row123_AHostThatAlwaysFailsIsGivenUp) {
  options_.host_failures_max = 6;
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i) texts.push_back("http://a/" + std::to_string(i));
  Schedule(texts);
  Schedule({"http://b/1"});
  int requests = 0;
  const base::Time start = clock_.Now();
  while (std::optional<Lease> page = NextPage()) {
    if (page->url().host() == "b") {
      frontier().End(std::move(*page), Ending{});
    } else {
      ++requests;
      frontier().End(std::move(*page), Ending{.host = HostState::kFailing, .retry = true});
    }
  }
  EXPECT_TRUE(HasFinished());
  EXPECT_EQ(requests, 6);
  EXPECT_LT(clock_.Now() - start, hours(1));
  FrontierStats stats = frontier().Stats();
  EXPECT_EQ(stats.hosts_dead, 1U);
  EXPECT_EQ(stats.queued, 50U);  // none of its URLs is lost
  EXPECT_EQ(stats.queued_open(), 0U);
  // What is found later waits with them, and keeps the crawl from its end no more than they do.
  EXPECT_EQ(Schedule({"http://a/late"}).queued, 1U);
  EXPECT_TRUE(HasFinished());
  EXPECT_EQ(frontier().Stats().queued_given_up, 51U);
}

TEST_F(PolitenessTest, AnAnswerThatWasUnderWayMakesAHostWellAgain) {
  options_.host_failures_max = 2;
  options_.connections_per_host = 3;
  options_.delay = seconds(0);
  Schedule({"http://a/1", "http://a/2", "http://a/3", "http://a/4"});
  AnswerRobots(1);
  std::vector<Lease> out;
  for (int i = 0; i < 3; ++i) out.push_back(Take());
  const Ending silent{.host = HostState::kFailing, .retry = true};
  frontier().End(std::move(out[0]), silent);
  frontier().End(std::move(out[1]), silent);
  EXPECT_EQ(frontier().Stats().queued_given_up, 3U);
  EXPECT_FALSE(HasFinished());  // a lease is out
  frontier().End(std::move(out[2]), Ending{});
  EXPECT_EQ(frontier().Stats().hosts_dead, 0U);
  EXPECT_EQ(frontier().Stats().queued_given_up, 0U);
  out.clear();
  EXPECT_EQ(CrawlAll().size(), 3U);
}

TEST_F(PolitenessTest, Row6_AHostThatNeverAnswersBacksOff) {
  options_.retry_delay = seconds(10);
  Schedule({"http://a/1", "http://a/2", "http://a/3", "http://a/4"});
  const Ending silent{.response_time = seconds(60), .host = HostState::kFailing};
  frontier().End(FirstPage(), silent);
  base::Duration before{0};
  for (int i = 0; i < 3; ++i) {
    EXPECT_GE(Wait(), before);
    before = Wait();
    clock_.Advance(before);
    frontier().End(Take(), silent);
  }
  EXPECT_GE(before, seconds(20));
}

// ---- The crawl's own network

class OutageTest : public PolitenessTest {
 protected:
  // `hosts` hosts of `pages` pages, each with an address of its own or all with one, that have
  // answered once.
  void HostsThatAnswer(int hosts, int pages, bool one_address = false) {
    std::vector<std::string> texts;
    for (int i = 0; i < hosts; ++i) {
      for (int page = 0; page < pages; ++page) {
        texts.push_back("http://h" + std::to_string(i) + "/" + std::to_string(page));
      }
    }
    Schedule(texts);
    for (int i = 0; i < hosts; ++i) {
      const std::string address = "192.0.2." + std::to_string(one_address ? 1 : i + 1);
      frontier().EndRobots(Take(), Ending{.address = address}, RobotsKnown{});
    }
  }
  // As a crawl would: two attempts more at most, but for an outage.
  void EndSilent(Lease page) {
    const bool again = page.candidate().attempt < 2 || frontier().InOutage();
    attempts_max_ = std::max(attempts_max_, page.candidate().attempt);
    lost_ += again ? 0 : 1;
    frontier().End(std::move(page), Ending{.host = HostState::kSilent, .retry = again});
  }

  std::uint32_t attempts_max_ = 0;
  int lost_ = 0;
};

TEST_F(OutageTest, CostsNoPageAndNoHost) {
  constexpr int kHosts = 12;
  HostsThatAnswer(kHosts, 3);
  const base::Time back = clock_.Now() + hours(3);
  int asked_in_vain = 0;
  int answered = 0;
  while (std::optional<Lease> page = NextPage()) {
    if (clock_.Now() < back) {
      ++asked_in_vain;
      EndSilent(std::move(*page));
      continue;
    }
    ++answered;
    frontier().End(std::move(*page), Ending{});
    EXPECT_FALSE(frontier().InOutage());
  }
  EXPECT_EQ(answered, kHosts * 3);
  EXPECT_EQ(lost_, 0);
  EXPECT_EQ(frontier().Stats().hosts_dead, 0U);
  // What was under way when it began counts, and nothing else.
  EXPECT_LE(attempts_max_, 1U);
  EXPECT_LE(asked_in_vain, kHosts + hours(3) / Outage::kProbeEvery);
}

TEST_F(OutageTest, IsSeenInTheStatisticsAndInTheWaiting) {
  HostsThatAnswer(12, 1);
  EXPECT_EQ(frontier().Stats().outage, base::Duration(0));
  for (std::size_t i = 0; i < Outage::kAddresses; ++i) {
    EXPECT_FALSE(frontier().InOutage());
    EndSilent(*NextPage());
  }
  EXPECT_TRUE(frontier().InOutage());
  EXPECT_EQ(Wait(), Outage::kProbeEvery);
  clock_.Advance(Wait());
  EXPECT_EQ(frontier().Stats().outage, Outage::kProbeEvery);
  Lease probe = Take();
  EXPECT_EQ(Wait(), Outage::kProbeEvery);
  frontier().End(std::move(probe), Ending{});
  EXPECT_FALSE(frontier().InOutage());
  EXPECT_EQ(frontier().Stats().outage, base::Duration(0));
  frontier().End(Take(), Ending{});  // and the others need not wait for it
}

TEST_F(OutageTest, IsNotWhereHostsShareAnAddress) {
  HostsThatAnswer(12, 1, true);
  for (int i = 0; i < 12; ++i) EndSilent(*NextPage());
  EXPECT_FALSE(frontier().InOutage());
}

TEST_F(OutageTest, IsNotWhereAnybodyAnswers) {
  HostsThatAnswer(15, 1);
  for (int i = 0; i < 15; ++i) {
    std::optional<Lease> page = NextPage();
    if (i == 7) {
      frontier().End(std::move(*page), Ending{.host = HostState::kFailing});
    } else {
      EndSilent(std::move(*page));
    }
    EXPECT_FALSE(frontier().InOutage());
  }
}

// It was sent before, and looked at late.
TEST_F(OutageTest, IsNotEndedByAnAnswerFromBefore) {
  HostsThatAnswer(9, 2);
  std::optional<Lease> early = NextPage();
  clock_.Advance(seconds(1));
  for (std::size_t i = 0; i < Outage::kAddresses; ++i) EndSilent(*NextPage());
  EXPECT_TRUE(frontier().InOutage());
  frontier().End(std::move(*early), Ending{});
  EXPECT_TRUE(frontier().InOutage());
  clock_.Advance(Wait());
  frontier().End(Take(), Ending{});
  EXPECT_FALSE(frontier().InOutage());
}

// At the end of a crawl there may be no others left.
TEST_F(OutageTest, IsNotWhereHostsHadFailedBefore) {
  HostsThatAnswer(7, 1);
  while (std::optional<Lease> page = NextPage()) EndSilent(std::move(*page));
  EXPECT_EQ(lost_, 7);
  EXPECT_FALSE(frontier().InOutage());
}

TEST_F(OutageTest, IsTakenForTheHostsOwnAfterADay) {
  HostsThatAnswer(8, 1);
  const base::Time start = clock_.Now();
  while (std::optional<Lease> page = NextPage()) EndSilent(std::move(*page));
  EXPECT_EQ(lost_, 8);
  EXPECT_GE(clock_.Now() - start, Outage::kLongest);
  EXPECT_LE(clock_.Now() - start, Outage::kLongest + hours(1));
}

// ---- Hosts together

TEST_F(PolitenessTest, Row66_TenThousandVirtualHostsShareTheDelayOfTheirAddress) {
  options_.hosts_at_once_per_address = 4;
  constexpr int kHosts = 10'000;
  std::vector<std::string> texts;
  for (int i = 0; i < kHosts; ++i) texts.push_back("http://v" + std::to_string(i) + ".test/");
  Schedule(texts);
  // What is asked first tells the address.
  for (int i = 0; i < kHosts; ++i) {
    frontier().EndRobots(Take(), AnsweredFrom("192.0.2.7"), RobotsKnown{});
  }
  const base::Time start = clock_.Now();
  int pages = 0;
  base::Time last{};
  while (std::optional<Lease> page = NextPage()) {
    if (pages++ > 0) {
      ASSERT_GE(clock_.Now() - last, milliseconds(250));
    }
    last = clock_.Now();
    frontier().End(std::move(*page), AnsweredFrom("192.0.2.7"));
  }
  EXPECT_EQ(pages, kHosts);  // none is forgotten in the line
  EXPECT_GE(clock_.Now() - start, milliseconds(250) * (kHosts - 1));
  EXPECT_TRUE(HasFinished());
}

TEST_F(PolitenessTest, HostsAtOtherAddressesDoNotWait) {
  options_.hosts_at_once_per_address = 1;
  Schedule({"http://a.test/", "http://b.test/", "http://c.test/"});
  frontier().EndRobots(Take(), AnsweredFrom("192.0.2.7"), RobotsKnown{});
  frontier().EndRobots(Take(), AnsweredFrom("192.0.2.7"), RobotsKnown{});
  frontier().EndRobots(Take(), AnsweredFrom("192.0.2.8"), RobotsKnown{});
  clock_.Advance(seconds(1));
  Lease a = Take();
  EXPECT_EQ(a.url().host(), "a.test");
  Lease c = Take();
  EXPECT_EQ(c.url().host(), "c.test");
  EXPECT_TRUE(MustWaitForChange());
  frontier().End(std::move(a), AnsweredFrom("192.0.2.7"));
  EXPECT_EQ(Wait(), seconds(1));
  clock_.Advance(seconds(1));
  EXPECT_EQ(Take().url().host(), "b.test");
}

TEST_F(PolitenessTest, HostsOfADomainAreAskedAFewAtATime) {
  options_.hosts_at_once_per_domain = 2;
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) {
    texts.push_back("http://h" + std::to_string(i) + ".example.com/");
  }
  Schedule(texts);
  std::vector<Lease> out;
  out.push_back(Take());
  EXPECT_EQ(Wait(), milliseconds(500));
  clock_.Advance(milliseconds(500));
  out.push_back(Take());
  EXPECT_TRUE(MustWaitForChange());  // two connections, whatever the time
  clock_.Advance(hours(1));
  EXPECT_TRUE(MustWaitForChange());
  frontier().EndRobots(std::move(out[0]), Ending{}, RobotsKnown{});
  EXPECT_EQ(Wait(), milliseconds(500));
  frontier().EndRobots(std::move(out[1]), Ending{}, RobotsKnown{});
  out.clear();
  EXPECT_EQ(CrawlAll().size(), 100U);
  EXPECT_TRUE(HasFinished());
}

TEST_F(PolitenessTest, ALeaseGivenBackLeavesTheLineMoving) {
  options_.hosts_at_once_per_domain = 1;
  Schedule({"http://a.example.com/", "http://b.example.com/"});
  {
    Lease dropped = Take();
    EXPECT_TRUE(MustWaitForChange());
  }
  clock_.Advance(seconds(1));
  EXPECT_EQ(CrawlAll().size(), 2U);
}

TEST_F(PolitenessTest, APageThatIsNotAskedForCostsItsGroupsNoTime) {
  options_.hosts_at_once_per_domain = options_.hosts_at_once_per_address = 1;
  std::vector<std::string> texts;
  for (const char* host : {"a", "b", "c"}) {
    texts.push_back(std::string("http://") + host + ".example.com/");
  }
  Schedule(texts);
  for (int i = 0; i < 3; ++i) {
    frontier().EndRobots(Take(), AnsweredFrom("192.0.2.7"), RobotsKnown{});
    clock_.Advance(seconds(1));
  }
  frontier().End(Take(), Ending{.requested = false});  // denied by robots.txt, say
  Lease dropped = Take();
  frontier().End(std::move(dropped), AnsweredFrom("192.0.2.7"));
  EXPECT_EQ(Wait(), seconds(1)) << "what was asked for does";
}

TEST_F(PolitenessTest, WhatIsGivenBackLateTakesNothingFromALaterRequest) {
  options_.hosts_at_once_per_domain = 2;
  Schedule({"http://a.example.com/", "http://b.example.com/", "http://c.example.com/"});
  Lease first = Take();
  clock_.Advance(milliseconds(500));
  frontier().EndRobots(Take(), Ending{}, RobotsKnown{});
  frontier().EndRobots(std::move(first), Ending{.requested = false}, RobotsKnown{});
  EXPECT_EQ(Wait(), milliseconds(500));
}

TEST_F(PolitenessTest, TheWholeCrawlKeepsItsRate) {
  options_.requests_per_second_max = 10;
  options_.delay = seconds(0);
  std::vector<std::string> texts;
  for (int i = 0; i < 200; ++i) texts.push_back("http://h" + std::to_string(i) + "/");
  Schedule(texts);
  const base::Time start = clock_.Now();
  EXPECT_EQ(CrawlAll().size(), 200U);
  EXPECT_GE(clock_.Now() - start, milliseconds(100) * (2 * 200 - 3));  // robots.txt counts
  EXPECT_LE(clock_.Now() - start, milliseconds(100) * (2 * 200));
}

// ---- Budgets

TEST_F(PolitenessTest, Row63_InfiniteSubdomains) {
  options_.hosts_per_domain_max = 100;
  options_.pages_per_domain_max = 150;
  ScheduleCounts counts;
  for (int i = 0; i < 5'000; ++i) {
    counts += Schedule({"http://trap-" + std::to_string(i) + ".example.com/"});
  }
  EXPECT_EQ(counts.queued, 100U);
  EXPECT_EQ(Over(counts, ScheduleLimit::kHostsPerDomain), 4'900U);
  EXPECT_EQ(frontier().Stats().hosts, 100U);
  // Another registered domain is not concerned.
  EXPECT_EQ(Schedule({"http://www.example.org/"}).queued, 1U);
  ScheduleCounts more;
  for (int i = 0; i < 100; ++i)
    more += Schedule({"http://trap-1.example.com/" + std::to_string(i)});
  EXPECT_EQ(more.queued, 50U);
  EXPECT_EQ(Over(more, ScheduleLimit::kPagesPerDomain), 50U);
}

TEST_F(PolitenessTest, Row68_ATextGeneratorEndsAtTheBudgetOfItsHost) {
  options_.pages_per_host_max = 30;
  Schedule({"http://babel/0"});
  int pages = 0;
  while (std::optional<Lease> page = NextPage()) {
    ++pages;
    Schedule({"http://babel/" + std::to_string(2 * pages),
              "http://babel/" + std::to_string(2 * pages + 1)});
    frontier().End(std::move(*page), Ending{});
  }
  EXPECT_EQ(pages, 30);
  EXPECT_TRUE(HasFinished());
}

}  // namespace
}  // namespace frontier
