// Which links of pages are followed although what the pages say was seen.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "crawler/pipeline/folder_copies.h"
#include "tests/crawler/crawl/crawl_fixture.h"

namespace crawler {
namespace {

using Kind = Disposition;

class SkippedLinksTest : public CrawlTest {
 protected:
  SkippedLinksTest() { options_.crawl.process_threads = 1; }

  static std::string Moved(const std::string& target) {
    return "<meta http-equiv=refresh content='0; url=" + target + "'>" +
           Html("This page has moved", {target, "/elsewhere"});
  }
  /// By URL, as skipped.jsonl says it.
  std::map<std::string, int> LinksNotFollowed() const {
    std::map<std::string, int> counts;
    for (const auto& line : Log("skipped.jsonl")) {
      counts[line.at("url")] = line.at("links_not_followed");
    }
    return counts;
  }
};

TEST_F(SkippedLinksTest, StubsOfTheSameWordsLeadToTheirOwnPages) {
  web_.Page("http://a.test/", Html(Prose(1, 200), {"/old1", "/old2", "/old3"}));
  for (unsigned i = 1; i <= 3; ++i) {
    const std::string n = std::to_string(i);
    web_.Page("http://a.test/old" + n, Moved("/new" + n));
    web_.Page("http://a.test/new" + n, Html(Prose(10 + i, 200)));
  }
  const StatisticsSnapshot counts = Run({"http://a.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kExactText), 2U);
  EXPECT_EQ(counts.Of(Kind::kStored), 5U);
  // The <a> beside the refresh, and that to elsewhere.
  EXPECT_EQ(counts.links_not_followed, 4U);
  EXPECT_EQ(LinksNotFollowed(),
            (std::map<std::string, int>{{"http://a.test/old2", 2}, {"http://a.test/old3", 2}}));
}

// A header is no part of the bytes, and of a page that looks like nothing, too.
TEST_F(SkippedLinksTest, ARefreshLeadsOnFromAnyPage) {
  options_.soft_404.probe = true;
  web_.Page("http://a.test/", Html(Prose(1, 200), {"/old1", "/old2"}));
  for (const std::string n : {"1", "2"}) {
    FetchResponse moved = MemoryWeb::Html(Html("This page has moved"));
    moved.headers.emplace_back("refresh", "0; url=/new" + n);
    web_.Set("http://a.test/old" + n, moved);
    web_.Page("http://a.test/new" + n, Moved("/newer" + n));
    web_.Page("http://a.test/newer" + n, Html(Prose(10 + static_cast<unsigned>(n[0]), 200)));
  }
  web_.Otherwise("http://a.test/", [](const std::string& url) {
    if (url.ends_with("robots.txt")) return MemoryWeb::Status(404);
    return MemoryWeb::Html(Html("This page has moved"));
  });
  const StatisticsSnapshot counts = Run({"http://a.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kSoft404), 4U);
  EXPECT_EQ(counts.Of(Kind::kStored), 3U);
  EXPECT_EQ(web_.CountOf("http://a.test/elsewhere"), 0);
}

// What they show stands in other pages.
TEST_F(SkippedLinksTest, PagesThatAreUnlikeByTheirFramesAloneLeadToThem) {
  const auto viewer = [](const std::string& frame) {
    return "<base href=/view/><p>Your document is shown below.</p><iframe src='" + frame +
           "'></iframe><iframe src=http://ads.test/" + frame + "></iframe><a href=/out>More</a>";
  };
  web_.Page("http://a.test/", Html(Prose(1, 200), {"/doc1", "/doc2", "/doc3", "/doc4"}));
  for (unsigned i = 1; i <= 4; ++i) {
    const std::string n = std::to_string(i);
    web_.Page("http://a.test/doc" + n, viewer(n + ".html"));
    web_.Page("http://a.test/view/" + n + ".html", Html(Prose(10 + i, 200)));
  }
  const StatisticsSnapshot counts = Run({"http://a.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kStored), 6U);
  EXPECT_EQ(counts.Of(Kind::kExactText), 3U);
  EXPECT_EQ(web_.CountOf("http://ads.test/1.html"), 1) << "as of any page";
  EXPECT_EQ(web_.CountOf("http://ads.test/2.html"), 0);
  EXPECT_EQ(LinksNotFollowed(),
            (std::map<std::string, int>{
                {"http://a.test/doc2", 2}, {"http://a.test/doc3", 2}, {"http://a.test/doc4", 2}}));
}

TEST_F(SkippedLinksTest, CopiesInFramesOfCopiesHaveAnEnd) {
  options_.scope.depth_max = 7;
  web_.Otherwise("http://a.test/", [](const std::string& url) {
    if (url.ends_with("/robots.txt")) return MemoryWeb::Status(404);
    return MemoryWeb::Html("<p>In a frame</p><iframe src='" + url.substr(13) + "x'></iframe>");
  });
  const StatisticsSnapshot counts = Run({"http://a.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kStored), 1U);
  EXPECT_EQ(counts.Of(Kind::kExactText), 7U);
}

TEST_F(SkippedLinksTest, ASeedsRefreshWidensTheScopeAsItsRedirectDoes) {
  options_.scope.reach = frontier::ScopeReach::kHost;
  web_.Page("http://a.test/", Moved("http://www.a.test/"));
  web_.Page("http://www.a.test/", Html(Prose(1, 200), {"/x", "http://b.test/"}));
  web_.Page("http://www.a.test/x", Moved("http://b.test/"));
  Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://www.a.test/x"), 1);
  EXPECT_EQ(web_.CountOf("http://b.test/"), 0) << "no seed leads there";
}

TEST_F(SkippedLinksTest, EachSeedLeadsOnWhateverItSays) {
  const std::string welcome = Html("Welcome", {"home.html"});
  for (const char host : {'a', 'b', 'c'}) {
    const std::string site = std::string("http://") + host + ".test/";
    web_.Page(site, welcome);
    web_.Page(site + "home.html", Html(Prose(static_cast<unsigned>(host), 200), {"copy"}));
    web_.Page(site + "copy", Html(Prose(1, 200), {"more"}));
  }
  const StatisticsSnapshot counts =
      Run({"http://a.test/", "http://b.test/", "http://c.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kStored), 5U);
  EXPECT_EQ(LinksNotFollowed(), (std::map<std::string, int>{{"http://b.test/", 0},
                                                            {"http://c.test/", 0},
                                                            {"http://b.test/copy", 1},
                                                            {"http://c.test/copy", 1}}));
}

// Two versions of a manual, say.
TEST_F(SkippedLinksTest, TheSamePageInAnotherFolderLeadsToThatFoldersPages) {
  web_.Page("http://a.test/", Html(Prose(1, 200), {"/1.0/", "/2.0/", "/3.0/all", "/1.0/copy"}));
  const std::vector<std::string> links = {"one.html", "sub/two.html?a:b", "/3.0/only-here"};
  for (const std::string version : {"1.0", "2.0"}) {
    web_.Page("http://a.test/" + version + "/", Html(Prose(2, 200), links));
    for (const std::string page : {"/one.html", "/sub/two.html?a:b"}) {
      web_.Page("http://a.test/" + version + page,
                Html(Prose(static_cast<unsigned>(version[0] + page[1]) * 100, 200)));
    }
  }
  // The same words in other bytes.
  web_.Page("http://a.test/3.0/all", Html(Prose(2, 200), {"three.html", "http://b.test/"}));
  web_.Page("http://a.test/1.0/copy", Html(Prose(2, 200), {"four.html"}));
  web_.Page("http://a.test/3.0/three.html", Html(Prose(9, 200)));
  const StatisticsSnapshot counts = Run({"http://a.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kStored), 7U);
  EXPECT_EQ(web_.CountOf("http://a.test/3.0/three.html"), 1);
  EXPECT_EQ(LinksNotFollowed(), (std::map<std::string, int>{{"http://a.test/2.0/", 1},
                                                            {"http://a.test/3.0/all", 1},
                                                            {"http://a.test/1.0/copy", 1}}));
}

// Unlike services of one machine that say "It works"; but a site in https is that in http.
TEST_F(SkippedLinksTest, TheSamePageOnAnotherPortLeadsToThatPortsPages) {
  const std::vector<std::string> ports = {"http://a.test", "http://a.test:8000",
                                          "http://a.test:8001", "https://a.test"};
  std::vector<std::string> doors;
  for (unsigned i = 0; i < ports.size(); ++i) {
    doors.push_back(ports[i] + "/");
    web_.Page(doors.back(), Html(Prose(2, 200), {"one.html", "/two.html", "http://b.test/"}));
    web_.Page(ports[i] + "/one.html", Html(Prose(10 + i, 200)));
    web_.Page(ports[i] + "/two.html", Html(Prose(20 + i, 200)));
  }
  web_.Page("http://c.test/", Html(Prose(1, 200), doors));
  const StatisticsSnapshot counts = Run({"http://c.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kStored), 1U + 1U + 3U * 2U);
  EXPECT_EQ(LinksNotFollowed(),
            (std::map<std::string, int>{
                {"http://a.test:8000/", 1}, {"http://a.test:8001/", 1}, {"https://a.test/", 3}}));
}

// A page to print, met before the page itself; and what differs by a header alone.
TEST_F(SkippedLinksTest, ACopyOfAPageThatSaysNofollowLeadsOn) {
  options_.contentseen.k = 6;
  const std::string by_itself = Html(Prose(2, 200), {"/n1"});
  const std::string by_header = Html(Prose(3, 200), {"/n2"});
  const std::string near = Prose(4, 800);
  web_.Page("http://a.test/", Html(Prose(1, 200), {"/art?print=1", "/h1", "/near1"}));
  web_.Page("http://a.test/art?print=1", "<meta name=robots content=nofollow>" + by_itself);
  FetchResponse tagged = MemoryWeb::Html(by_header);
  tagged.headers.emplace_back("x-robots-tag", "nofollow");
  web_.Set("http://a.test/h1", tagged);
  web_.Page("http://a.test/near1", "<meta name=robots content=nofollow>" + Html(near, {"/n3"}));
  Run({"http://a.test/"});
  EXPECT_EQ(web_.CountOf("http://a.test/n1"), 0);

  // What it asked is known to a later run, too.
  web_.Page("http://b.test/", Html(Prose(5, 200), {"http://a.test/art", "http://a.test/h2",
                                                   "http://a.test/h3", "http://a.test/near2"}));
  web_.Page("http://a.test/art", by_itself);
  web_.Page("http://a.test/h2", by_header);
  tagged.headers.back().second = "nofollow, noarchive";
  web_.Set("http://a.test/h3", tagged);
  web_.Page("http://a.test/near2", Html(near + " seen twice", {"/n3"}));
  Run({"http://b.test/"});
  EXPECT_EQ(web_.CountOf("http://a.test/n1"), 1);
  EXPECT_EQ(web_.CountOf("http://a.test/n2"), 1);
  EXPECT_EQ(web_.CountOf("http://a.test/n3"), 1);
  EXPECT_EQ(LinksNotFollowed(), (std::map<std::string, int>{{"http://a.test/art", 0},
                                                            {"http://a.test/h2", 0},
                                                            {"http://a.test/h3", 1},
                                                            {"http://a.test/near2", 0}}));
}

// Those of a sitemap, of a page that is not kept and of a seed that was seen are followed, too.
TEST_F(SkippedLinksTest, LinksFoundAndQueuedAreThoseOfTheLinesOfStoredPages) {
  const std::string welcome = Html("Welcome", {"x", "y"});
  for (const std::string origin : {"http://a.test", "http://b.test"}) {
    const std::string site = origin + "/";
    web_.Robots(origin, "Sitemap: " + site + "sitemap.xml\n");
    web_.Page(site + "sitemap.xml", "<urlset><url><loc>" + site + "listed</loc></url></urlset>");
    web_.Page(site, welcome);
    web_.Page(site + "x", "<meta name=robots content=noindex>" + Html(Prose(3, 200), {"z"}));
    web_.Page(site + "y", "<meta name=robots content=nofollow>" + Html(Prose(4, 200), {"w"}));
  }
  const StatisticsSnapshot counts = Run({"http://a.test/", "http://b.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kSitemap), 2U);
  EXPECT_EQ(counts.Of(Kind::kNoIndex), 2U);
  std::uint64_t found = 0, queued = 0;
  for (const auto& line : Log("pages.jsonl")) {
    found += line.at("links_found").get<std::uint64_t>();
    queued += line.at("links_queued").get<std::uint64_t>();
  }
  EXPECT_EQ(found, 3U);
  EXPECT_EQ(counts.links_found, found);
  EXPECT_EQ(counts.links_queued, queued);
}

TEST_F(SkippedLinksTest, FoldersThatAreAllTheSameHaveAnEndBehindAPageThatSaysNofollow) {
  options_.scope.depth_max = 1'000;
  options_.scope.path_segments_max = 1'000;
  options_.scope.segment_repeats_max = 1'000;
  const std::string door = Html(Prose(1, 200), {"a/", "/out"});
  FetchResponse tagged = MemoryWeb::Html(door);
  tagged.headers.emplace_back("x-robots-tag", "nofollow");
  web_.Set("http://a.test/x/", tagged);
  web_.Page("http://b.test/", Html(Prose(2, 200), {"http://a.test/x/", "http://a.test/x/a/"}));
  web_.Otherwise("http://a.test/x/", [&](const std::string&) { return MemoryWeb::Html(door); });
  const StatisticsSnapshot counts = Run({"http://b.test/"}).statistics;
  EXPECT_EQ(web_.CountOf("http://a.test/out"), 1);
  EXPECT_EQ(counts.Of(Kind::kExactBytes), 1U + FolderCopies::kOfHostMax);
}

TEST_F(SkippedLinksTest, FoldersThatAreAllTheSameHaveAnEnd) {
  options_.scope.depth_max = 1'000;
  options_.scope.path_segments_max = 1'000;
  options_.scope.segment_repeats_max = 1'000;
  const std::string door = Html(Prose(1, 200), {"a/", "b/", "c/"});
  web_.Page("http://a.test/x/", door);
  web_.Otherwise("http://a.test/x/", [&](const std::string&) { return MemoryWeb::Html(door); });
  const StatisticsSnapshot counts = Run({"http://a.test/x/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kStored), 1U);
  EXPECT_EQ(counts.Of(Kind::kExactBytes), 3U + 3U * FolderCopies::kOfHostMax);
}

}  // namespace
}  // namespace crawler
