#include "crawler/demo/demo_web.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/crawler/fetch/fetch_one.h"

namespace crawler {
namespace {

TEST(DemoWebTest, ServesEveryCaseOverHttp) {
  DemoWeb web;
  const auto port = web.Start("127.0.0.1", 0);
  ASSERT_TRUE(port.has_value()) << port.error().message;
  for (const DemoCase& c : web.cases()) {
    const auto responses = tests::FetchAll(c.urls);
    ASSERT_EQ(responses.size(), c.urls.size());
    for (const auto& [ticket, response] : responses) {
      const std::string& url = c.urls[ticket];
      ASSERT_EQ(response.error, FetchError::kNone) << url << ": " << response.error_detail;
      switch (c.expected) {
        case Disposition::kClientError:
          EXPECT_EQ(response.status, 404) << url;
          break;
        case Disposition::kRedirected:
          EXPECT_EQ(response.status / 100, 3) << url;
          EXPECT_TRUE(response.Header("location").has_value()) << url;
          break;
        default:
          EXPECT_EQ(response.status, 200) << url;
          EXPECT_EQ(response.Header("content-type"), "text/html; charset=utf-8") << url;
      }
      EXPECT_EQ(web.RequestsTo(url), 1u) << url;
    }
  }
}

TEST(DemoWebTest, CopiesOfBytesAreTheSameOnTheWire) {
  DemoWeb web;
  ASSERT_TRUE(web.Start("127.0.0.1", 0).has_value());
  for (const DemoCase& c : web.cases()) {
    if (c.expected != Disposition::kExactBytes) continue;
    auto responses = tests::FetchAll(c.urls);
    for (const auto& [ticket, response] : responses) EXPECT_EQ(response.body, responses[0].body);
  }
}

TEST(DemoWebTest, UnknownHostsGetTheDirectoryAndEveryHostRobots) {
  DemoWeb web;
  const auto port = web.Start("127.0.0.1", 0);
  ASSERT_TRUE(port.has_value());
  const std::string at = ":" + std::to_string(*port);
  EXPECT_NE(tests::FetchOne("http://127.0.0.1" + at + "/").body.find("web directory"),
            std::string::npos);
  const FetchResponse robots = tests::FetchOne("http://NEWS.localhost" + at + "/robots.txt");
  EXPECT_EQ(robots.Header("content-type"), "text/plain; charset=utf-8");
  EXPECT_NE(robots.body.find("Disallow: /private/"), std::string::npos);
  EXPECT_EQ(web.requests(), 2u);
}

TEST(DemoWebTest, StartsAndStopsWithoutARequest) {
  DemoWeb web;
  web.Stop();
  ASSERT_TRUE(web.Start("127.0.0.1", 0).has_value());
  web.Stop();
  ASSERT_TRUE(web.Start("127.0.0.1", 0).has_value());
}

TEST(DemoWebTest, ATakenPortIsAnErrorThatNamesIt) {
  DemoWeb first;
  const auto port = first.Start("127.0.0.1", 0);
  ASSERT_TRUE(port.has_value());
  DemoWeb second;
  const auto taken = second.Start("127.0.0.1", *port);
  ASSERT_FALSE(taken.has_value());
  EXPECT_NE(taken.error().message.find(std::to_string(*port)), std::string::npos);
}

TEST(DemoWebTest, ManyConnectionsAtOnce) {
  DemoWeb web;
  ASSERT_TRUE(web.Start("127.0.0.1", 0).has_value());
  crawler::FetcherOptions options = tests::LoopbackOptions();
  options.transfers_max = 100;
  const auto responses = tests::FetchAll(std::vector<std::string>(300, web.seeds()[0]), options);
  for (const auto& [ticket, response] : responses) {
    EXPECT_EQ(response.status, 200) << response.error_detail;
  }
}

}  // namespace
}  // namespace crawler
