#include "crawler/crawl/seeds.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace crawler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Seeds Parse(const std::string& text) {
  Seeds seeds;
  ParseSeeds("seeds.txt", text, {}, seeds);
  return seeds;
}

std::vector<std::string> Urls(const Seeds& seeds) {
  std::vector<std::string> urls;
  for (const frontier::Url& url : seeds.urls) urls.push_back(url.text());
  return urls;
}

TEST(Seeds, CommentsBlankLinesCrlfAndByteOrderMarkAreTolerated) {
  Seeds seeds = Parse(
      "\xEF\xBB\xBF# the seeds\r\n\r\n  http://a.test/x#top \r\n\t\r\nhttps://b.test\r\n"
      "# end");
  EXPECT_THAT(Urls(seeds), ElementsAre("http://a.test/x", "https://b.test/"));
  EXPECT_THAT(seeds.bad, IsEmpty());
}

TEST(Seeds, ACommentMayStandBehindAUrlAndAFragmentIsNone) {
  Seeds seeds = Parse(
      "http://a.test/  # the first\nhttp://b.test/x\t#the second\n  # none\nhttp://c.test/y#z # "
      "w\n");
  EXPECT_THAT(Urls(seeds), ElementsAre("http://a.test/", "http://b.test/x", "http://c.test/y"));
  EXPECT_THAT(seeds.bad, IsEmpty());
}

TEST(Seeds, Row105_ABadLineIsReportedWithItsNumberAndTheRestGoesOn) {
  Seeds seeds = Parse("http://a.test/\nftp://a.test/\nhttp://\n\nhttp://b.test/\nnonsense\n");
  EXPECT_THAT(Urls(seeds), ElementsAre("http://a.test/", "http://b.test/"));
  ASSERT_EQ(seeds.bad.size(), 3U);
  EXPECT_EQ(seeds.bad[0].line, 2U);
  EXPECT_EQ(seeds.bad[1].line, 3U);
  EXPECT_EQ(seeds.bad[2].line, 6U);
  EXPECT_THAT(seeds.bad[0].Sentence(), HasSubstr("seeds.txt:2: "));
  EXPECT_THAT(seeds.bad[0].Sentence(), HasSubstr("ftp://a.test/"));
}

TEST(Seeds, AHostWithoutSchemeIsHttps) {
  EXPECT_THAT(Urls(Parse("example.org/a\n")), ElementsAre("https://example.org/a"));
}

TEST(Seeds, BackslashesAreSlashesAndMakeNoHostOfAScheme) {
  const Seeds seeds = Parse(
      "http:\\\\a.test\\in\\x\nHTTPS:\\b.test\nhttp:c.test/y\nd.test\\z\nftp:\\\\e.test\\\n");
  EXPECT_THAT(Urls(seeds), ElementsAre("http://a.test/in/x", "https://b.test/", "http://c.test/y",
                                       "https://d.test/z"));
  ASSERT_EQ(seeds.bad.size(), 1U);
  EXPECT_EQ(seeds.bad[0].line, 5U);
}

TEST(Seeds, ASchemeWithinAQueryIsNone) {
  const Seeds seeds = Parse("example.org/?u=http://x/\nexample.org?u=http://y/\n");
  EXPECT_THAT(Urls(seeds),
              ElementsAre("https://example.org/?u=http://x/", "https://example.org/?u=http://y/"));
  EXPECT_THAT(seeds.bad, IsEmpty());
}

TEST(Seeds, ALineMayEndInACarriageReturnAlone) {
  const Seeds seeds = Parse("http://a.test/\rhttp://b.test/\r\rftp://c.test/\r\nnonsense");
  EXPECT_THAT(Urls(seeds), ElementsAre("http://a.test/", "http://b.test/"));
  ASSERT_EQ(seeds.bad.size(), 2U);
  EXPECT_EQ(seeds.bad[0].line, 4U);
  EXPECT_EQ(seeds.bad[1].line, 5U);
}

TEST(Seeds, RepeatedUrlsCountOnce) {
  Seeds seeds = Parse("http://a.test/\nHTTP://A.test:80/#x\n");
  EXPECT_EQ(seeds.urls.size(), 1U);
  EXPECT_EQ(seeds.duplicates, 1U);
}

TEST(Seeds, AnEndlessLineIsRefusedAndTheNextOneRead) {
  Seeds seeds = Parse("http://a.test/" + std::string(10'000'000, 'x') + "\nhttp://b.test/");
  EXPECT_THAT(Urls(seeds), ElementsAre("http://b.test/"));
  ASSERT_EQ(seeds.bad.size(), 1U);
  EXPECT_LT(seeds.bad[0].Sentence().size(), 200U);
}

TEST(Seeds, WhatHasASchemeIsASeedAndNoFile) {
  auto seeds = ReadSeeds({"HTTPS://A.test/x#y", "ftp://b.test/", "https://a.test/x"}, {});
  ASSERT_TRUE(seeds);
  EXPECT_THAT(Urls(*seeds), ElementsAre("https://a.test/x"));
  EXPECT_EQ(seeds->duplicates, 1U);
  ASSERT_EQ(seeds->bad.size(), 1U);
  EXPECT_THAT(seeds->bad[0].Sentence(), HasSubstr("command line:2: "));
  EXPECT_FALSE(ReadSeeds({"nowhere/http://a.test/"}, {}));
}

TEST(Seeds, ASitemapIsKnownByItsName) {
  for (const char* url : {"http://a.test/sitemap.xml", "http://a.test/x/wp-sitemap-2.xml.gz?y",
                          "http://a.test/SiteMap.XML"}) {
    EXPECT_TRUE(IsNamedSitemap(*frontier::Url::Parse(url))) << url;
  }
  for (const char* url :
       {"http://a.test/sitemap", "http://a.test/sitemap.html", "http://a.test/sitemap/a.xml",
        "http://sitemap.xml/", "http://a.test/"}) {
    EXPECT_FALSE(IsNamedSitemap(*frontier::Url::Parse(url))) << url;
  }
}

TEST(Seeds, AFileThatCannotBeReadIsNamed) {
  for (const char* name : {"/nowhere/seeds.txt", "/"}) {
    auto seeds = ReadSeeds({name}, {});
    ASSERT_FALSE(seeds);
    EXPECT_THAT(seeds.error().message, HasSubstr(name));
  }
}

}  // namespace
}  // namespace crawler
