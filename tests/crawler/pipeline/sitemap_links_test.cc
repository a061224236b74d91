#include "crawler/pipeline/sitemap_links.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace crawler {
namespace {

using frontier::Candidate;
using frontier::CandidateRole;
using ::testing::ElementsAre;

frontier::Url U(const std::string& text) { return *frontier::Url::Parse(text); }

std::string Urls(const std::vector<std::string>& urls, const std::string& of = "url") {
  std::string xml = of == "url" ? "<urlset>" : "<sitemapindex>";
  for (const std::string& url : urls) xml += "<" + of + "><loc>" + url + "</loc></" + of + ">";
  return xml + (of == "url" ? "</urlset>" : "</sitemapindex>");
}

class SitemapLinksTest : public ::testing::Test {
 protected:
  SitemapLinks Read(const std::string& body) {
    return ReadSitemap(sitemap_, body, options_, rules_);
  }
  static std::vector<std::string> Texts(const SitemapLinks& links) {
    std::vector<std::string> texts;
    for (const Candidate& candidate : links.candidates) texts.push_back(candidate.url.text());
    return texts;
  }

  SitemapOptions options_;
  frontier::UrlRules rules_;
  // Named by the robots.txt of another host.
  Candidate sitemap_{.url = U("http://maps.test/a/map.xml"),
                     .referrer = U("http://site.test/robots.txt"),
                     .role = CandidateRole::kSitemap};
};

TEST_F(SitemapLinksTest, PagesAreOneFromASeedAndKnowWhenTheyChanged) {
  const SitemapLinks links =
      Read("<urlset><url><loc>p?b=1&amp;a=2</loc><lastmod>2024-05-01</lastmod></url></urlset>");
  ASSERT_EQ(links.candidates.size(), 1U);
  const Candidate& page = links.candidates[0];
  EXPECT_EQ(page.url.text(), frontier::Url::Resolve(sitemap_.url, "p?b=1&a=2", rules_)->text());
  EXPECT_EQ(page.role, CandidateRole::kPage);
  EXPECT_EQ(page.depth, 1U);
  EXPECT_EQ(page.modified, "2024-05-01");
  EXPECT_EQ(page.referrer, sitemap_.url);
  EXPECT_EQ(links.summary, "sitemap (urls, whole): 1 entries");
}

TEST_F(SitemapLinksTest, ItSpeaksForItsOwnHostAndForTheOneThatNamedIt) {
  const SitemapLinks links =
      Read(Urls({"http://maps.test/1", "http://site.test/2", "http://victim.test/3",
                 "http://www.site.test/4", "mailto:a@b"}));
  EXPECT_THAT(Texts(links), ElementsAre("http://maps.test/1", "http://site.test/2"));
  EXPECT_EQ(links.foreign, 2U);
  EXPECT_EQ(links.bad, 1U);
  EXPECT_EQ(links.entries, 5U);
  EXPECT_EQ(links.summary, "sitemap (urls, whole): 5 entries, 1 bad, 2 of other hosts");
}

TEST_F(SitemapLinksTest, AnIndexNamesSitemapsToADepth) {
  options_.depth_max = 2;
  const std::string index = Urls({"http://site.test/map2.xml"}, "sitemap");
  const SitemapLinks links = Read(index);
  ASSERT_EQ(links.candidates.size(), 1U);
  const Candidate& below = links.candidates[0];
  EXPECT_EQ(below.role, CandidateRole::kSitemap);
  EXPECT_EQ(below.depth, 1U);
  EXPECT_EQ(below.referrer, sitemap_.referrer) << "it may speak for whom its index may";

  const SitemapLinks deeper = ReadSitemap(below, index, options_, rules_);
  EXPECT_TRUE(deeper.candidates.empty());
  EXPECT_EQ(deeper.too_deep, 1U);
  EXPECT_EQ(deeper.summary, "sitemap (index, whole): 1 entries, 1 too deep");
}

TEST_F(SitemapLinksTest, WhatIsNoSitemapIsToldFromAnEmptyOne) {
  for (const char* page : {"<!DOCTYPE html><html><body><a href=/1>1</a></body></html>",
                           "<html><a href=/1>1</a></html>", "Welcome <a href=/1>1</a>", ""}) {
    EXPECT_TRUE(Read(page).IsNone()) << page;
  }
  for (const std::string& sitemap :
       {Urls({}), Urls({}, "sitemap"), Urls({"http://foreign.test/"}), std::string("<rss></rss>"),
        std::string("http://site.test/1\n")}) {
    EXPECT_FALSE(Read(sitemap).IsNone()) << sitemap;
  }
}

TEST_F(SitemapLinksTest, LimitsAreCounted) {
  rules_.url_bytes_max = 40;
  options_.limits.urls_max = 2;
  const SitemapLinks links =
      Read(Urls({"http://site.test/" + std::string(60, 'x'), "http://site.test/1",
                 "http://site.test/2", "http://site.test/3"}));
  EXPECT_THAT(Texts(links), ElementsAre("http://site.test/1", "http://site.test/2"));
  EXPECT_EQ(links.too_long, 1U);
  EXPECT_EQ(links.end, parser::SitemapEnd::kTooMany);

  options_.limits.body_bytes_max = 30;
  EXPECT_EQ(Read(Urls({"http://site.test/1"})).end, parser::SitemapEnd::kTooLong);
}

TEST_F(SitemapLinksTest, WhatRobotsNamesIsResolvedAgainstIt) {
  const auto robots = parser::RobotsTxt::Parse(
      "Sitemap: http://maps.test/a.xml\nSitemap: /b.xml\nSitemap: ftp://x.test/\n");
  const frontier::Url from = U("http://site.test/robots.txt");
  const std::vector<Candidate> sitemaps = SitemapsOf(robots, from, rules_);
  ASSERT_EQ(sitemaps.size(), 2U);
  EXPECT_EQ(sitemaps[0].url.text(), "http://maps.test/a.xml");
  EXPECT_EQ(sitemaps[1].url.text(), "http://site.test/b.xml");
  for (const Candidate& sitemap : sitemaps) {
    EXPECT_EQ(sitemap.role, CandidateRole::kSitemap);
    EXPECT_EQ(sitemap.referrer, from);
    EXPECT_EQ(sitemap.depth, 0U);
  }
}

}  // namespace
}  // namespace crawler
