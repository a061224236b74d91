#include "crawler/report/mirrors.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace crawler {
namespace {

/// A made-up web: every text is a number of its own until two pages are given the same.
class Web {
 public:
  Web& Page(const std::string& url, std::uint32_t content) {
    pages_.push_back({url, content, content});
    return *this;
  }
  /// `count` pages at host/prefix/N, of contents from `first` on.
  Web& Pages(const std::string& where, int count, std::uint32_t first) {
    for (int i = 0; i < count; ++i) {
      Page(where + "/" + std::to_string(i) + ".html", first + static_cast<std::uint32_t>(i));
    }
    return *this;
  }
  Mirrors Find() const { return FindMirrors(pages_); }

 private:
  std::vector<SitePage> pages_;
};

TEST(SplitUrl, TakesAwayWhatSaysNothingAboutTheSite) {
  EXPECT_EQ(SplitUrl("http://www.Example.org:80/a").site, "example.org");
  EXPECT_EQ(SplitUrl("https://example.org.:443/a").site, "example.org");
  EXPECT_EQ(SplitUrl("https://u:p@example.org:443/a").site, "example.org");
  EXPECT_EQ(SplitUrl("http://example.org:8080/").site, "example.org:8080");
  UrlParts parts = SplitUrl("http://a.example/b/c?x=/1#top");
  EXPECT_EQ(parts.path, "/b/c");
  EXPECT_EQ(parts.query, "x=/1");
  EXPECT_EQ(parts.target, "/b/c?x=/1");
  EXPECT_EQ(SplitUrl("http://a.example").path, "/");
  EXPECT_EQ(SplitUrl("http://a.example?x").query, "x");
  EXPECT_EQ(SplitUrl("").site, "");
}

TEST(Mirrors, SixteenOfSixteenAreCertainAndFifteenAreNot) {
  Mirrors sixteen = Web().Pages("http://a.example", 16, 1).Pages("http://b.example", 16, 1).Find();
  ASSERT_EQ(sixteen.pairs.size(), 1U);
  EXPECT_EQ(sixteen.pairs[0].a.Name(), "a.example");
  EXPECT_EQ(sixteen.pairs[0].b.Name(), "b.example");
  EXPECT_EQ(sixteen.pairs[0].tested, 16U);
  EXPECT_EQ(sixteen.pairs[0].matching, 16U);
  EXPECT_TRUE(sixteen.pairs[0].certain);
  EXPECT_EQ(sixteen.pairs[0].examples.size(), 3U);
  ASSERT_EQ(sixteen.groups.size(), 1U);
  EXPECT_EQ(sixteen.groups[0].sides.size(), 2U);

  Mirrors fifteen = Web().Pages("http://a.example", 15, 1).Pages("http://b.example", 15, 1).Find();
  ASSERT_EQ(fifteen.pairs.size(), 1U);
  EXPECT_FALSE(fifteen.pairs[0].certain);
  EXPECT_TRUE(fifteen.groups.empty());
}

TEST(Mirrors, OnePathInTwentySixMayDiffer) {
  Web web;
  web.Pages("http://a.example", 25, 1).Pages("http://b.example", 25, 1);
  web.Page("http://a.example/x", 100).Page("http://b.example/x", 101);
  EXPECT_TRUE(web.Find().pairs.at(0).certain);
  web.Page("http://a.example/y", 102).Page("http://b.example/y", 0);  // 404 there
  Mirrors mirrors = web.Find();
  EXPECT_EQ(mirrors.pairs.at(0).tested, 27U);
  EXPECT_EQ(mirrors.pairs.at(0).matching, 25U);
  EXPECT_FALSE(mirrors.pairs.at(0).certain);
}

TEST(Mirrors, PartsOfSites) {
  Mirrors mirrors = Web()
                        .Pages("http://a.example/docs/v1", 20, 1)
                        .Pages("http://b.example/copy", 20, 1)
                        .Pages("http://a.example/news", 30, 100)
                        .Pages("http://b.example/shop", 30, 200)
                        .Find();
  ASSERT_EQ(mirrors.pairs.size(), 1U);
  EXPECT_EQ(mirrors.pairs[0].a.Name(), "a.example/docs/v1");
  EXPECT_EQ(mirrors.pairs[0].b.Name(), "b.example/copy");
  EXPECT_EQ(mirrors.pairs[0].tested, 20U);
}

TEST(Mirrors, WhatWasAskedForOnOneSideOnlyIsNotTested) {
  Mirrors mirrors =
      Web().Pages("http://a.example", 200, 1).Pages("http://b.example", 17, 1).Find();
  EXPECT_EQ(mirrors.pairs.at(0).tested, 17U);
  EXPECT_TRUE(mirrors.pairs.at(0).certain);
  EXPECT_EQ(mirrors.groups.at(0).sides.at(0).site, "a.example") << "the larger side is canonical";
}

TEST(Mirrors, OneContentCountsOnce) {
  Web web;
  for (int i = 0; i < 30; ++i) {
    std::string path = "/gone/" + std::to_string(i);
    web.Page("http://a.example" + path, 7).Page("http://b.example" + path, 7);
  }
  web.Pages("http://a.example", 4, 100).Pages("http://b.example", 4, 200);
  EXPECT_TRUE(web.Find().pairs.empty()) << "a page for what is not there makes no mirror";
}

TEST(Mirrors, AContentOnManySitesSaysNothing) {
  auto with_sites = [](int sites) {
    Web web;
    for (int i = 0; i < sites; ++i) {
      web.Pages("http://h" + std::to_string(i) + ".example/manual", 16, 1);
    }
    return web.Find();
  };
  EXPECT_EQ(with_sites(20).groups.size(), 1U);
  EXPECT_EQ(with_sites(20).groups.at(0).sides.size(), 20U);
  EXPECT_TRUE(with_sites(21).pairs.empty());
}

TEST(Mirrors, SchemeAndWwwAreOneSite) {
  Web web;
  web.Pages("http://www.a.example", 20, 1).Pages("https://a.example", 20, 1);
  EXPECT_TRUE(web.Find().pairs.empty());
}

TEST(Mirrors, NeighboursWithoutACommonPathAreNone) {
  Web web;
  for (std::uint32_t i = 0; i < 20; ++i) {
    web.Page("http://a.example/p" + std::to_string(i), i + 1);
    web.Page("http://b.example/q" + std::to_string(i), i + 1);
  }
  EXPECT_TRUE(web.Find().pairs.empty());
}

TEST(Mirrors, HostileUrlsAreJustText) {
  Web web;
  for (const char* url : {"", "http://", "://", "http:///", "?", "javascript:alert(1)",
                          "http://[::1", "http://a\x01b/\xff"}) {
    web.Page(url, 1).Page(std::string("http://x.example/") + url, 1);
  }
  EXPECT_TRUE(web.Find().groups.empty());
}

}  // namespace
}  // namespace crawler
