// Rows of hostile-inputs.md that show in a whole crawl, over a web in memory on a fake clock.

#include <gmock/gmock.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string_view>

#include "crawler/data/other_log.h"
#include "crawler/data/page_log.h"
#include "crawler/data/skip_log.h"
#include "crawler/report/metrics.h"
#include "crawler/report/progress.h"
#include "crawler/report/report.h"
#include "crawler/report/template_alarm.h"
#include "crawler/warc/warc_reader.h"
#include "tests/crawler/crawl/crawl_fixture.h"

namespace crawler {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class HostileCrawlTest : public CrawlTest {
 protected:
  static FetchResponse To(std::string location, int status = 302) {
    return MemoryWeb::Status(status, {{"location", std::move(location)}});
  }
  std::uint64_t Of(const CrawlSnapshot& end, Disposition disposition) const {
    return end.statistics.Of(disposition);
  }
  std::uint64_t Of(const CrawlSnapshot& end, Limit limit) const {
    return end.statistics.limits.Of(limit);
  }
  std::uint64_t OverLimit(const CrawlSnapshot& end, frontier::ScheduleLimit limit) const {
    return end.statistics.limits.over_limit[static_cast<std::size_t>(limit)];
  }
  std::uint64_t OutOfScope(const CrawlSnapshot& end, frontier::ScopeVerdict verdict) const {
    return end.statistics.limits.out_of_scope[static_cast<std::size_t>(verdict)];
  }
};

TEST_F(HostileCrawlTest, Row31_RedirectLoops) {
  web_.Set("http://a.test/", To("/b"));
  web_.Set("http://a.test/b", To("/"));
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://a.test/"), 1);
  EXPECT_EQ(Of(end, Disposition::kRedirected), 2u);
}

TEST_F(HostileCrawlTest, Row32_RedirectsThatGrow) {
  std::string path = "/";
  for (int i = 0; i < 50; ++i) {
    const std::string next = path + "x" + std::to_string(i) + "/";
    web_.Set("http://a.test" + path, To(next));
    path = next;
  }
  web_.Set("http://b.test/", To("/" + std::string(100'000, 'y')));
  CrawlSnapshot end = Run({"http://a.test/", "http://b.test/"});
  // The hop budget ends the one, the length of a URL the other.
  EXPECT_EQ(Of(end, Disposition::kRedirected), 6u);
  EXPECT_EQ(Of(end, Disposition::kProtocol), 1u);
}

TEST_F(HostileCrawlTest, Row34_RedirectsIntoThePrivateNetwork) {
  // The target is a URL like any other: it goes through the fetcher's door by itself.
  web_.Set("http://a.test/", To("http://169.254.169.254/latest/meta-data/"));
  FetchResponse denied = MemoryWeb::Failure(FetchError::kAddressDenied);
  web_.Set("http://169.254.169.254/robots.txt", denied);
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://169.254.169.254/latest/meta-data/"), 0);
  EXPECT_EQ(Of(end, Disposition::kAddressDenied), 1u);
}

TEST_F(HostileCrawlTest, Row35_FromHttpsToHttp) {
  web_.Set("https://a.test/", To("http://a.test/"));
  web_.Page("http://a.test/", Html(Prose(1, 100)));
  CrawlSnapshot end = Run({"https://a.test/"});
  EXPECT_EQ(Of(end, Disposition::kStored), 1u);
}

TEST_F(HostileCrawlTest, Row36_EverythingLeadsToLogin) {
  std::vector<std::string> links;
  for (int i = 0; i < 20; ++i) {
    links.push_back("/" + std::to_string(i));
    web_.Set("http://a.test" + links.back(), To("/login"));
  }
  web_.Page("http://a.test/", Html(Prose(1, 100), links));
  web_.Page("http://a.test/login", Html(Prose(2, 100)));
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://a.test/login"), 1);
  EXPECT_EQ(Of(end, Disposition::kRedirected), 20u);
  EXPECT_EQ(Of(end, Disposition::kStored), 2u);
}

TEST_F(HostileCrawlTest, Row37_MetaRefreshLoops) {
  for (int i = 0; i < 30; ++i) {
    web_.Page("http://a.test/" + std::to_string(i), "<meta http-equiv=refresh content='0;url=/" +
                                                        std::to_string(i + 1) + "'><p>" +
                                                        Prose(static_cast<unsigned>(i), 100));
  }
  CrawlSnapshot end = Run({"http://a.test/0"});
  EXPECT_EQ(Of(end, Disposition::kStored), 6u) << "the page and the budget of five hops";
}

TEST_F(HostileCrawlTest, Row37_TheHeaderRefreshGoesTheSameWay) {
  for (int i = 0; i < 30; ++i) {
    FetchResponse response = MemoryWeb::Html("<p>" + Prose(static_cast<unsigned>(i), 100));
    response.headers.emplace_back("refresh", "0; url=/" + std::to_string(i + 1));
    web_.Set("http://a.test/" + std::to_string(i), std::move(response));
  }
  web_.Set("http://b.test/", MemoryWeb::Status(200, {{"refresh", "5"}, {"refresh", "x;url=/y"}}));
  CrawlSnapshot end = Run({"http://a.test/0", "http://b.test/"});
  EXPECT_EQ(Of(end, Disposition::kStored), 6u) << "the page and the budget of five hops";
  EXPECT_EQ(web_.CountOf("http://b.test/y"), 0);
  EXPECT_EQ(OverLimit(end, frontier::ScheduleLimit::kRedirects), 1u);
}

TEST_F(HostileCrawlTest, Row39_ARedirectToItself) {
  web_.Set("http://a.test/", MemoryWeb::Status(302, {{"location", "/"}, {"set-cookie", "a=1"}}));
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://a.test/"), 1);
  EXPECT_EQ(Of(end, Disposition::kRedirected), 1u);
}

TEST_F(HostileCrawlTest, Row56_BaseThatMisleads) {
  web_.Page("http://a.test/1/",
            "<base href='javascript:alert(1)'><p>" + Prose(1, 100) + "<a href=x></a>");
  web_.Page("http://a.test/2/", "<base href='/other/'><base href='http://evil.test/'><p>" +
                                    Prose(2, 100) + "<a href=y></a>");
  Run({"http://a.test/1/", "http://a.test/2/"});
  EXPECT_EQ(web_.CountOf("http://a.test/1/x"), 1);
  EXPECT_EQ(web_.CountOf("http://a.test/other/y"), 1);
  EXPECT_EQ(web_.CountOf("http://evil.test/y"), 0);
}

TEST_F(HostileCrawlTest, Row62_FacetsInMoreThanEightParameters) {
  std::vector<std::string> links;
  std::string query;
  for (int i = 0; i < 20; ++i) {
    query += (i == 0 ? "?p" : "&p") + std::to_string(i) + "=1";
    links.push_back("/shop" + query);
  }
  web_.Page("http://a.test/", Html(Prose(1, 100), links));
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(Of(end, Disposition::kClientError), 8u) << "of 404 answered by the shop";
  EXPECT_EQ(OutOfScope(end, frontier::ScopeVerdict::kTooManyParameters), 12u);
}

TEST_F(HostileCrawlTest, Row65_MirrorsAndOtherNames) {
  for (const char* host : {"http://a.test", "http://www.a.test", "http://192.0.2.1"}) {
    web_.Page(std::string(host) + "/", Html(Prose(1, 100), {"/p"}));
    web_.Page(std::string(host) + "/p", Html(Prose(2, 100)));
  }
  CrawlSnapshot end = Run({"http://a.test/", "http://www.a.test/", "http://192.0.2.1/"});
  // Of a mirror the first page is enough to know it: its links are not followed, but a seed's.
  EXPECT_EQ(Of(end, Disposition::kStored), 2u);
  EXPECT_EQ(Of(end, Disposition::kExactBytes), 4u);
}

TEST_F(HostileCrawlTest, Row67_HoneypotsForThoseWhoDoNotObey) {
  web_.Robots("http://a.test", "User-agent: *\nDisallow: /trap");
  web_.Page("http://a.test/", "<p>" + Prose(1, 100) +
                                  "<a style='display:none' href=/trap>x</a>"
                                  "<a rel=nofollow href=/nofollow>y</a>");
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://a.test/trap"), 0);
  EXPECT_EQ(web_.CountOf("http://a.test/nofollow"), 0);
  EXPECT_EQ(Of(end, Disposition::kRobotsDenied), 1u);
}

TEST_F(HostileCrawlTest, Row68_EndlessPagesThatAreNeverTheSame) {
  for (int i = 0; i < 200; ++i) {
    web_.Page("http://a.test/" + std::to_string(i),
              Html(Prose(static_cast<unsigned>(i), 100), {"/" + std::to_string(i + 1)}));
  }
  options_.frontier.pages_per_host_max = 30;
  options_.scope.depth_max = 1'000;
  CrawlSnapshot end = Run({"http://a.test/0"});
  EXPECT_EQ(Of(end, Disposition::kStored), 30u);
}

TEST_F(HostileCrawlTest, Row83_ATemplateThatDominatesRaisesAnAlarm) {
  const std::string around = Prose(1, 2'000);
  std::vector<std::string> links;
  for (int i = 0; i < 30; ++i) {
    links.push_back("/item/" + std::to_string(i));
    web_.Page("http://a.test" + links.back(),
              Html(around + " " + Prose(static_cast<unsigned>(i) + 10, 3)));
  }
  web_.Page("http://a.test/", Html(Prose(9, 100), links));
  options_.contentseen.detector = "simhash";  // compares the whole text
  auto crawl = Create();
  ASSERT_TRUE(crawl) << crawl.error().message;
  (*crawl)->AddSeeds({*frontier::Url::Parse("http://a.test/")});
  ASSERT_TRUE((*crawl)->Run());
  const auto hosts = (*crawl)->Busiest(10);
  ASSERT_EQ(hosts.size(), 1u);
  EXPECT_EQ(hosts[0].near, 29u);
  EXPECT_TRUE(IsTemplateAlarm(hosts[0].near, hosts[0].pages));
  EXPECT_THAT(TemplateAlarm(hosts[0].name, hosts[0].near, hosts[0].pages),
              HasSubstr("On a.test 29 of 31 pages"));
  EXPECT_FALSE(IsTemplateAlarm(19, 19)) << "too few to tell";
  EXPECT_FALSE(IsTemplateAlarm(80, 100));
}

TEST_F(HostileCrawlTest, Row84_ContentThatDiffersInAFewWords) {
  web_.Page("http://a.test/", Html(Prose(1, 600) + " visited 17 times", {"/again"}));
  web_.Page("http://a.test/again", Html(Prose(1, 600) + " visited 18 times"));
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(Of(end, Disposition::kStored), 1u);
  EXPECT_EQ(Of(end, Disposition::kNear), 1u);
}

TEST_F(HostileCrawlTest, Row86_RobotsTxtThatFails) {
  web_.Set("http://a.test/robots.txt", MemoryWeb::Status(503));
  web_.Set("http://b.test/robots.txt", MemoryWeb::Failure(FetchError::kTimeout));
  web_.Set("http://c.test/robots.txt", MemoryWeb::Status(429));
  web_.Set("http://d.test/robots.txt", MemoryWeb::Failure(FetchError::kReset));
  std::vector<std::string> seeds;
  for (const char* host : {"a", "b", "c", "d"}) {
    seeds.push_back("http://" + std::string(host) + ".test/");
    web_.Page(seeds.back(), Html(Prose(1, 100)));
  }
  CrawlSnapshot end = Run(seeds);
  for (const std::string& seed : seeds) {
    EXPECT_EQ(web_.CountOf(seed), 0) << seed;
    EXPECT_EQ(web_.CountOf(seed + "robots.txt"), 3) << seed;
  }
  EXPECT_EQ(Of(end, Disposition::kStored), 0u);
}

TEST_F(HostileCrawlTest, Row87_RobotsTxtThatIsNotThere) {
  std::vector<std::string> seeds;
  for (const int status : {404, 403, 401, 410, 400}) {
    const std::string origin = "http://s" + std::to_string(status) + ".test";
    web_.Set(origin + "/robots.txt", MemoryWeb::Status(status));
    seeds.push_back(origin + "/");
    web_.Page(seeds.back(), Html(Prose(static_cast<unsigned>(status), 100)));
  }
  EXPECT_EQ(Of(Run(seeds), Disposition::kStored), 5u);
}

TEST_F(HostileCrawlTest, Row88_RobotsTxtRedirectsAreFiveAndOfTheFirstHost) {
  for (int i = 0; i < 5; ++i) {
    web_.Set("http://r" + std::to_string(i) + ".test/robots.txt",
             To("http://r" + std::to_string(i + 1) + ".test/robots.txt"));
  }
  web_.Robots("http://r5.test", "User-agent: *\nDisallow: /private");
  web_.Set("http://loop.test/robots.txt", To("/robots.txt"));
  web_.Page("http://r0.test/private", Html(Prose(1, 100)));
  web_.Page("http://r5.test/", Html(Prose(2, 100)));
  web_.Page("http://loop.test/", Html(Prose(3, 100)));
  CrawlSnapshot end = Run({"http://r0.test/private", "http://loop.test/"});
  EXPECT_EQ(web_.CountOf("http://r0.test/private"), 0);
  EXPECT_EQ(web_.CountOf("http://loop.test/"), 1) << "more than five: as if there were none";
  EXPECT_EQ(Of(end, Disposition::kRobotsDenied), 1u);
}

TEST_F(HostileCrawlTest, Row93_SitemapsThatPointToThemselves) {
  web_.Robots("http://a.test", "Sitemap: http://a.test/index.xml\nSitemap: /pages.txt");
  web_.Set("http://a.test/index.xml",
           MemoryWeb::Html("<sitemapindex><sitemap><loc>http://a.test/index.xml</loc></sitemap>"
                           "<sitemap><loc>http://a.test/part.xml</loc></sitemap></sitemapindex>"));
  web_.Set("http://a.test/part.xml",
           MemoryWeb::Html("<sitemapindex><sitemap><loc>http://a.test/deeper.xml</loc></sitemap>"
                           "</sitemapindex>"));
  web_.Set("http://a.test/deeper.xml",
           MemoryWeb::Html("<sitemapindex><sitemap><loc>http://a.test/deepest.xml</loc></sitemap>"
                           "</sitemapindex>"));
  web_.Set("http://a.test/pages.txt", MemoryWeb::Html("http://a.test/listed\n"));
  web_.Page("http://a.test/", Html(Prose(1, 100)));
  web_.Page("http://a.test/listed", Html(Prose(2, 100)));
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://a.test/index.xml"), 1);
  EXPECT_EQ(web_.CountOf("http://a.test/part.xml"), 1);
  EXPECT_EQ(web_.CountOf("http://a.test/deeper.xml"), 1);
  EXPECT_EQ(web_.CountOf("http://a.test/deepest.xml"), 0);
  EXPECT_EQ(Of(end, Limit::kSitemapDepth), 1u);
  EXPECT_EQ(web_.CountOf("http://a.test/listed"), 1);
  EXPECT_EQ(Of(end, Disposition::kSitemap), 4u);
  EXPECT_EQ(Of(end, Disposition::kStored), 2u);
}

TEST_F(HostileCrawlTest, WhenAPageChangedStandsInTheLogAsTheSitemapSaysIt) {
  web_.Robots("http://a.test", "Sitemap: /index.xml");
  web_.Set("http://a.test/index.xml",
           MemoryWeb::Html("<sitemapindex><sitemap><loc>/s.xml</loc><lastmod>2020-01-01</lastmod>"
                           "</sitemap></sitemapindex>"));
  web_.Set("http://a.test/s.xml",
           MemoryWeb::Html("<urlset><url><loc>/1</loc><lastmod>2026-11-21T10:00:00Z</lastmod>"
                           "</url><url><loc>/2</loc><lastmod>of late</lastmod></url>"
                           "<url><loc>/copy</loc><lastmod>2025</lastmod></url></urlset>"));
  web_.Page("http://a.test/1", Html(Prose(1, 100)));
  web_.Page("http://a.test/2", Html(Prose(2, 100)));
  web_.Set("http://a.test/copy", MemoryWeb::Status(301, {{"location", "/moved"}}));
  web_.Page("http://a.test/moved", Html(Prose(1, 100)));
  options_.scope.depth_max = 1;  // counts links; a sitemap below an index is none
  Run({"http://a.test/"});
  std::map<std::string, std::string> modified;
  for (const char* log : {kPageLogName, kSkipLogName}) {
    for (const auto& line : Log(log)) modified[line.at("url")] = line.at("sitemap_lastmod");
  }
  EXPECT_EQ(modified["http://a.test/1"], "2026-11-21T10:00:00Z");
  EXPECT_EQ(modified["http://a.test/2"], "of late");
  EXPECT_EQ(modified["http://a.test/copy"], "2025") << "what redirects goes on with it";
}

TEST_F(HostileCrawlTest, EachLimitHitIsCountedAndOutlivesTheProcess) {
  web_.Robots("http://a.test", "User-agent: *\nCrawl-delay: 4000\n" + std::string(600'000, '#'));
  web_.Set("http://c.test/robots.txt", To("/rules.txt"));
  web_.Set("http://c.test/rules.txt", To("/robots.txt"));
  web_.Page("http://c.test/", Html("c"));
  std::string many;
  for (int i = 0; i < 30; ++i) many += "<a href=/many/" + std::to_string(i) + "></a>";
  std::string deep;
  for (int i = 0; i < 600; ++i) deep += "<div>";
  std::string tables;
  for (int i = 0; i < 1'000; ++i) tables += "<table></table>";
  web_.Page("http://a.test/", "<p>" + Prose(1, 50) + many);
  web_.Page("http://b.test/", "<p>" + Prose(2, 50) + "<a href=/" + std::string(3000, 'x') +
                                  "></a>" + "<a href=/a/b/c/d></a>" + deep);
  web_.Page("http://d.test/", "<p>" + Prose(3, 50) + tables);
  web_.Set("http://e.test/", MemoryWeb::Status(503, {{"retry-after", "99999999"}}));
  options_.parser.links_max = 10;
  options_.parser.tree_input_bytes_max = 8'000;
  options_.scope.path_segments_max = 3;
  options_.robots.body_bytes_max = 500 * 1024;
  options_.pipeline.retries_max = 0;
  const std::vector<std::string> seeds = {"http://a.test/", "http://b.test/", "http://c.test/",
                                          "http://d.test/", "http://e.test/"};
  CrawlSnapshot end = Run(seeds);
  EXPECT_EQ(Of(end, Limit::kLinksPerPage), 20u);
  EXPECT_EQ(Of(end, Limit::kUrlBytes), 1u);
  EXPECT_EQ(Of(end, Limit::kParseDepth), 1u);
  EXPECT_EQ(Of(end, Limit::kParseBytes), 1u);
  EXPECT_EQ(Of(end, Limit::kCrawlDelay), 1u);
  EXPECT_EQ(Of(end, Limit::kRetryAfter), 1u);
  EXPECT_EQ(Of(end, Limit::kRobotsRedirects), 1u);
  EXPECT_EQ(OutOfScope(end, frontier::ScopeVerdict::kPathTooDeep), 1u);
  EXPECT_THAT(SummaryText(end), HasSubstr("links-per-page       parser.links_max"));
  const auto json = nlohmann::json::parse(SummaryJson(end));
  EXPECT_EQ(json.at("limits").at("parse-depth"), 1);
  EXPECT_THAT(MetricsText(end), HasSubstr("contentseen_limits_total{limit=\"url-bytes\"} 1"));
  auto report = ReadReport(data_, ReportLimits{});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->limits.own, end.statistics.limits.own);
  auto again = Create();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ((*again)->Snapshot().statistics.limits.own, end.statistics.limits.own);
  EXPECT_EQ((*again)->Snapshot().statistics.limits.out_of_scope,
            end.statistics.limits.out_of_scope);
}

TEST(LimitTest, EachNamesAnOptionThatThereIs) {
  Options options;
  const OptionTable table = DeclareOptions(options);
  std::set<std::string_view> names;
  const LimitHits none;
  VisitLimits(none, [&](std::string_view name, std::string_view option, std::uint64_t) {
    EXPECT_TRUE(names.insert(name).second) << name;
    if (!option.empty()) {
      EXPECT_NE(table.Find(option), nullptr) << name << ": " << option;
    }
  });
}

TEST_F(HostileCrawlTest, Row95_SitemapsSpeakForTheirOwnHostOnly) {
  web_.Robots("http://a.test", "Sitemap: http://maps.test/a.xml");
  web_.Set("http://maps.test/a.xml",
           MemoryWeb::Html("<urlset><url><loc>http://a.test/1</loc></url>"
                           "<url><loc>http://maps.test/2</loc></url>"
                           "<url><loc>http://victim.test/3</loc></url>"
                           "<url><loc>http://a.test.evil.test/4</loc></url></urlset>"));
  Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://a.test/1"), 1);
  EXPECT_EQ(web_.CountOf("http://maps.test/2"), 1);
  EXPECT_EQ(web_.CountOf("http://victim.test/3"), 0);
  EXPECT_EQ(web_.CountOf("http://a.test.evil.test/4"), 0);
}

TEST_F(HostileCrawlTest, SitemapsAreLeftAloneWhenSwitchedOff) {
  web_.Robots("http://a.test", "Sitemap: http://a.test/s.xml");
  options_.sitemaps.use = false;
  Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://a.test/s.xml"), 0);
}

TEST_F(HostileCrawlTest, ASitemapOutOfScopeOrForbiddenIsNotAskedFor) {
  web_.Robots("http://a.test",
              "Sitemap: http://a.test/no.xml\nSitemap: http://b.test/s.xml\n"
              "User-agent: *\nDisallow: /no");
  options_.scope.reach = frontier::ScopeReach::kHost;
  Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://a.test/no.xml"), 0);
  EXPECT_EQ(web_.CountOf("http://b.test/s.xml"), 0);
}

constexpr auto kTenYears = std::chrono::hours(24 * 3'650);

TEST_F(HostileCrawlTest, Row97_TheWallClockJumpsAndNothingComesOfIt) {
  for (int i = 0; i < 6; ++i) {
    web_.SetAnswer("http://a.test/" + std::to_string(i), [this, i](int) {
      clock_.JumpWall(i % 2 == 0 ? kTenYears : -2 * kTenYears);
      return MemoryWeb::Html(
          Html(Prose(static_cast<unsigned>(i), 100), {"/" + std::to_string(i + 1)}));
    });
  }
  options_.frontier.delay = std::chrono::seconds(2);
  CrawlSnapshot end = Run({"http://a.test/0"});
  EXPECT_EQ(Of(end, Disposition::kStored), 6u);
  EXPECT_EQ(web_.CountOf("http://a.test/robots.txt"), 1);
  const auto requests = web_.requests();
  for (std::size_t i = 1; i < requests.size(); ++i) {
    // The clock of this test may go on while a page is worked at, by a commit's interval.
    EXPECT_GE(requests[i].when - requests[i - 1].when, std::chrono::seconds(2));
    EXPECT_LE(requests[i].when - requests[i - 1].when, std::chrono::seconds(4));
  }
}

TEST_F(HostileCrawlTest, Row97_AClockThatWasSetBackWhileACrawlStoodStillStopsItForAnHourAtMost) {
  web_.SetAnswer("http://a.test/", [this](int nth) {
    if (nth > 1) return MemoryWeb::Html(Html(Prose(1, 100)));
    return MemoryWeb::Status(503, {{"retry-after", "1800"}});
  });
  auto first = Create();
  ASSERT_TRUE(first) << first.error().message;
  (*first)->AddSeeds({*frontier::Url::Parse("http://a.test/")});
  Crawl& crawl = **first;
  web_.SetAnswer("http://a.test/robots.txt", [&crawl](int nth) {
    if (nth == 1) crawl.Stop();  // the page is asked for by the next process
    return MemoryWeb::Status(503, {{"retry-after", "1800"}});
  });
  ASSERT_TRUE(crawl.Run());
  first->reset();
  web_.Robots("http://a.test", "");
  clock_.JumpWall(-kTenYears);
  const base::Time began = clock_.Now();
  CrawlSnapshot end = Run({});
  EXPECT_EQ(Of(end, Disposition::kStored), 1u);
  EXPECT_LE(clock_.Now() - began,
            options_.frontier.park_max * 2 + options_.frontier.robots_valid_max);
}

TEST_F(HostileCrawlTest, Row115_ACopyThatIsMetFirstCannotHideASiteIfOneSaysSo) {
  const std::string home = Html(Prose(1, 200), {"/a", "/b"});
  const std::vector<std::string> hosts = {"http://copier.test/", "http://victim.test/",
                                          "http://www.copier.test/"};
  for (const std::string& host : hosts) web_.Page(host, home);
  web_.Page("http://start.test/", Html(Prose(2, 200), hosts));
  for (const char* page : {"/a", "/b"}) {
    web_.Page("http://victim.test" + std::string(page), Html(Prose(page[1], 200)));
  }
  options_.crawl.process_threads = 1;
  options_.pipeline.follow_copies_of_other_sites = true;
  CrawlSnapshot end = Run({"http://start.test/"});
  EXPECT_EQ(Of(end, Disposition::kExactBytes), 2u);
  EXPECT_EQ(web_.CountOf("http://victim.test/a") + web_.CountOf("http://victim.test/b"), 2);
  EXPECT_EQ(web_.CountOf("http://www.copier.test/a"), 0) << "the same registered domain";
  for (const auto& line : Log(kSkipLogName)) {
    const bool victim = line.at("url") == "http://victim.test/";
    EXPECT_EQ(line.at("links_not_followed"), victim ? 0 : 2) << line;
    EXPECT_FALSE(line.at("digest").get<std::string>().empty());
    EXPECT_EQ(line.at("same_bytes_as"), "http://copier.test/") << line;
    EXPECT_EQ(line.at("text_id"), line.at("original_text_id")) << line;
  }
}

TEST_F(HostileCrawlTest, Row115_TheSiteOfAnOriginalIsWhereItWasFound) {
  const std::string home = Html(Prose(1, 200), {"http://www.a.test/", "http://moved.test/copy"});
  web_.Set("http://moved.test/", MemoryWeb::Status(301, {{"location", "http://a.test/"}}));
  web_.Page("http://a.test/", home);
  web_.Page("http://www.a.test/", home);
  web_.Page("http://moved.test/copy", home);
  options_.crawl.process_threads = 1;
  options_.pipeline.follow_copies_of_other_sites = true;
  Run({"http://moved.test/"});
  std::map<std::string, int> links_not_followed;
  for (const auto& line : Log(kSkipLogName)) {
    links_not_followed[line.at("url")] = line.at("links_not_followed");
    EXPECT_EQ(line.at("original_url"), "http://moved.test/");
  }
  EXPECT_EQ(links_not_followed, (std::map<std::string, int>{{"http://www.a.test/", 2},
                                                            {"http://moved.test/copy", 0}}));
}

/// Of the threads of these crawls all but the working one.
thread_local bool only_fetches = false;

class FetcherOfItsThread final : public Fetcher {
 public:
  explicit FetcherOfItsThread(MemoryWeb& web) : fetcher_(web) {}
  void Run(FetchSource& source) override {
    only_fetches = true;
    fetcher_.Run(source);
  }
  void Wake() override { fetcher_.Wake(); }
  void Stop() override { fetcher_.Stop(); }

 private:
  MemoryFetcher fetcher_;
};

/// Ends the process by `die` in the working thread when that is at `url`.
class DeadlyClock final : public base::Clock {
 public:
  DeadlyClock(const base::Clock& clock, std::filesystem::path working, std::string url,
              void (*die)())
      : clock_(clock), working_(std::move(working)), url_(std::move(url)), die_(die) {}
  base::Time Now() const override {
    std::ifstream file(working_, std::ios::binary);
    std::uint32_t length = 0;  // as crawler/pipeline/suspects.cc writes it
    std::string url(url_.size(), '\0');
    file.read(reinterpret_cast<char*>(&length), sizeof length);
    file.read(url.data(), static_cast<std::streamsize>(url.size()));
    if (!only_fetches && length == url_.size() && url == url_) die_();
    return clock_.Now();
  }
  base::WallTime WallNow() const override { return clock_.WallNow(); }

 private:
  const base::Clock& clock_;
  const std::filesystem::path working_;
  const std::string url_;
  void (*const die_)();
};

void Fault() { std::abort(); }
void BeKilled() { kill(getpid(), SIGKILL); }

class DeadlyTest : public HostileCrawlTest {
 protected:
  DeadlyTest() {
    options_.crawl.process_threads = 1;
    options_.journal.commit_interval = std::chrono::milliseconds(0);
  }
  void MakeSite() {
    web_.Page("http://a.test/", Html(Prose(1, 100), {"/deadly", "/good"}));
    web_.Page("http://a.test/deadly", Html(Prose(2, 100)));
    web_.Page("http://a.test/good", Html(Prose(3, 100)));
  }
  /// Crawls in one process after the other until one comes to the end; how many did not.
  int DeathsAt(const std::string& url, void (*die)());
};

int DeadlyTest::DeathsAt(const std::string& url, void (*die)()) {
  for (int deaths = 0; deaths < 20; ++deaths) {
    const pid_t child = fork();  // nothing of ours runs in threads yet
    if (child == 0) {
      const rlimit no_core{};
      setrlimit(RLIMIT_CORE, &no_core);
      const DeadlyClock deadly(clock_, data_ / kWorkingName, url, die);
      auto crawl = Crawl::Create(options_, deadly, [this] {
        return base::Result<std::unique_ptr<Fetcher>>(std::make_unique<FetcherOfItsThread>(web_));
      });
      if (!crawl) _exit(2);
      (*crawl)->AddSeeds({*frontier::Url::Parse("http://a.test/")});
      const bool ran = (*crawl)->Run().has_value();
      crawl->reset();
      _exit(ran ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) {
      EXPECT_EQ(WEXITSTATUS(status), 0);
      return deaths;
    }
  }
  ADD_FAILURE() << "it dies for ever";
  return -1;
}

TEST_F(DeadlyTest, Row117_APageThatKillsTheProcessIsGivenUpAfterThreeDeaths) {
  MakeSite();
  EXPECT_EQ(DeathsAt("http://a.test/deadly", Fault), 3);
  EXPECT_EQ(Urls(kPageLogName), (std::set<std::string>{"http://a.test/", "http://a.test/good"}));
  const auto other = Log(kOtherLogName);
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(other[0].at("url"), "http://a.test/deadly");
  EXPECT_EQ(other[0].at("disposition"), "deadly");
}

// Of a process that is killed nobody knows whether the page was why.
TEST_F(DeadlyTest, Row117_APageWithWhichTheProcessIsKilledIsGivenUpAfterTen) {
  MakeSite();
  EXPECT_EQ(DeathsAt("http://a.test/deadly", BeKilled), 10);
  EXPECT_EQ(Urls(kPageLogName), (std::set<std::string>{"http://a.test/", "http://a.test/good"}));
}

TEST_F(DeadlyTest, Row117_ARobotsTxtThatKillsTheProcessIsGivenUpAfterThreeDeaths) {
  web_.Robots("http://a.test", "User-agent: *\nDisallow: /deadly");
  web_.Page("http://a.test/", Html(Prose(1, 100)));
  EXPECT_EQ(DeathsAt("http://a.test/robots.txt", Fault), 3);
  const auto other = Log(kOtherLogName);
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(other[0].at("url"), "http://a.test/");
  EXPECT_EQ(other[0].at("disposition"), "robots-unreachable");
}

TEST_F(HostileCrawlTest, Row112_NoUrlBecomesAFileName) {
  const std::string url = "http://a.test/..%2f..%2fetc/passwd%00/" + std::string(300, 'x');
  web_.Page(url, Html(Prose(1, 100)));
  Run({url});
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data_)) {
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("passwd")));
    EXPECT_LE(entry.path().filename().string().size(), 64u);
  }
}

// A server that says "103 Early Hints" and hangs up has not answered.
TEST_F(HostileCrawlTest, AnInterimResponseAloneIsNotArchived) {
  options_.output.warc = true;
  options_.pipeline.retries_max = 0;
  FetchResponse hints = MemoryWeb::Failure(FetchError::kReset);
  hints.raw.emplace();
  hints.raw->request = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
  hints.raw->response_head = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";
  FetchResponse whole = MemoryWeb::Html(Html(Prose(1, 200)));
  whole.raw = hints.raw;
  whole.raw->response_head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
  web_.Set("http://a.test/", hints);
  web_.Set("http://b.test/", whole);
  Run({"http://a.test/", "http://b.test/"});
  std::vector<std::string> archived;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data_)) {
    if (!entry.path().string().ends_with(".warc.gz")) continue;
    auto warc = WarcReader::Open(entry.path());
    ASSERT_TRUE(warc) << warc.error().message;
    while (auto record = (*warc)->Next()) {
      if (record->Type() == "warcinfo") continue;
      archived.push_back(record->Type() + " " + std::string(record->Field("WARC-Target-URI")));
    }
  }
  EXPECT_THAT(archived, ElementsAre("response http://b.test/", "request http://b.test/"));
}

TEST_F(HostileCrawlTest, Row123_AServerThatAlwaysFails) {
  web_.Set("http://a.test/", MemoryWeb::Status(500));
  options_.frontier.retry_delay = std::chrono::seconds(10);
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://a.test/"), 3);
  EXPECT_EQ(Of(end, Disposition::kServerError), 1u);
  std::vector<base::Time> times;
  for (const auto& request : web_.requests()) {
    if (request.url == "http://a.test/") times.push_back(request.when);
  }
  EXPECT_GE(times.at(1) - times.at(0), std::chrono::seconds(10));
  EXPECT_GE(times.at(2) - times.at(1), std::chrono::seconds(20));
}

TEST_F(HostileCrawlTest, Row124_OneSkeletonUnderManyUrls) {
  std::vector<std::string> links;
  for (int i = 0; i < 300; ++i) {
    links.push_back("/app/" + std::to_string(i));
    web_.Page("http://a.test" + links.back(),
              Html("Loading", {}) + "<script>id=" + std::to_string(i) + "</script>");
  }
  web_.Page("http://a.test/", Html(Prose(1, 100), links));
  options_.frontier.delay = std::chrono::seconds(0);
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(Of(end, Disposition::kStored), 2u);
  EXPECT_EQ(Of(end, Disposition::kExactText), 299u);
}

}  // namespace
}  // namespace crawler
