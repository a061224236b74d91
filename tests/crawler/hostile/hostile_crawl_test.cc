// Rows of hostile-inputs.md that show in a whole crawl, over a web in memory on a fake clock.

#include <gmock/gmock.h>

#include "tests/crawler/crawl/crawl_fixture.h"

namespace crawler {
namespace {

using ::testing::Contains;
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

TEST_F(HostileCrawlTest, Row65_MirrorsAndOtherNames) {
  for (const char* host : {"http://a.test", "http://www.a.test", "http://192.0.2.1"}) {
    web_.Page(std::string(host) + "/", Html(Prose(1, 100), {"/p"}));
    web_.Page(std::string(host) + "/p", Html(Prose(2, 100)));
  }
  CrawlSnapshot end = Run({"http://a.test/", "http://www.a.test/", "http://192.0.2.1/"});
  // Of a mirror the first page is enough to know it: its links are not followed.
  EXPECT_EQ(Of(end, Disposition::kStored), 2u);
  EXPECT_EQ(Of(end, Disposition::kExactBytes), 2u);
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
  web_.Set("http://a.test/pages.txt", MemoryWeb::Html("http://a.test/listed\n"));
  web_.Page("http://a.test/", Html(Prose(1, 100)));
  web_.Page("http://a.test/listed", Html(Prose(2, 100)));
  CrawlSnapshot end = Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://a.test/index.xml"), 1);
  EXPECT_EQ(web_.CountOf("http://a.test/part.xml"), 1);
  EXPECT_EQ(web_.CountOf("http://a.test/deeper.xml"), 0);
  EXPECT_EQ(web_.CountOf("http://a.test/listed"), 1);
  EXPECT_EQ(Of(end, Disposition::kSitemap), 3u);
  EXPECT_EQ(Of(end, Disposition::kStored), 2u);
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

TEST_F(HostileCrawlTest, Row112_NoUrlBecomesAFileName) {
  const std::string url = "http://a.test/..%2f..%2fetc/passwd%00/" + std::string(300, 'x');
  web_.Page(url, Html(Prose(1, 100)));
  Run({url});
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data_)) {
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("passwd")));
    EXPECT_LE(entry.path().filename().string().size(), 64u);
  }
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

TEST(RobotsCacheTest, TheLongestRulesGiveWayWhenThereIsNoRoom) {
  RobotsCache cache("contentseen", 300'000);
  std::string huge = "User-agent: *\n";
  for (int i = 0; i < 20'000; ++i) huge += "Disallow: /" + std::to_string(i) + "\n";
  const auto small = parser::RobotsTxt::Parse("User-agent: *\nDisallow: /no\n");
  cache.Know("http://small.test", small);
  cache.Know("http://huge.test", parser::RobotsTxt::Parse(huge));
  for (int i = 0; i < 100; ++i) cache.Know("http://s" + std::to_string(i) + ".test", small);
  EXPECT_LE(cache.memory_bytes(), 300'000u);
  EXPECT_EQ(cache.dropped(), 1u);
  const auto denial = cache.Denied(*frontier::Url::Parse("http://huge.test/other"));
  ASSERT_TRUE(denial);
  EXPECT_EQ(denial->disposition, Disposition::kRobotsUnreachable);
  EXPECT_FALSE(cache.Denied(*frontier::Url::Parse("http://small.test/yes")));
  EXPECT_TRUE(cache.Denied(*frontier::Url::Parse("http://s99.test/no")));
  // Known again, and shorter: it is believed again.
  cache.Know("http://huge.test", small);
  EXPECT_FALSE(cache.Denied(*frontier::Url::Parse("http://huge.test/other")));
}

}  // namespace
}  // namespace crawler
