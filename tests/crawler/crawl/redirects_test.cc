// Redirects whose target has the canonical form of the page that redirects.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/crawler/crawl/crawl_fixture.h"

namespace crawler {
namespace {

class RedirectsTest : public CrawlTest {
 protected:
  RedirectsTest() { options_.crawl.process_threads = 1; }

  static FetchResponse To(const std::string& target) {
    return MemoryWeb::Status(302, {{"location", target}});
  }
  // 32 digits, another one each time.
  std::string NextId() {
    const std::string n = std::to_string(++ids_);
    return std::string(32 - n.size(), '0') + n;
  }
  std::size_t Requests() const { return web_.requests().size(); }

  int ids_ = 0;
};

// PHP where a visitor sends no cookie back, say. Links have the id of the page that they stand on.
TEST_F(RedirectsTest, ASessionIdThatAServerInsistsOnIsSent) {
  constexpr int kPages = 20;
  web_.Otherwise("http://a.test/", [&](const std::string& url) {
    const std::size_t query = url.find("?PHPSESSID=");
    const std::string path = url.substr(13, query - 13);
    if (path == "/robots.txt") return MemoryWeb::Status(404);
    if (query == std::string::npos) return To(path + "?PHPSESSID=" + NextId());
    const int n = path == "/" ? 0 : std::stoi(path.substr(1));
    std::vector<std::string> links = {"/", path};
    for (int next : {2 * n + 1, 2 * n + 2}) {
      if (next < kPages) links.push_back("/" + std::to_string(next) + url.substr(query));
    }
    return MemoryWeb::Html(Html(Prose(static_cast<unsigned>(n), 200), links));
  });
  const StatisticsSnapshot counts = Run({"http://a.test/"}).statistics;
  EXPECT_EQ(counts.Of(Disposition::kStored), kPages);
  EXPECT_EQ(counts.Of(Disposition::kRedirected), kPages);
  EXPECT_EQ(Requests(), 1U + 2U * kPages) << "each page once, and once more with an id";
  for (const auto& page : Log("pages.jsonl")) {
    const std::string url = page.at("url");
    EXPECT_EQ(url.find('?'), std::string::npos) << url;
    EXPECT_TRUE(page.at("final_url").get<std::string>().starts_with(url + "?PHPSESSID=0"));
  }
}

TEST_F(RedirectsTest, ANewSessionIdAtEachRedirectIsNoEndlessChain) {
  web_.Otherwise("http://a.test/", [&](const std::string& url) {
    if (url.ends_with("/robots.txt")) return MemoryWeb::Status(404);
    return To(url.substr(0, url.find('?')) + "?PHPSESSID=" + NextId());
  });
  const StatisticsSnapshot counts = Run({"http://a.test/", "http://a.test/p"}).statistics;
  EXPECT_EQ(counts.Of(Disposition::kRedirected), 4U);
  EXPECT_EQ(Requests(), 1U + 2U * 2U);
}

TEST_F(RedirectsTest, SoItIsWithWhateverTheRulesLeaveOut) {
  options_.url.drop_parameters = {"utm_*"};
  web_.Page("http://b.test/",
            Html(Prose(1, 200), {"http://a.test/~anna", "http://a.test/caf\xC3\xA9",
                                 "http://a.test/list?x=1&utm_a=b"}));
  web_.Set("http://a.test/~anna", To("/%7Eanna"));
  web_.Page("http://a.test/%7Eanna", Html(Prose(2, 200)));
  web_.Set("http://a.test/caf%C3%A9", To("http://A.test:80/caf%c3%a9"));
  web_.Page("http://a.test/caf%c3%a9", Html(Prose(3, 200)));
  web_.Set("http://a.test/list?x=1", To("?x=1&utm_a=c"));
  web_.Page("http://a.test/list?x=1&utm_a=c", Html(Prose(4, 200)));
  EXPECT_EQ(Run({"http://b.test/"}).statistics.Of(Disposition::kStored), 4U);
}

// A cookie would make the difference; it is asked for once.
TEST_F(RedirectsTest, ARedirectToTheVeryPageIsTheEndOfIt) {
  web_.Set("http://a.test/p", MemoryWeb::Status(302, {{"location", "/p"}, {"set-cookie", "a=b"}}));
  Run({"http://a.test/p"});
  EXPECT_EQ(web_.CountOf("http://a.test/p"), 1);
  ASSERT_EQ(Log("other.jsonl").size(), 1U);
  EXPECT_EQ(Log("other.jsonl")[0].at("detail"), "to http://a.test/p (known)");
}

TEST_F(RedirectsTest, WhatTheServerInsistsOnOutlivesTheProcess) {
  options_.frontier.pages_max = 1;
  web_.Set("http://a.test/p", To("/p?PHPSESSID=" + NextId()));
  web_.Page("http://a.test/p?PHPSESSID=00000000000000000000000000000001", Html(Prose(1, 200)));
  EXPECT_EQ(Run({"http://a.test/p"}).statistics.Of(Disposition::kStored), 0U);
  options_.frontier.pages_max = 100;
  EXPECT_EQ(Run({"http://a.test/p"}).statistics.Of(Disposition::kStored), 1U);
  EXPECT_EQ(web_.CountOf("http://a.test/p"), 1);
}

TEST_F(RedirectsTest, ARobotsTxtIsFoundWithTheSessionIdToo) {
  web_.Set("http://a.test/robots.txt", To("/robots.txt?PHPSESSID=" + NextId()));
  web_.Page("http://a.test/robots.txt?PHPSESSID=00000000000000000000000000000001",
            "User-agent: *\nDisallow: /private");
  web_.Page("http://a.test/private", Html(Prose(1, 200)));
  const StatisticsSnapshot counts = Run({"http://a.test/private"}).statistics;
  EXPECT_EQ(counts.Of(Disposition::kRobotsDenied), 1U);
}

TEST_F(RedirectsTest, ARobotsTxtThatRedirectsToItselfIsAskedForAgainOnlyForACookie) {
  web_.Set("http://a.test/robots.txt", To("/robots.txt"));
  web_.Page("http://a.test/", Html(Prose(1, 200)));
  web_.SetAnswer("http://b.test/robots.txt", [](int nth) {
    if (nth == 2) return MemoryWeb::Html("User-agent: *\nDisallow: /");
    return MemoryWeb::Status(302, {{"location", "/robots.txt"}, {"set-cookie", "a=b"}});
  });
  const StatisticsSnapshot counts = Run({"http://a.test/", "http://b.test/"}).statistics;
  EXPECT_EQ(web_.CountOf("http://a.test/robots.txt"), 1);
  EXPECT_EQ(web_.CountOf("http://b.test/robots.txt"), 2);
  EXPECT_EQ(counts.Of(Disposition::kStored), 1U);
  EXPECT_EQ(counts.Of(Disposition::kRobotsDenied), 1U);
}

}  // namespace
}  // namespace crawler
