#include "parser/sitemap.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/check.h"
#include "tests/parser/shared_data.h"
#include "tests/shared_files.h"

namespace parser {
namespace {

struct ReadSitemap {
  SitemapEnd end = SitemapEnd::kWhole;
  SitemapKind kind = SitemapKind::kUnknown;
  std::vector<SitemapEntry> entries;
  std::size_t dropped = 0;

  std::vector<std::string> urls() const {
    std::vector<std::string> urls;
    for (const SitemapEntry& entry : entries) urls.push_back(entry.url);
    return urls;
  }
  friend bool operator==(const ReadSitemap&, const ReadSitemap&) = default;
};

ReadSitemap Read(std::string_view body, const SitemapLimits& limits = {},
                 std::size_t piece = std::string::npos) {
  ReadSitemap read;
  SitemapReader reader(limits, [&](const SitemapEntry& entry) { read.entries.push_back(entry); });
  while (!body.empty() && reader.Write(body.substr(0, piece))) {
    body.remove_prefix(std::min(piece, body.size()));
  }
  read.end = reader.Finish();
  read.kind = reader.kind();
  read.dropped = reader.dropped();
  EXPECT_EQ(read.entries.size(), reader.entries());
  return read;
}

std::string Gzip(std::string_view text) {
  z_stream stream{};
  CHECK(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(compressBound(text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::string UrlSet(int count) {
  std::string xml = "<?xml version=\"1.0\"?><urlset>";
  for (int i = 0; i < count; ++i)
    xml += "<url><loc>http://a.test/" + std::to_string(i) + "</loc></url>";
  return xml + "</urlset>";
}

using Urls = std::vector<std::string>;

TEST(SitemapTest, UrlsWithTheirTimes) {
  const ReadSitemap read = Read(
      "\n<?xml version='1.0' encoding='UTF-8'?><urlset xmlns='x' xmlns:i='y'>"
      "<url><loc> http://a.test/?a=1&amp;b=2\n</loc><lastmod> 2024-05-01T10:00:00Z </lastmod>"
      "<i:image><i:loc>http://a.test/image.png</i:loc></i:image></url>"
      "<url><priority>1</priority></url><url><loc>http://a.test/b</loc></url></urlset>");
  // White space before an XML declaration is an error to XML, and frequent.
  EXPECT_EQ(read.end, SitemapEnd::kWhole);
  EXPECT_EQ(read.kind, SitemapKind::kUrls);
  EXPECT_EQ(read.entries,
            (std::vector<SitemapEntry>{{"http://a.test/?a=1&b=2", "2024-05-01T10:00:00Z"},
                                       {"http://a.test/b", ""}}));
}

TEST(SitemapTest, TextsWithAUrlALine) {
  const ReadSitemap read =
      Read("\xEF\xBB\xBFhttp://a.test/1\r\n\n  HTTPS://a.test/2  \nno url\rhttp://a.test/3");
  EXPECT_EQ(read.kind, SitemapKind::kText);
  EXPECT_EQ(read.urls(), (Urls{"http://a.test/1", "HTTPS://a.test/2", "http://a.test/3"}));
}

TEST(SitemapTest, Feeds) {
  const ReadSitemap atom = Read(
      "<feed><link href='http://a.test/'/><entry><link rel='edit' href='http://a.test/e'/>"
      "<link href='http://a.test/1'/><link href='http://a.test/2'/><updated>2020</updated>"
      "<published>2019</published></entry></feed>");
  EXPECT_EQ(atom.kind, SitemapKind::kFeed);
  EXPECT_EQ(atom.entries, (std::vector<SitemapEntry>{{"http://a.test/1", "2020"}}));
  const ReadSitemap rss = Read(
      "<rss xmlns:atom='a'><channel><link>http://a.test/main</link><item>"
      "<guid>http://a.test/guid</guid><link>http://a.test/1</link>"
      "<pubDate>Sun, 06 Sep 2009 16:20:00 +0000</pubDate></item>"
      "<item><guid>tag:1</guid></item></channel></rss>");
  EXPECT_EQ(rss.entries,
            (std::vector<SitemapEntry>{{"http://a.test/1", "Sun, 06 Sep 2009 16:20:00 +0000"}}));
}

TEST(SitemapTest, Row93_ASitemapOfFiftyGigabytes) {
  const ReadSitemap many = Read(UrlSet(50'001));
  EXPECT_EQ(many.end, SitemapEnd::kTooMany);
  EXPECT_EQ(many.entries.size(), 50'000u);
  EXPECT_EQ(Read(UrlSet(50'000)).end, SitemapEnd::kWhole);

  // The same kilobytes of gzip again and again: 60 MB of white space, then more.
  const std::string member = Gzip(std::string(std::size_t{1} << 20, ' '));
  std::string bomb = Gzip("<urlset><url><loc>http://a.test/</loc></url>");
  for (int i = 0; i < 60; ++i) bomb += member;
  const ReadSitemap long_one = Read(bomb, {}, 4096);
  EXPECT_EQ(long_one.end, SitemapEnd::kTooLong);
  EXPECT_EQ(long_one.urls(), (Urls{"http://a.test/"}));
}

TEST(SitemapTest, Row94_NoDeclarationIsRead) {
  for (const char* bomb :
       {"<!DOCTYPE urlset [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]>"
        "<urlset><url><loc>http://a.test/&b;</loc></url></urlset>",
        "<?xml version='1.0'?><!DOCTYPE urlset SYSTEM 'file:///etc/passwd'><urlset/>",
        "<!DOCTYPE html><html><body>not found</body></html>"}) {
    const ReadSitemap read = Read(bomb);
    EXPECT_EQ(read.end, SitemapEnd::kDeclaration) << bomb;
    EXPECT_TRUE(read.entries.empty());
  }
  EXPECT_EQ(Read("<urlset><url><loc>http://a.test/&xxe;</loc></url></urlset>").end,
            SitemapEnd::kBroken);
}

TEST(SitemapTest, WhatPrecedesABreakStands) {
  EXPECT_EQ(Read("<urlset><url><loc>http://a.test/1</loc></url><url><loc>http://a.te").urls(),
            (Urls{"http://a.test/1"}));
  EXPECT_EQ(Read("<urlset><url><loc>http://a.test/1</lo").urls(), (Urls{"http://a.test/1"}));
  const ReadSitemap bad =
      Read("<urlset><url><loc>http://a.test/1</loc></url><url><loc>?a&b</loc>");
  EXPECT_EQ(bad.end, SitemapEnd::kBroken);
  EXPECT_EQ(bad.urls(), (Urls{"http://a.test/1"}));
  std::string cut = Gzip(UrlSet(1'000));
  cut.resize(cut.size() - 20);
  EXPECT_EQ(Read(cut).end, SitemapEnd::kBroken);
  EXPECT_GT(Read(cut).entries.size(), 500u);
}

TEST(SitemapTest, PiecesDoNotMatterToDamagedGzipEither) {
  std::string damaged = Gzip("http://a.test/1\nhttp://a.test/2\n" + std::string(500, 'x'));
  for (std::size_t at = 10; at < damaged.size(); ++at) {
    std::string bytes = damaged;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    EXPECT_EQ(Read(bytes, {}, 1), Read(bytes)) << at;
  }
}

TEST(SitemapTest, PiecesDoNotMatterToABreakWithinAField) {
  for (const char* body :
       {"<feed><entry><link href='http://a.test/'/><updated>437/2<b>/dex> ]]></c>",
        "<urlset><url><loc>http://a.test/</loc><lastmod>2026 ]]>",
        "<urlset><url><lastmod>2026</lastmod><loc>http://a.test/ ]]>",
        "<urlset><url><loc>http://a.test/</loc><lastmod>2026-01-01</lastmod> ]]>"}) {
    const ReadSitemap whole = Read(body);
    for (const std::size_t piece : {1u, 2u, 3u, 4u, 5u}) EXPECT_EQ(Read(body, {}, piece), whole);
  }
}

TEST(SitemapTest, WhatFollowsGzipIsIgnoredWhereverItsPiecesBegin) {
  const std::string body = Gzip("http://a.test/1\n");
  for (const std::string& garbage : {"garbage" + body, std::string("\x01\x1f\x1f\x8b")}) {
    const ReadSitemap whole = Read(body + garbage);
    EXPECT_EQ(whole.urls(), (Urls{"http://a.test/1"}));
    EXPECT_EQ(whole.end, SitemapEnd::kWhole);
    for (const std::size_t piece : {1u, 2u, 3u, 7u})
      EXPECT_EQ(Read(body + garbage, {}, piece), whole);
  }
  EXPECT_EQ(Read(body + body, {}, 1).entries.size(), 2u) << "a second member is none";
}

TEST(SitemapTest, NoSitemapAtAll) {
  for (const char* body : {"", " ", "\n\n", "hello", "<html></html>", "<", "<a", "\x1f\x8b",
                           "\x1f", "\x1f\x8bgarbage", "{}", "<urlset>"}) {
    EXPECT_TRUE(Read(body).entries.empty()) << body;
  }
}

TEST(SitemapTest, NothingIsUnbounded) {
  SitemapLimits limits;
  limits.url_bytes_max = 30;
  const std::string longer(1'000'000, 'a');
  const ReadSitemap read = Read("<urlset><url><loc>http://a.test/" + longer +
                                    "</loc></url><url><loc>http://a.test/1</loc><lastmod>" +
                                    longer + "</lastmod></url></urlset>",
                                limits);
  EXPECT_EQ(read.urls(), (Urls{"http://a.test/1"}));
  EXPECT_EQ(read.dropped, 1u);
  EXPECT_EQ(read.entries[0].modified.size(), 64u);
  EXPECT_EQ(Read("http://a.test/" + longer + "\nhttp://a.test/1\n", limits).urls(),
            (Urls{"http://a.test/1"}));

  std::string deep = "<urlset>";
  for (int i = 0; i < 1'000'000; ++i) deep += "<url>";
  EXPECT_EQ(Read(deep).end, SitemapEnd::kBroken);
  // One token of 50 MB, which expat would begin anew with each piece.
  EXPECT_EQ(Read("<urlset a='" + std::string(50'000'000, 'x')).end, SitemapEnd::kBroken);
}

// Expat keeps each name that it has seen.
TEST(SitemapTest, NamesTakeOnlySoMuchMemory) {
  const std::string entry = "<url><loc>http://a.test/</loc></url>";
  const auto flood = [&](const char* before, const char* behind) {
    std::string body = "<urlset>" + entry;
    for (int i = 0; i < 150'000; ++i) body += before + std::to_string(i) + behind;
    return body + "</urlset>";
  };
  for (const std::string& body : {flood("<n", "/>"), flood("<a n", "=''/>"), flood("<p", ":a/>"),
                                  flood("<a xmlns:", "=''/>"), Gzip(flood("<n", "/>"))}) {
    const ReadSitemap read = Read(body);
    EXPECT_EQ(read.end, SitemapEnd::kTooCostly);
    EXPECT_EQ(read.urls(), (Urls{"http://a.test/"}));
  }
  // No sitemap that has as many entries as it may is near the limit, nor one with long fields.
  EXPECT_EQ(Read(UrlSet(50'000)).end, SitemapEnd::kWhole);
  EXPECT_EQ(Read("<urlset a='" + std::string(900'000, 'x') + "'>" + entry + "</urlset>").urls(),
            (Urls{"http://a.test/"}));
}

TEST(SitemapTest, AReaderWithinAnotherHasItsOwnMemory) {
  std::size_t inner = 0;
  SitemapReader reader({}, [&](const SitemapEntry&) {
    inner += Read("<urlset><n/><url><loc>http://b.test/</loc></url></urlset>").entries.size();
  });
  reader.Write(UrlSet(100));
  EXPECT_EQ(reader.Finish(), SitemapEnd::kWhole);
  EXPECT_EQ(inner, 100u);
}

TEST(SitemapTest, EachOfTwoUrlsInOneEntryCounts) {
  const std::string body =
      "<urlset><url><loc>http://a.test/1</loc><lastmod>2026</lastmod><loc> </loc>"
      "<loc>http://a.test/2</loc></url><url><loc>http://a.test/3</loc></url></urlset>";
  const ReadSitemap read = Read(body);
  EXPECT_EQ(read.urls(), (Urls{"http://a.test/1", "http://a.test/2", "http://a.test/3"}));
  EXPECT_EQ(read.entries[0].modified, "2026");
  EXPECT_EQ(Read(body, {}, 1), read);
}

TEST(SitemapTest, PiecesDoNotMatterToAByteOrderMark) {
  using namespace std::string_view_literals;
  const std::string xml = "<urlset><url><loc>http://a.test/</loc></url></urlset>";
  std::string utf16 = "\xFF\xFE";
  for (const char c : xml) utf16 += {c, '\0'};
  for (const std::string& body :
       {"\xEF\xBB\xBF" + xml, utf16, "\xEF\xBB" + xml, " \n" + xml,
        std::string("\t \xFE\xFF\xFF<x"), std::string("<"), std::string("\xFF"),
        std::string("\xEF\xBB\xBF"), std::string("\xEF\xBB\xBF\xFE\xFF\xFF\xFF")}) {
    for (const std::size_t piece : {1u, 2u, 3u}) EXPECT_EQ(Read(body, {}, piece), Read(body));
  }
  EXPECT_EQ(Read(utf16, {}, 1).urls(), std::vector<std::string>{"http://a.test/"});
  EXPECT_EQ(Read("\xEF\xBB\xBF" + xml, {}, 1).urls(), Read(xml).urls());
}

TEST(SitemapTest, PiecesDoNotMatter) {
  rc::check("pieces", [](const std::vector<std::string>& texts, bool gzip, bool close) {
    std::string body = *rc::gen::element<std::string>(
        "<urlset>", "<sitemapindex>", "<rss><channel>", "<feed>", "http://a.test/\n", "");
    for (const std::string& text : texts) {
      body +=
          *rc::gen::element<std::string>("<url><loc>http://a.test/", "<sitemap>", "<item><link>",
                                         "<entry><link href='http://b.test/'/>", "</loc>",
                                         "</url>", "</link></item>", "</entry>", "\n");
      body += text;
    }
    if (close) body += "</urlset>";
    if (gzip) body = Gzip(body);
    const ReadSitemap whole = Read(body);
    RC_ASSERT(Read(body, {}, *rc::gen::inRange<std::size_t>(1, 20)) == whole);
  });
}

TEST(SitemapSuiteTest, CrawlerCommonsCases) {
  auto folder = tests::SharedFolder("suites/sitemaps");
  if (!folder) GTEST_SKIP() << tests::kNoShared;
  std::ifstream cases(*folder / "cases-A.jsonl");
  int count = 0;
  for (std::string line; std::getline(cases, line); ++count) {
    const auto test = nlohmann::json::parse(line);
    const ReadSitemap read = Read(tests::FromBase64(test.at("content_b64").get<std::string>()));
    const std::string name = test.at("test");
    EXPECT_EQ(read.entries.size(), test.at("expected_count").get<std::size_t>()) << name;
    EXPECT_EQ(read.kind == SitemapKind::kIndex, test.at("kind") == "index") << name;
    const Urls urls = read.urls();
    for (const std::string url : test.at("some_expected_urls")) {
      EXPECT_EQ(std::count(urls.begin(), urls.end(), url), 1) << name << ": " << url;
    }
  }
  EXPECT_EQ(count, 8);
}

TEST(SitemapSuiteTest, CrawlerCommonsFiles) {
  auto folder = tests::SharedFolder("suites/sitemaps/files");
  if (!folder) GTEST_SKIP() << tests::kNoShared;
  struct Expected {
    const char* file;
    SitemapKind kind;
    std::size_t entries;
  };
  for (const Expected& expected : {Expected{"atom.xml", SitemapKind::kFeed, 1},
                                   {"do-not-visit.txt", SitemapKind::kText, 1},
                                   {"shinpaideshou-news-sitemap.xml", SitemapKind::kUrls, 3},
                                   {"sitemap-images.xml", SitemapKind::kUrls, 1},
                                   {"sitemap-links.xml", SitemapKind::kUrls, 3},
                                   {"sitemap-mobile.xml", SitemapKind::kUrls, 3},
                                   {"sitemap-news.xml", SitemapKind::kUrls, 2},
                                   {"sitemap-videos-tvshow.xml", SitemapKind::kUrls, 1},
                                   {"sitemap.badns.xml", SitemapKind::kUrls, 2},
                                   {"sitemap.ns.xml", SitemapKind::kUrls, 2},
                                   {"sitemap.txt.gz", SitemapKind::kText, 5}}) {
    const ReadSitemap read = Read(tests::ReadFile(*folder / expected.file));
    EXPECT_EQ(read.kind, expected.kind) << expected.file;
    EXPECT_EQ(read.entries.size(), expected.entries) << expected.file;
    EXPECT_EQ(read.end, SitemapEnd::kWhole) << expected.file;
  }
}

TEST(SitemapTest, EveryKindAndEndHasAName) {
  EXPECT_EQ(Name(SitemapKind::kText), "text");
  EXPECT_EQ(Name(SitemapEnd::kDeclaration), "declaration");
  EXPECT_EQ(Name(SitemapEnd::kTooCostly), "too-costly");
}

}  // namespace
}  // namespace parser
