#include "crawler/crawl/crawl.h"

#include <gmock/gmock.h>
#include <pthread.h>

#include <chrono>
#include <map>
#include <string>

#include "crawler/data/text_store.h"
#include "tests/crawler/crawl/crawl_fixture.h"

namespace crawler {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

using Strings = std::set<std::string>;

TEST_F(CrawlTest, CrawlsWhatIsLinkedAndCountsEveryPageOnce) {
  web_.Page("http://a.test/", Html(Prose(1, 200), {"b", "c", "missing"}));
  web_.Page("http://a.test/b", Html(Prose(2, 200), {"/", "c"}));
  web_.Page("http://a.test/c", Html(Prose(3, 200), {"http://b.test/"}));
  web_.Page("http://b.test/", Html(Prose(4, 200)));
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), 4U);
  EXPECT_EQ(end.statistics.Of(Disposition::kClientError), 1U);
  EXPECT_EQ(end.statistics.Ended(), 5U);
  EXPECT_EQ(end.frontier.pages, 5U);
  EXPECT_EQ(Urls("pages.jsonl"),
            (Strings{"http://a.test/", "http://a.test/b", "http://a.test/c", "http://b.test/"}));
  for (const MemoryWeb::Request& request : web_.requests()) {
    EXPECT_EQ(web_.CountOf(request.url), 1) << request.url;
  }
}

TEST_F(CrawlTest, TheLastContentTypeIsBelieved) {
  FetchResponse twice = MemoryWeb::Html(Html("\xc1 " + Prose(1, 200), {"b"}));
  twice.headers = {{"content-type", "text/plain"}, {"content-type", "text/html; charset=koi8-r"}};
  web_.Set("http://a.test/", twice);
  web_.Page("http://a.test/b", Html(Prose(2, 200)));
  EXPECT_EQ(Run({"http://a.test/"}).statistics.Of(Disposition::kStored), 2U);
  EXPECT_THAT(Log("pages.jsonl").front().at("title").get<std::string>(), HasSubstr("\u0430"));
}

TEST_F(CrawlTest, ADuplicatesLinksAreNotFollowed) {
  std::string body = Html(Prose(1, 200), {"http://a.test/only-here"});
  web_.Page("http://a.test/", Html(Prose(9, 200), {"one"}));
  web_.Page("http://a.test/one", Html(Prose(1, 200), {"two"}));
  // The same text in other bytes, with a link that nobody else has.
  web_.Page("http://a.test/two", Html(Prose(1, 200), {"only-here"}));
  web_.Page("http://a.test/only-here", Html(Prose(2, 200)));
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), 2U);
  EXPECT_EQ(end.statistics.Of(Disposition::kExactText), 1U);
  EXPECT_EQ(end.statistics.links_not_followed, 1U);
  EXPECT_EQ(web_.CountOf("http://a.test/only-here"), 0);
}

TEST_F(CrawlTest, NamesEachKindOfDuplicateWithItsOriginal) {
  std::string text = Prose(1, 1000);
  web_.Page("http://a.test/", Html(Prose(9, 200), {"original"}));
  web_.Page("http://a.test/original", Html(text, {"bytes", "text", "near"}));
  web_.Page("http://a.test/bytes", Html(text, {"bytes", "text", "near"}));
  web_.Page("http://a.test/text", Html(text, {"/"}));
  web_.Page("http://a.test/near", Html(text + " once more", {}));
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), 2U);

  std::map<std::string, std::string> kinds;
  for (const auto& line : Log("skipped.jsonl")) {
    kinds[line.at("url")] = line.at("kind");
    EXPECT_EQ(line.at("original_url"), "http://a.test/original") << line;
    EXPECT_EQ(line.at("k"), 3);
    EXPECT_LE(line.at("distance").get<int>(), 3);
    EXPECT_EQ(line.at("referrer"), "http://a.test/original");
    EXPECT_EQ(line.at("depth"), 2);
  }
  EXPECT_EQ(kinds, (std::map<std::string, std::string>{{"http://a.test/bytes", "exact-bytes"},
                                                       {"http://a.test/text", "exact-text"},
                                                       {"http://a.test/near", "near"}}));
}

TEST_F(CrawlTest, ARedirectIsAUrlLikeAnyOther) {
  web_.Set("http://a.test/", MemoryWeb::Status(301, {{"location", "/home"}}));
  web_.Set("http://a.test/home", MemoryWeb::Status(302, {{"location", "http://www.a.test/x"}}));
  web_.Page("http://www.a.test/x", Html(Prose(1, 200)));
  options_.scope.reach = frontier::ScopeReach::kHost;  // a seed's redirect widens it
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(end.statistics.Of(Disposition::kRedirected), 2U);
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), 1U);
  auto pages = Log("pages.jsonl");
  ASSERT_EQ(pages.size(), 1U);
  EXPECT_EQ(pages[0].at("url"), "http://a.test/");
  EXPECT_EQ(pages[0].at("final_url"), "http://www.a.test/x");
  EXPECT_EQ(web_.CountOf("http://www.a.test/robots.txt"), 1);
}

TEST_F(CrawlTest, RedirectLoopsEndByTheirHopBudget) {
  web_.SetAnswer("http://a.test/self", [](int) {
    return MemoryWeb::Status(302, {{"location", "/self"}});
  });
  for (int i = 0; i < 20; ++i) {
    web_.Set("http://a.test/" + std::to_string(i),
             MemoryWeb::Status(302, {{"location", "/" + std::to_string(i + 1)}}));
  }
  CrawlSnapshot end = Run({"http://a.test/self", "http://a.test/0"});
  EXPECT_EQ(web_.CountOf("http://a.test/self"), 1);
  EXPECT_EQ(web_.CountOf("http://a.test/5"), 1);
  EXPECT_EQ(web_.CountOf("http://a.test/6"), 0);
  EXPECT_EQ(end.statistics.Of(Disposition::kRedirected), 7U);
}

TEST_F(CrawlTest, TwoDifferentLocationsAreNoRedirect) {
  web_.Set("http://a.test/", MemoryWeb::Status(302, {{"location", "/x"}, {"location", "/y"}}));
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(end.statistics.Of(Disposition::kProtocol), 1U);
  EXPECT_EQ(web_.CountOf("http://a.test/x") + web_.CountOf("http://a.test/y"), 0);
}

TEST_F(CrawlTest, RobotsTxtIsAskedFirstAndObeyed) {
  web_.Robots("http://a.test", "User-agent: *\nDisallow: /private/");
  web_.Page("http://a.test/", Html(Prose(1, 200), {"/private/x", "/public"}));
  web_.Page("http://a.test/private/x", Html(Prose(2, 200)));
  web_.Page("http://a.test/public", Html(Prose(3, 200)));
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(end.statistics.Of(Disposition::kRobotsDenied), 1U);
  EXPECT_EQ(web_.CountOf("http://a.test/private/x"), 0);
  EXPECT_EQ(web_.requests().front().url, "http://a.test/robots.txt");
  EXPECT_EQ(end.statistics.Ended(), 3U);
}

TEST_F(CrawlTest, PagesOfAnUnreachableRobotsTxtWaitForTheNextStart) {
  web_.Set("http://a.test/robots.txt", MemoryWeb::Status(503));
  web_.Page("http://a.test/", Html(Prose(1, 200)));
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(end.statistics.Ended(), 0U);
  EXPECT_EQ(end.frontier.queued_given_up, 1U);
  EXPECT_EQ(web_.CountOf("http://a.test/robots.txt"), 3);
  EXPECT_EQ(web_.CountOf("http://a.test/"), 0);
  web_.Robots("http://a.test", "");
  EXPECT_EQ(Run({"http://a.test/"}).statistics.Of(Disposition::kStored), 1U);
}

// RFC 9309 section 2.4: what is unreachable is used for longer.
TEST_F(CrawlTest, RobotsTxtThatCannotBeRenewedIsBelievedMeanwhile) {
  std::vector<std::string> links = {"/private/first", "/private/last"};
  for (int i = 0; i < 100; ++i) {
    links.insert(links.end() - 1, "/" + std::to_string(i));
    web_.Page("http://a.test/" + std::to_string(i), Html(Prose(static_cast<unsigned>(i), 100)));
  }
  web_.Page("http://a.test/", Html(Prose(200, 100), links));
  web_.SetAnswer("http://a.test/robots.txt", [](int nth) {
    if (nth > 1 && nth < 4) return MemoryWeb::Status(503);
    return MemoryWeb::Html("User-agent: *\nDisallow: /private/\n");
  });
  options_.frontier.delay = seconds(10);
  options_.frontier.robots_valid_max = seconds(90);
  const CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_GT(web_.CountOf("http://a.test/robots.txt"), 4);
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), 101U);
  EXPECT_EQ(end.statistics.Of(Disposition::kRobotsDenied), 2U);
  EXPECT_EQ(end.frontier.queued, 0U);
}

TEST_F(CrawlTest, RobotsTxtThatComesBackIsUsed) {
  web_.SetAnswer("http://a.test/robots.txt", [](int nth) {
    return nth == 1 ? MemoryWeb::Failure(FetchError::kTimeout) : MemoryWeb::Status(404);
  });
  web_.Page("http://a.test/", Html(Prose(1, 200)));
  EXPECT_EQ(Run({"http://a.test/"}).statistics.Of(Disposition::kStored), 1U);
}

TEST_F(CrawlTest, RobotsTxtThatFindsNoRoomInMemoryIsObeyedAllTheSame) {
  options_.pipeline.robots_cache_bytes_max = 1;
  options_.journal.commit_interval = std::chrono::milliseconds(0);
  std::vector<std::string> seeds;
  for (int i = 0; i < 10; ++i) {
    const std::string origin = "http://h" + std::to_string(i) + ".test";
    if (i % 2 == 0) web_.Robots(origin, "User-agent: *\nDisallow: /no");
    web_.Page(origin + "/", Html(Prose(static_cast<unsigned>(i), 100), {"/no", "/yes"}));
    web_.Page(origin + "/yes", Html(Prose(static_cast<unsigned>(100 + i), 100)));
    web_.Page(origin + "/no", Html(Prose(static_cast<unsigned>(200 + i), 100)));
    seeds.push_back(origin + "/");
  }
  options_.frontier.pages_max = 15;
  Run(seeds);
  options_.frontier.pages_max = 1'000;
  const CrawlSnapshot end = Run({});
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), 25u);
  EXPECT_EQ(end.statistics.Of(Disposition::kRobotsDenied), 5u);
  EXPECT_GT(end.statistics.limits.Of(Limit::kRobotsMemory), 0u);
}

TEST_F(CrawlTest, RobotsTxtMayBeRedirectedToAnotherHost) {
  web_.Set("http://a.test/robots.txt",
           MemoryWeb::Status(301, {{"location", "http://b.test/rules"}}));
  web_.Page("http://b.test/rules", "User-agent: *\nDisallow: /x");
  web_.Page("http://a.test/", Html(Prose(1, 200), {"x"}));
  web_.Page("http://a.test/x", Html(Prose(2, 200)));
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), 1U);
  EXPECT_EQ(end.statistics.Of(Disposition::kRobotsDenied), 1U);
}

TEST_F(CrawlTest, RobotsTxtRedirectsAreRelativeToTheHopBefore) {
  web_.Set("http://a.test/robots.txt", MemoryWeb::Status(301, {{"location", "http://b.test/x/"}}));
  web_.Set("http://b.test/x/", MemoryWeb::Status(302, {{"location", "rules"}}));
  web_.Page("http://b.test/x/rules", "User-agent: *\nDisallow: /");
  web_.Page("http://a.test/", Html(Prose(1, 200)));
  EXPECT_EQ(Run({"http://a.test/"}).statistics.Of(Disposition::kRobotsDenied), 1U);
}

TEST_F(CrawlTest, RobotsTxtLimitIsItsOwn) {
  web_.Robots("http://a.test", "User-agent: *\nDisallow: /x\nDisallow: /y\n");
  web_.Page("http://a.test/y", Html(Prose(1, 200)));
  options_.robots.body_bytes_max = 30;  // ends within the second rule
  EXPECT_EQ(Run({"http://a.test/y"}).statistics.Of(Disposition::kStored), 1U);
}

TEST_F(CrawlTest, ALineOfRobotsTxtThatTheLimitCutsIsNotObeyed) {
  const std::string obeyed = "User-agent: *\nDisallow: /\nAllow: /";
  web_.Robots("http://a.test", obeyed + "public/\n");
  web_.Page("http://a.test/y", Html(Prose(1, 200)));
  options_.robots.body_bytes_max = obeyed.size();
  EXPECT_EQ(Run({"http://a.test/y"}).statistics.Of(Disposition::kRobotsDenied), 1U);
}

TEST_F(CrawlTest, AUrlOfASitemapThatTheLimitCutsIsNotAskedFor) {
  const std::string read = "http://a.test/one\nhttp://a.test/tw";
  web_.Robots("http://a.test", "Sitemap: http://a.test/s.txt\n");
  web_.Page("http://a.test/s.txt", read + "o\n");
  web_.Page("http://a.test/", Html(Prose(1, 200)));
  web_.Page("http://a.test/one", Html(Prose(2, 200)));
  options_.sitemaps.limits.body_bytes_max = read.size();
  Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://a.test/one"), 1);
  EXPECT_EQ(web_.CountOf("http://a.test/tw"), 0);
}

TEST_F(CrawlTest, ASeedThatIsASitemapNamesPages) {
  web_.Page("http://a.test/sitemap_index.xml",
            "<sitemapindex><sitemap><loc>http://a.test/more.xml</loc></sitemap></sitemapindex>");
  web_.Page("http://a.test/more.xml",
            "<urlset><url><loc>http://a.test/1</loc></url>"
            "<url><loc>http://b.test/other</loc></url></urlset>");
  web_.Page("http://a.test/1", Html(Prose(1, 200)));
  options_.scope.reach = frontier::ScopeReach::kHost;
  const CrawlSnapshot end = Run({"http://a.test/sitemap_index.xml"});
  EXPECT_EQ(end.statistics.Of(Disposition::kSitemap), 2U);
  EXPECT_EQ(Urls("pages.jsonl"), Strings{"http://a.test/1"});
  EXPECT_EQ(web_.CountOf("http://b.test/other"), 0);
}

TEST_F(CrawlTest, APageThatIsNamedAsASitemapIsAPage) {
  web_.Robots("http://a.test", "Sitemap: /sitemap.html\nSitemap: /moved.xml\nSitemap: /empty.xml");
  web_.Page("http://a.test/", Html(Prose(1, 100), {"/sitemap.html", "/home"}));
  web_.Page("http://a.test/sitemap.html", Html(Prose(2, 100), {"/1", "/2"}));
  web_.Set("http://a.test/moved.xml", MemoryWeb::Status(302, {{"location", "/home"}}));
  web_.Page("http://a.test/home", Html(Prose(3, 100), {"/3"}));
  web_.Page("http://a.test/empty.xml", "<urlset></urlset>");
  for (unsigned i = 1; i <= 3; ++i) {
    web_.Page("http://a.test/" + std::to_string(i), Html(Prose(10 + i, 100)));
  }
  const StatisticsSnapshot counts = Run({"http://a.test/"}).statistics;
  EXPECT_EQ(Urls("pages.jsonl"),
            (Strings{"http://a.test/", "http://a.test/sitemap.html", "http://a.test/home",
                     "http://a.test/1", "http://a.test/2", "http://a.test/3"}));
  EXPECT_EQ(counts.Of(Disposition::kSitemap), 1U) << "the empty one";
  EXPECT_EQ(counts.Pages(), 9U) << "/home as what the page links to, and the sitemap leads to";
}

// As a sitemap it may be longer than a page.
TEST_F(CrawlTest, APageThatIsNamedAsASitemapMayBeNoLongerThanOthers) {
  options_.fetch.body_bytes_max = 20'000;
  web_.Robots("http://a.test", "Sitemap: /long.html\nSitemap: /short.html");
  web_.Page("http://a.test/", Html(Prose(1, 100)));
  web_.Page("http://a.test/long.html", Html(Prose(2, 10'000)));
  web_.Page("http://a.test/short.html", Html(Prose(3, 100)));
  const StatisticsSnapshot counts = Run({"http://a.test/"}).statistics;
  EXPECT_EQ(counts.Of(Disposition::kTooLarge), 1U);
  EXPECT_EQ(counts.Of(Disposition::kStored), 2U);
}

// Nobody asked for one.
TEST_F(CrawlTest, APartOfAPageIsNoPageAndAPartOfARobotsTxtNoFile) {
  FetchResponse part = MemoryWeb::Html(Html(Prose(1, 100)));
  part.status = 206;
  web_.Page("http://a.test/", Html(Prose(2, 100), {"/part", "http://b.test/"}));
  web_.Set("http://a.test/part", part);
  web_.Set("http://b.test/robots.txt", part);
  web_.Page("http://b.test/", Html(Prose(3, 100)));
  const CrawlSnapshot end = Run({"http://a.test/", "http://b.test/"});
  EXPECT_EQ(Urls("pages.jsonl"), (Strings{"http://a.test/"}));
  EXPECT_EQ(end.statistics.Of(Disposition::kOtherStatus), 1U);
  EXPECT_EQ(web_.CountOf("http://b.test/"), 0);
}

TEST_F(CrawlTest, RobotsTxtRedirectsKeepThePaceOfTheHostThatTheyLeadTo) {
  web_.Robots("http://hub.test", "User-agent: *\nCrawl-delay: 3\nDisallow: /x");
  std::vector<std::string> seeds = {"http://hub.test/", "http://hub.test/y"};
  web_.Page("http://hub.test/", Html(Prose(90, 200)));
  web_.Page("http://hub.test/y", Html(Prose(91, 200)));
  for (unsigned i = 0; i < 12; ++i) {
    const std::string origin = "http://h" + std::to_string(i) + ".test";
    web_.Set(origin + "/robots.txt",
             MemoryWeb::Status(301, {{"location", "http://hub.test/robots.txt"}}));
    web_.Page(origin + "/", Html(Prose(i, 200), {"x"}));
    seeds.push_back(origin + "/");
  }
  const StatisticsSnapshot counts = Run(seeds).statistics;
  EXPECT_EQ(counts.Of(Disposition::kStored), 14U);
  EXPECT_EQ(counts.Of(Disposition::kRobotsDenied), 12U);
  std::optional<base::Time> last;
  int asked = 0;
  for (const MemoryWeb::Request& request : web_.requests()) {
    if (!request.url.starts_with("http://hub.test/")) continue;
    if (last) {
      EXPECT_GE(request.when - *last, seconds(asked == 1 ? 1 : 3)) << request.url;
    }
    last = request.when;
    ++asked;
  }
  EXPECT_EQ(asked, 1 + 2 + 12);
}

TEST_F(CrawlTest, AHostIsNotBlamedForWhereItsRobotsTxtRedirectsTo) {
  web_.Set("http://a.test/robots.txt",
           MemoryWeb::Status(301, {{"location", "http://b.test/robots.txt"}}));
  web_.Set("http://b.test/robots.txt", MemoryWeb::Failure(FetchError::kConnect));
  web_.Page("http://a.test/", Html(Prose(1, 200)));
  web_.Page("https://a.test/", Html(Prose(2, 200)));
  options_.frontier.host_failures_max = 1;
  const CrawlSnapshot end = Run({"http://a.test/", "https://a.test/"});
  EXPECT_EQ(end.frontier.hosts_dead, 1U) << "b.test";
  EXPECT_EQ(end.frontier.queued_given_up, 1U);
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), 1U);
}

// By way of another file of its own it is that host which answers.
TEST_F(CrawlTest, AHostThatAsksToWaitBehindARedirectOfItsRobotsTxtIsWaitedFor) {
  web_.Set("http://a.test/robots.txt", MemoryWeb::Status(301, {{"location", "/rules.txt"}}));
  base::Time said{};
  web_.SetAnswer("http://a.test/rules.txt", [&](int nth) {
    if (nth > 1) return MemoryWeb::Status(404);
    said = clock_.Now();
    return MemoryWeb::Status(429, {{"retry-after", "600"}});
  });
  std::vector<std::string> seeds = {"http://a.test/"};
  for (int i = 0; i < 5; ++i) seeds.push_back("https://a.test/" + std::to_string(i));
  Run(seeds);
  ASSERT_NE(said, base::Time{});
  int later = 0;
  for (const MemoryWeb::Request& request : web_.requests()) {
    if (request.when <= said) continue;
    ++later;
    EXPECT_GE(request.when - said, seconds(600)) << request.url;
  }
  EXPECT_GE(later, 6);
}

TEST_F(CrawlTest, RobotsTxtThatAsksToWaitIsWaitedFor) {
  web_.SetAnswer("http://a.test/robots.txt", [](int nth) {
    return nth == 1 ? MemoryWeb::Status(503, {{"retry-after", "600"}}) : MemoryWeb::Status(404);
  });
  web_.Page("http://a.test/", Html(Prose(1, 200)));
  base::Time start = clock_.Now();
  EXPECT_EQ(Run({"http://a.test/"}).statistics.Of(Disposition::kStored), 1U);
  EXPECT_GE(clock_.Now() - start, seconds(600));
}

TEST_F(CrawlTest, AWaitThatIsCutIsCountedOnceAnAnswer) {
  web_.SetAnswer("http://a.test/robots.txt", [](int nth) {
    return nth == 1 ? MemoryWeb::Status(503, {{"retry-after", "7200"}}) : MemoryWeb::Status(404);
  });
  web_.Page("http://a.test/", Html(Prose(1, 200)));
  const base::Time start = clock_.Now();
  EXPECT_EQ(Run({"http://a.test/"}).statistics.limits.Of(Limit::kRetryAfter), 1U);
  EXPECT_GE(clock_.Now() - start, options_.frontier.park_max);
  EXPECT_LT(clock_.Now() - start, options_.frontier.park_max + seconds(60));
}

// Threads for whose stacks there is no room, as where a limit on threads is reached.
TEST_F(CrawlTest, WithoutAThreadItFailsWithASentence) {
  auto crawl = Create();
  ASSERT_TRUE(crawl) << crawl.error().message;
  pthread_attr_t usual, huge;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_attr_init(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 46), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  const base::Status status = (*crawl)->Run();
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("starts no thread"));
}

TEST_F(CrawlTest, AFailureOfRobotsTxtThatCannotPassEndsItsPagesAtOnceAndByItsName) {
  web_.Set("http://a.test/robots.txt", MemoryWeb::Failure(FetchError::kAddressDenied));
  web_.Page("http://a.test/", Html(Prose(1, 200)));
  EXPECT_EQ(Run({"http://a.test/"}).statistics.Of(Disposition::kAddressDenied), 1U);
  EXPECT_EQ(web_.CountOf("http://a.test/robots.txt"), 1);
}

TEST_F(CrawlTest, ATitleOfMegabytesIsCut) {
  web_.Page("http://a.test/",
            "<title>" + std::string(1'500'000, '\x01') + "</title>" + Html(Prose(1, 200)));
  Run({"http://a.test/"});
  auto pages = Log("pages.jsonl");
  ASSERT_EQ(pages.size(), 1U);
  EXPECT_LE(pages[0].at("title").get<std::string>().size(), 1024U);
}

// A part of it would be a URL that is nowhere, and the page one that names another as canonical.
TEST_F(CrawlTest, ACanonicalUrlStandsInTheLogsWholeOrNotAtAll) {
  const std::string longest = "/" + std::string(1'990, 'q');
  const std::string too_long = "/" + std::string(40'000, 'q');
  web_.Page("http://a.test/", Html(Prose(1, 200) + "<link rel=canonical href=" + longest + ">"));
  web_.Page("http://b.test/", Html(Prose(2, 200) + "<link rel=canonical href=" + too_long + ">"));
  Run({"http://a.test/", "http://b.test/"});
  std::map<std::string, std::string> named;
  for (const auto& page : Log("pages.jsonl")) named[page.at("url")] = page.at("canonical");
  EXPECT_EQ(named["http://a.test/"], longest);
  EXPECT_EQ(named["http://b.test/"], "");
}

TEST_F(CrawlTest, AHostIsNeverAskedSoonerThanItsDelay) {
  std::vector<std::string> links;
  for (int i = 0; i < 30; ++i) {
    links.push_back("http://a.test/" + std::to_string(i));
    web_.Page(links.back(), Html(Prose(static_cast<unsigned>(i), 100)));
    links.push_back("http://b.test/" + std::to_string(i));
    web_.Page(links.back(), Html(Prose(static_cast<unsigned>(100 + i), 100)));
  }
  web_.Robots("http://b.test", "User-agent: *\nCrawl-delay: 4");
  web_.Page("http://a.test/", Html(Prose(200, 100), links));
  options_.frontier.delay = seconds(1);
  Run({"http://a.test/"});
  std::map<std::string, base::Time> last;
  for (const MemoryWeb::Request& request : web_.requests()) {
    std::string host(frontier::Url::Parse(request.url)->host());
    auto found = last.find(host);
    if (found != last.end()) {
      bool after_robots = host == "a.test" || request.url == "http://b.test/0";
      EXPECT_GE(request.when - found->second, after_robots ? seconds(1) : seconds(4))
          << request.url;
    }
    last[host] = request.when;
  }
}

TEST_F(CrawlTest, AFailureThatMayPassIsTriedAgain) {
  web_.SetAnswer("http://a.test/", [](int nth) {
    return nth < 3 ? MemoryWeb::Status(503, {{"retry-after", "60"}})
                   : MemoryWeb::Html(Html(Prose(1, 200)));
  });
  base::Time start = clock_.Now();
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(end.statistics.Of(Disposition::kRetry), 2U);
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), 1U);
  EXPECT_EQ(end.statistics.Pages(), 1U);
  EXPECT_GE(clock_.Now() - start, seconds(120));
}

TEST_F(CrawlTest, AFailureThatStaysIsCountedByItsKind) {
  web_.Set("http://a.test/t", MemoryWeb::Failure(FetchError::kTimeout));
  web_.Set("http://a.test/d", MemoryWeb::Failure(FetchError::kAddressDenied));
  web_.Set("http://a.test/5", MemoryWeb::Status(500));
  web_.Set("http://a.test/9", MemoryWeb::Status(999));
  CrawlSnapshot end =
      Run({"http://a.test/t", "http://a.test/d", "http://a.test/5", "http://a.test/9"});
  EXPECT_EQ(end.statistics.Of(Disposition::kTimeout), 1U);
  EXPECT_EQ(end.statistics.Of(Disposition::kAddressDenied), 1U);
  EXPECT_EQ(end.statistics.Of(Disposition::kServerError), 1U);
  EXPECT_EQ(end.statistics.Of(Disposition::kOtherStatus), 1U);
  EXPECT_EQ(end.statistics.Of(Disposition::kRetry), 4U);
  EXPECT_EQ(web_.CountOf("http://a.test/d"), 1);
  EXPECT_EQ(Urls("other.jsonl"),
            (Strings{"http://a.test/t", "http://a.test/d", "http://a.test/5", "http://a.test/9"}));
}

TEST_F(CrawlTest, PagesThatAskNotToBeIndexedLeaveNoTrace) {
  std::string text = Prose(1, 200);
  web_.Page("http://a.test/", "<meta name=robots content=noindex><a href=b></a>" + Html(text));
  web_.Page("http://a.test/b", Html(text, {"c"}));  // the same text, but that one was not kept
  FetchResponse tagged = MemoryWeb::Html(Html(Prose(2, 200), {"d"}));
  tagged.headers.emplace_back("x-robots-tag", "nofollow");
  web_.Set("http://a.test/c", tagged);
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(Urls("pages.jsonl"), (Strings{"http://a.test/b", "http://a.test/c"}));
  EXPECT_EQ(end.statistics.Of(Disposition::kNoIndex), 1U);
  EXPECT_EQ(web_.CountOf("http://a.test/d"), 0);
}

TEST_F(CrawlTest, EmptyPagesAreNoDuplicatesOfOneAnother) {
  web_.Page("http://a.test/", Html(Prose(1, 200), {"e1", "e2", "e3"}));
  web_.Page("http://a.test/e1", "<html></html>");
  web_.Page("http://a.test/e2", "<html></html>");
  web_.Page("http://a.test/e3", "");
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(end.statistics.Of(Disposition::kEmpty), 3U);
  EXPECT_EQ(end.statistics.InGroup(DispositionGroup::kSkipped), 0U);
}

TEST_F(CrawlTest, OnlyTextWithinTheLimitIsJudged) {
  FetchResponse image = MemoryWeb::Html(std::string("\x89PNG\r\n\x1a\n\0\0\0", 11));
  image.headers = {{"content-type", "image/png"}};
  web_.Set("http://a.test/i", image);
  FetchResponse cut = MemoryWeb::Html(Html(Prose(1, 200)));
  cut.body_cut = true;
  web_.Set("http://a.test/l", cut);
  CrawlSnapshot end = Run({"http://a.test/i", "http://a.test/l"});
  EXPECT_EQ(end.statistics.Of(Disposition::kNotText), 1U);
  EXPECT_EQ(end.statistics.Of(Disposition::kTooLarge), 1U);
  EXPECT_EQ(end.seen.documents, 0U);
}

TEST_F(CrawlTest, BaseAndNofollowAreRespected) {
  web_.Page("http://a.test/",
            "<base href=/dir/><a href=x></a><a rel=nofollow href=y></a>" + Html(Prose(1, 200)));
  web_.Page("http://a.test/dir/x", Html(Prose(2, 200)));
  Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://a.test/dir/x"), 1);
  EXPECT_EQ(web_.CountOf("http://a.test/dir/y"), 0);
}

TEST_F(CrawlTest, EndsWhenThePageBudgetIsSpent) {
  std::vector<std::string> links;
  for (int i = 0; i < 50; ++i) {
    links.push_back("http://a.test/" + std::to_string(i));
    web_.Page(links.back(), Html(Prose(static_cast<unsigned>(i), 100)));
  }
  web_.Page("http://a.test/", Html(Prose(99, 100), links));
  options_.frontier.pages_max = 10;
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(end.statistics.Pages(), 10U);
  EXPECT_EQ(end.frontier.queued, 41U);
}

TEST_F(CrawlTest, WhatIsNotRequestedIsNotOfTheBudget) {
  std::vector<std::string> links;
  for (int i = 0; i < 20; ++i) links.push_back("/private/" + std::to_string(i));
  links.push_back("/allowed");
  web_.Robots("http://a.test", "User-agent: *\nDisallow: /private/");
  web_.Page("http://a.test/", Html(Prose(1, 100), links));
  web_.Page("http://a.test/allowed", Html(Prose(2, 100)));
  options_.frontier.pages_max = 2;
  const CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(end.statistics.Of(Disposition::kRobotsDenied), 20U);
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), 2U);
}

TEST_F(CrawlTest, EndsWhenItsTimeIsOverAndGoesOnAtTheNextStart) {
  web_.Otherwise("http://", [this](const std::string& url) {
    clock_.Advance(seconds(40));
    if (url.ends_with("/robots.txt")) return MemoryWeb::Status(404);
    return MemoryWeb::Html(Html(Prose(static_cast<unsigned>(url.size()), 200)));
  });
  options_.crawl.time_max = seconds(100);
  CrawlSnapshot end = Run({"http://a.test/1", "http://b.test/22", "http://c.test/333"});
  EXPECT_EQ(web_.requests().size(), 3U);  // of six
  EXPECT_EQ(end.time_max_reached, 100U);
  EXPECT_GT(end.frontier.queued, 0U);
  options_.crawl.time_max = seconds(0);
  end = Run({});
  EXPECT_EQ(end.time_max_reached, 0U);
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), 3U);
}

TEST_F(CrawlTest, ItsTimeIsOverWhileItWaitsForAHost) {
  web_.Page("http://a.test/", Html(Prose(1, 200)));
  options_.frontier.delay = options_.frontier.delay_max = std::chrono::hours(1);
  options_.crawl.time_max = seconds(600);
  const base::Time began = clock_.Now();
  const CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(clock_.Now() - began, seconds(600));
  EXPECT_EQ(end.time_max_reached, 600U);
  EXPECT_EQ(web_.CountOf("http://a.test/"), 0);
}

TEST_F(CrawlTest, AStoppedCrawlKeepsWhatWasDoneAndGivesTheRestBack) {
  std::unique_ptr<Crawl> crawl;
  web_.Page("http://a.test/", Html(Prose(1, 100), {"b", "c", "d"}));
  web_.SetAnswer("http://a.test/b", [&](int) {
    crawl->Stop();
    return MemoryWeb::Html(Html(Prose(2, 100)));
  });
  auto made = Create();
  ASSERT_TRUE(made);
  crawl = std::move(*made);
  ASSERT_TRUE(crawl->AddSeeds({*frontier::Url::Parse("http://a.test/")}));
  EXPECT_TRUE(crawl->Run());
  CrawlSnapshot end = crawl->Snapshot();
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), 2U);
  EXPECT_EQ(end.frontier.queued, 2U);
  EXPECT_EQ(end.frontier.leased, 0U);
}

TEST_F(CrawlTest, AStopBetweenARobotsTxtAndItsRedirectLeavesNothingBehind) {
  std::unique_ptr<Crawl> crawl;
  web_.SetAnswer("http://a.test/robots.txt", [&](int) {
    crawl->Stop();
    return MemoryWeb::Status(301, {{"location", "https://a.test/robots.txt"}});
  });
  auto made = Create();
  ASSERT_TRUE(made);
  crawl = std::move(*made);
  ASSERT_TRUE(crawl->AddSeeds({*frontier::Url::Parse("http://a.test/")}));
  EXPECT_TRUE(crawl->Run());
  EXPECT_EQ(crawl->Snapshot().frontier.queued, 1U);
  EXPECT_EQ(crawl->Snapshot().frontier.leased, 0U);
}

TEST_F(CrawlTest, Row102_ErasesAnEarlierCrawlWhenAskedButNeverARunningOne) {
  web_.Page("http://a.test/", Html(Prose(1, 100)));
  Run({"http://a.test/"});
  auto second = Create(Crawl::Earlier::kErase);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_TRUE(Log("pages.jsonl").empty());
  auto third = Create(Crawl::Earlier::kErase);
  ASSERT_FALSE(third);
  EXPECT_NE(third.error().message.find("in use by process"), std::string::npos);
}

// A web of copies: whatever the number of threads and the order, each text is stored once, its
// copies are skipped, and no text is lost.
class CrawlThreadsTest : public CrawlTest,
                         public ::testing::WithParamInterface<std::pair<unsigned, unsigned>> {};

TEST_P(CrawlThreadsTest, EveryTextIsStoredOnceWhateverTheThreads) {
  constexpr int kTexts = 120;
  constexpr int kCopies = 4;
  std::vector<std::string> all;
  for (int text = 0; text < kTexts; ++text) {
    for (int copy = 0; copy < kCopies; ++copy) {
      all.push_back("http://h" + std::to_string(copy) + ".test/" + std::to_string(text));
      // Copies 0 and 1 are the same bytes; 2 has other markup; 3 differs by two words.
      std::string body = Prose(static_cast<unsigned>(text), 800);
      if (copy == 3) body += " seen twice";
      web_.Page(all.back(), Html(body) + (copy == 2 ? "<!-- mirror -->" : ""));
    }
  }
  web_.Page("http://seed.test/", Html(Prose(5000, 300), all));
  // Two words of 800 are 1.5 bits on average and, for one text in a hundred, more than 3.
  options_.contentseen.k = 6;
  options_.crawl.fetch_threads = GetParam().first;
  options_.crawl.process_threads = GetParam().second;
  options_.frontier.connections_per_host = 8;
  options_.frontier.delay = seconds(0);
  CrawlSnapshot end = Run({"http://seed.test/"});

  EXPECT_EQ(end.statistics.Of(Disposition::kStored), kTexts + 1U);
  EXPECT_EQ(end.statistics.InGroup(DispositionGroup::kSkipped), kTexts * (kCopies - 1U));
  EXPECT_EQ(end.statistics.Ended(), all.size() + 1);
  EXPECT_EQ(end.frontier.pages, all.size() + 1);
  std::set<std::string> stored = Urls("pages.jsonl");
  std::set<std::string> texts;
  for (const std::string& url : stored) texts.insert(url.substr(url.rfind('/')));
  EXPECT_EQ(texts.size(), kTexts + 1U);
  // Every original named in the skip log is a stored page with the same text.
  for (const auto& line : Log("skipped.jsonl")) {
    std::string original = line.at("original_url");
    std::string url = line.at("url");
    EXPECT_TRUE(stored.contains(original)) << line;
    EXPECT_EQ(original.substr(original.rfind('/')), url.substr(url.rfind('/')));
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, CrawlThreadsTest,
                         ::testing::Values(std::pair(1U, 1U), std::pair(1U, 2U), std::pair(2U, 2U),
                                           std::pair(3U, 8U)));

TEST_F(CrawlTest, ATextIsNamedByWhetherItIsKeptAndNotByWhetherThisRunKeepsAny) {
  for (const char host : {'a', 'b'}) {
    web_.Page(std::string("http://") + host + ".test/", Html(Prose(1, 200)));
  }
  Run({"http://a.test/"});
  options_.texts.keep = false;
  Run({"http://b.test/"});
  const auto lines = Log("skipped.jsonl");
  ASSERT_EQ(lines.size(), 1U);
  const auto texts = OpenTextStoreForReading(data_ / kTextStoreName);
  ASSERT_TRUE(texts) << texts.error().message;
  for (const char* name : {"text_id", "original_text_id"}) {
    const auto text = (*texts)->Get(lines[0].at(name).get<std::uint64_t>());
    EXPECT_TRUE(text && *text) << name;
  }
}

// The crawl's own network is down for ten minutes, in the middle of everything: robots.txt, first
// attempts and retries.
TEST_F(CrawlTest, AnOutageCostsTimeAndNoPage) {
  constexpr int kHosts = 14;
  const base::Time start = clock_.Now();
  const base::Time down = start + std::chrono::seconds(3);
  const base::Time back = down + std::chrono::minutes(10);
  std::vector<std::string> seeds;
  for (int i = 0; i < kHosts; ++i) {
    const std::string root = "http://h" + std::to_string(i) + ".test/";
    // Some are met before it, some only then.
    if (i < 10) seeds.push_back(root);
    web_.Otherwise(root, [this, i, root, down, back](const std::string& url) {
      if (clock_.Now() >= down && clock_.Now() < back) {
        return MemoryWeb::Failure(FetchError::kConnect);
      }
      FetchResponse answer = MemoryWeb::Status(404);
      if (!url.ends_with("/robots.txt")) {
        const int page = url == root ? 0 : std::stoi(url.substr(root.size()));
        const std::string elsewhere = "http://h" + std::to_string(10 + i % 4) + ".test/";
        answer = MemoryWeb::Html(Html(Prose(static_cast<unsigned>(100 * i + page), 120),
                                      {"/" + std::to_string(std::min(page + 1, 6)), elsewhere}));
      }
      answer.address = "192.0.2." + std::to_string(i + 1);
      return answer;
    });
  }
  Run(seeds);
  EXPECT_EQ(Urls("pages.jsonl").size(), kHosts * 7U);
  EXPECT_GE(clock_.Now(), back);
  EXPECT_LE(clock_.Now() - back, std::chrono::minutes(5));
}

}  // namespace
}  // namespace crawler
