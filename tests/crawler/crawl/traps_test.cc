// Sites that would hold a crawl for ever, on a web in memory.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/crawler/crawl/crawl_fixture.h"

namespace crawler {
namespace {

using Kind = Disposition;

class TrapCrawlTest : public CrawlTest {
 protected:
  TrapCrawlTest() {
    options_.soft_404.probe = true;
    options_.frontier.delay = std::chrono::milliseconds(100);
  }

  static std::string Sorry(const std::string& path) {
    return "<html><head><title>Sorry</title></head><body><p>Sorry, the page " + path +
           " was not found on this server. Try the search or the front page.</p></body></html>";
  }
};

TEST_F(TrapCrawlTest, Row64_SoftNotFoundPagesAreRecognised) {
  std::vector<std::string> links;
  for (int i = 0; i < 30; ++i) links.push_back("/gone/" + std::to_string(i));
  for (int i = 0; i < 5; ++i) links.push_back("/article/" + std::to_string(i));
  web_.Page("http://site.test/", Html(Prose(1, 200), links));
  for (int i = 0; i < 5; ++i) {
    web_.Page("http://site.test/article/" + std::to_string(i),
              Html(Prose(100 + static_cast<unsigned>(i), 200)));
  }
  web_.Otherwise("http://site.test/",
                 [](const std::string& url) { return MemoryWeb::Html(Sorry(url.substr(16))); });
  const StatisticsSnapshot counts = Run({"http://site.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kProbe), 1U);
  EXPECT_EQ(counts.Of(Kind::kSoft404), 30U);
  EXPECT_EQ(counts.Of(Kind::kStored), 6U);
}

// All that is known of it waits before it is asked for anything, and more than it may have pages.
TEST_F(TrapCrawlTest, DeadLinksToAHostAreRecognisedFromTheFirstOn) {
  options_.frontier.pages_per_host_max = 20;
  std::vector<std::string> links;
  for (int i = 0; i < 30; ++i) links.push_back("http://gone.test/" + std::to_string(i));
  web_.Page("http://hub.test/", Html(Prose(1, 200), links));
  web_.Otherwise("http://gone.test/", [](const std::string& url) {
    return url.ends_with("robots.txt") ? MemoryWeb::Status(404)
                                       : MemoryWeb::Html(Sorry(url.substr(16)));
  });
  const StatisticsSnapshot counts = Run({"http://hub.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kSoft404), 20U);
  EXPECT_EQ(counts.Of(Kind::kStored), 1U);
}

TEST_F(TrapCrawlTest, Row24_TwoHundredWithAnErrorsText) {
  web_.Page("http://site.test/", Html(Prose(1, 200), {"/broken"}));
  web_.Page("http://site.test/broken", Sorry("/broken"));
  web_.Otherwise("http://site.test/",
                 [](const std::string& url) { return MemoryWeb::Html(Sorry(url.substr(16))); });
  const StatisticsSnapshot counts = Run({"http://site.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kSoft404), 1U);
  EXPECT_EQ(counts.Of(Kind::kStored), 1U);
}

// They lead on where no page that is there does, and only from the first: what the probe was
// answered is no page that anybody links to.
TEST_F(TrapCrawlTest, ASoft404ThatIsTheFirstOfItsHostLeadsOn) {
  std::vector<std::string> links;
  for (unsigned i = 0; i < 20; ++i) {
    links.push_back("/article/" + std::to_string(i));
    web_.Page("http://site.test" + links.back(), Html(Prose(100 + i, 200), {"/index.php"}));
  }
  web_.Otherwise("http://site.test/", [&](const std::string& url) {
    if (url.ends_with("/robots.txt")) return MemoryWeb::Status(404);
    std::vector<std::string> all = links;
    all.push_back("?printable=1");  // of whatever was asked for
    return MemoryWeb::Html(Html(Prose(1, 200), all));
  });
  const StatisticsSnapshot counts = Run({"http://site.test/article/5"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kStored), 20U);
  EXPECT_EQ(counts.Of(Kind::kProbe), 1U);
  EXPECT_EQ(counts.Of(Kind::kSoft404), 2U);
  EXPECT_EQ(web_.CountOf("http://site.test/index.php?printable=1"), 1);
}

TEST_F(TrapCrawlTest, AProbeGoesOnToWhereItsHostKeepsWhatIsAskedFor) {
  std::vector<std::string> links;
  for (unsigned i = 0; i < 10; ++i) {
    const std::string n = std::to_string(i);
    links.push_back("/article/" + n);
    links.push_back("/gone/" + n);
    web_.Page("https://site.test/article/" + n, Html(Prose(100 + i, 200)));
  }
  web_.Page("https://site.test/", Html(Prose(1, 200), links));
  web_.Otherwise("http://site.test/", [](const std::string& url) {
    return MemoryWeb::Status(301, {{"location", "https" + url.substr(4)}});
  });
  web_.Otherwise("https://site.test/",
                 [](const std::string& url) { return MemoryWeb::Html(Sorry(url.substr(17))); });
  web_.Set("https://site.test/robots.txt", MemoryWeb::Status(404));
  const StatisticsSnapshot counts = Run({"http://site.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kStored), 11U);
  EXPECT_EQ(counts.Of(Kind::kSoft404), 10U);
  EXPECT_EQ(counts.Of(Kind::kProbe), 2U) << "with the redirect";
}

TEST_F(TrapCrawlTest, AProbeThatIsSentOnForEverComesToAnEnd) {
  web_.Page("http://site.test/", Html(Prose(1, 200), {"/a"}));
  web_.Page("http://site.test/a", Html(Prose(2, 200)));
  web_.Otherwise("http://site.test/", [](const std::string& url) {
    if (url.ends_with("/robots.txt")) return MemoryWeb::Status(404);
    return MemoryWeb::Status(302, {{"location", "/x" + url.substr(16)}});
  });
  const StatisticsSnapshot counts = Run({"http://site.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kProbe), 1U + options_.frontier.redirects_max);
  EXPECT_EQ(counts.Of(Kind::kStored), 2U);
}

TEST_F(TrapCrawlTest, AnHonestHostIsAskedOnceAndLosesNothing) {
  web_.Page("http://site.test/", Html(Prose(1, 200), {"/a"}));
  web_.Page("http://site.test/a", Html("Sorry, this page is short"));
  const StatisticsSnapshot counts = Run({"http://site.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kProbe), 1U);
  EXPECT_EQ(counts.Of(Kind::kStored), 2U);
  EXPECT_EQ(web_.requests().size(), 4U);  // robots.txt, two pages, the probe
}

// What all pages share says nothing of them.
TEST_F(TrapCrawlTest, ALongMenuDoesNotMakeShortPagesSoftNotFound) {
  std::vector<std::string> links;
  for (int i = 0; i < 10; ++i) links.push_back("/" + std::to_string(i));
  auto page = [&](const std::string& text) {
    return "<html><body><nav>" + Prose(3, 3'000) + "</nav><main><p>" + text + "</p></main></body>";
  };
  web_.Page("http://site.test/", Html(Prose(1, 200), links));
  for (unsigned i = 0; i < 8; ++i) {
    web_.Page("http://site.test" + links[i], page(Prose(10 + i, 25)));
  }
  web_.Otherwise("http://site.test/", [&](const std::string&) {
    return MemoryWeb::Html(page("Sorry, what you look for is not here"));
  });
  const StatisticsSnapshot counts = Run({"http://site.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kProbe), 1U);
  EXPECT_EQ(counts.Of(Kind::kSoft404), 2U);
  EXPECT_EQ(counts.Of(Kind::kStored), 9U);
}

TEST_F(TrapCrawlTest, Row36_EverythingToTheLoginPage) {
  std::vector<std::string> links;
  for (unsigned i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i);
    links.push_back("/members/" + n);
    links.push_back("/thread/" + n);
    web_.Page("http://site.test/thread/" + n, Html(Prose(100 + i, 100), {"/reply/" + n}));
    web_.Page("http://site.test/reply/" + n, Html(Prose(200 + i, 100)));
  }
  web_.Page("http://site.test/", Html(Prose(1, 200), links));
  web_.Otherwise("http://site.test/", [](const std::string& url) {
    if (url.find("/login") != std::string::npos) return MemoryWeb::Html(Html(Prose(7, 60)));
    return MemoryWeb::Status(302, {{"location", "/login?next=" + url.substr(16)}});
  });
  options_.frontier.traps.idle_parameter_pages = 10;
  const StatisticsSnapshot counts = Run({"http://site.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kRedirected), 40U);
  EXPECT_EQ(counts.Of(Kind::kStored), 82U) << "the login page once";
  // What it is named by is idle: eleven of the 40 say so, and one of them stands for the others,
  // of which the 1st, 2nd, 4th, 8th and 16th are asked for to see if it is so still.
  EXPECT_EQ(counts.Of(Kind::kExactBytes), 16U);
  EXPECT_EQ(counts.Of(Kind::kTrapped), 23U);
}

// Then it gives one page with status 200 whatever it is asked for.
TEST_F(TrapCrawlTest, ASiteInMaintenanceForAWhileLosesNoMoreThanItWasAskedFor) {
  constexpr unsigned kThreads = 100;
  constexpr int kRequests = 30;
  std::vector<std::string> links;
  for (unsigned i = 0; i < kThreads; ++i) links.push_back("/thread?t=" + std::to_string(i));
  web_.Page("http://site.test/", Html(Prose(1, 200), links));
  int asked = 0;
  web_.Otherwise("http://site.test/", [&](const std::string& url) {
    if (url.find("/thread?t=") == std::string::npos) return MemoryWeb::Status(404);
    if (++asked <= kRequests) return MemoryWeb::Html(Html("Back soon. " + Prose(7, 60)));
    const auto thread = static_cast<unsigned>(std::stoul(url.substr(url.find('=') + 1)));
    return MemoryWeb::Html(Html(Prose(100 + thread, 200)));
  });
  const StatisticsSnapshot counts = Run({"http://site.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kExactBytes), kRequests - 1U);
  EXPECT_EQ(counts.Of(Kind::kStored), 2 + kThreads - kRequests) << "with the one page itself";
  EXPECT_EQ(counts.Of(Kind::kTrapped), 0U);
}

// To tidy URLs it redirects from untidy ones, and to those that are not there, too.
TEST_F(TrapCrawlTest, ASiteBehindAFrontControllerIsNotLost) {
  std::vector<std::string> links;
  for (int i = 0; i < 10; ++i) links.push_back("/Item_" + std::to_string(i));
  web_.Page("http://site.test/", Html(Prose(1, 200), links));
  for (unsigned i = 0; i < 10; ++i) {
    web_.Page("http://site.test/index.php?title=Item_" + std::to_string(i),
              Html(Prose(10 + i, 200)));
  }
  web_.Otherwise("http://site.test/", [](const std::string& url) {
    if (url.find("/index.php") != std::string::npos) return MemoryWeb::Status(404);
    return MemoryWeb::Status(301, {{"location", "/index.php?title=" + url.substr(17)}});
  });
  const StatisticsSnapshot counts = Run({"http://site.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kProbe), 1U);
  EXPECT_EQ(counts.Of(Kind::kStored), 11U);
}

TEST_F(TrapCrawlTest, AFrontControllersPagesAreNotWhereItSendsWhatIsNotThere) {
  std::vector<std::string> links;
  for (int i = 0; i < 10; ++i) links.push_back("/item/" + std::to_string(i));
  web_.Page("http://site.test/", Html(Prose(1, 200), links));
  for (unsigned i = 0; i < 10; ++i) {
    const std::string page = "/index.php?id=" + std::to_string(i);
    web_.Set("http://site.test" + links[i], MemoryWeb::Status(302, {{"location", page}}));
    web_.Page("http://site.test" + page, Html(Prose(10 + i, 200)));
  }
  web_.Page("http://site.test/index.php?route=error/not_found", Sorry("that you want"));
  web_.Otherwise("http://site.test/", [](const std::string&) {
    return MemoryWeb::Status(302, {{"location", "/index.php?route=error/not_found"}});
  });
  const StatisticsSnapshot counts = Run({"http://site.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kProbe), 1U);
  EXPECT_EQ(counts.Of(Kind::kSoft404), 0U);
  EXPECT_EQ(counts.Of(Kind::kStored), 11U);
}

// They are neither stored nor compared with others.
TEST_F(TrapCrawlTest, Row60_CalendarsThatAreNotKeptAreClosedToo) {
  options_.frontier.traps.pattern_duplicates_max = 30;
  options_.scope.depth_max = 1'000;
  static const char* const kDays[] = {"Monday", "Tuesday", "Friday"};
  web_.Page("http://site.test/", Html(Prose(1, 200), {"/day/1"}));
  web_.Otherwise("http://site.test/", [](const std::string& url) {
    if (url.ends_with("/robots.txt")) return MemoryWeb::Status(404);
    const int i = std::stoi(url.substr(url.rfind('/') + 1));
    if (i > 500) return MemoryWeb::Status(404);  // should nothing close it
    const std::string next = url.substr(0, url.rfind('/') + 1) + std::to_string(i + 1);
    return MemoryWeb::Html(
        "<meta name=robots content=noindex>" +
        Html("No events on " + std::string(kDays[i % 3]) + " the " + std::to_string(i % 30) + "th",
             {next}));
  });
  options_.soft_404.probe = false;
  const StatisticsSnapshot counts = Run({"http://site.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kNoIndex), 33U) << "three that were new, then thirty";
  EXPECT_EQ(counts.Of(Kind::kStored), 1U);
}

TEST_F(TrapCrawlTest, ListsThatAreNotKeptLeadToEveryArticle) {
  constexpr unsigned kLists = 80;
  options_.frontier.traps.pattern_duplicates_max = 10;
  options_.scope.depth_max = 1'000;
  for (unsigned i = 0; i < kLists; ++i) {
    const std::string n = std::to_string(i);
    web_.Page("http://site.test/list/" + n,
              "<meta name=robots content=noindex>" +
                  Html(Prose(i, 20), {"/list/" + std::to_string(i + 1), "/article/" + n}));
    web_.Page("http://site.test/article/" + n, Html(Prose(1'000 + i, 100)));
  }
  const StatisticsSnapshot counts = Run({"http://site.test/list/0"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kNoIndex), kLists);
  EXPECT_EQ(counts.Of(Kind::kStored), kLists);
}

TEST_F(TrapCrawlTest, Row124_OneSkeletonOnEveryUrl) {
  const std::string skeleton = Html("Loading, please wait until the script has run");
  std::vector<std::string> links;
  for (int i = 0; i < 50; ++i) links.push_back("http://app.test/view/" + std::to_string(i));
  web_.Page("http://site.test/", Html(Prose(1, 200), links));
  web_.Otherwise("http://app.test/",
                 [&](const std::string&) { return MemoryWeb::Html(skeleton); });
  const StatisticsSnapshot counts = Run({"http://site.test/", "http://app.test/"}).statistics;
  EXPECT_EQ(counts.Of(Kind::kStored), 2U);
  EXPECT_EQ(counts.InGroup(DispositionGroup::kSkipped) + counts.Of(Kind::kSoft404), 50U);
}

// All of them at once, each endless by itself, beside a good site.
TEST_F(TrapCrawlTest, AThousandGoodPagesAmongTraps) {
  constexpr int kGood = 1'000;
  options_.frontier.pages_per_host_max = 1'500;
  options_.frontier.hosts_per_domain_max = 40;
  options_.frontier.traps.pattern_duplicates_max = 100;
  options_.frontier.traps.queries_per_path_max = 300;
  std::vector<std::string> doors = {"http://calendar.test/2026/1", "http://session.test/?visit=1",
                                    "http://deep.test/a/",         "http://w1.wild.test/",
                                    "http://babel.test/1",         "http://facet.test/list?c=1",
                                    "http://dead.test/",           "http://busy.test/",
                                    "http://loop.test/1"};
  for (int i = 0; i < kGood; ++i) {
    std::vector<std::string> links;
    for (int child : {2 * i + 1, 2 * i + 2}) {
      if (child < kGood) links.push_back("/" + std::to_string(child));
    }
    if (i < static_cast<int>(doors.size())) links.push_back(doors[static_cast<std::size_t>(i)]);
    web_.Page("http://good.test/" + std::to_string(i),
              Html(Prose(10'000 + static_cast<unsigned>(i), 80), links));
  }
  int n = 0;
  auto next = [&n] { return std::to_string(++n); };
  web_.Otherwise("http://calendar.test/", [&](const std::string&) {
    return MemoryWeb::Html(Html("No events on this day", {"/2026/" + next(), "/2027/" + next()}));
  });
  web_.Otherwise("http://session.test/", [&](const std::string&) {
    return MemoryWeb::Html(Html(Prose(3, 80), {"/?visit=" + next(), "/?visit=" + next()}));
  });
  web_.Otherwise("http://deep.test/", [&](const std::string& url) {
    return MemoryWeb::Html(
        Html(Prose(20'000 + static_cast<unsigned>(++n), 80), {url + "a/", url + next() + "/"}));
  });
  for (int i = 1; i < 200; ++i) {
    const std::string host = "http://w" + std::to_string(i) + ".wild.test/";
    web_.Page(host, Html(Prose(40'000 + static_cast<unsigned>(i), 80),
                         {"http://w" + std::to_string(i + 1) + ".wild.test/"}));
  }
  web_.Otherwise("http://babel.test/", [&](const std::string&) {
    return MemoryWeb::Html(
        Html(Prose(50'000 + static_cast<unsigned>(++n), 80), {"/" + next(), "/" + next()}));
  });
  web_.Otherwise("http://facet.test/", [&](const std::string&) {
    return MemoryWeb::Html(Html(Prose(90'000 + static_cast<unsigned>(++n), 80),
                                {"/list?c=" + next(), "/list?c=" + next() + "&d=1"}));
  });
  web_.Otherwise("http://dead.test/",
                 [](const std::string&) { return MemoryWeb::Failure(FetchError::kConnect); });
  web_.Otherwise("http://busy.test/", [](const std::string& url) {
    if (url.ends_with("/robots.txt")) return MemoryWeb::Status(404);
    return MemoryWeb::Status(503, {{"retry-after", "315360000"}});
  });
  web_.Otherwise("http://loop.test/", [&](const std::string&) {
    return MemoryWeb::Status(302, {{"location", "/" + next()}});
  });
  const StatisticsSnapshot counts = Run({"http://good.test/0"}).statistics;
  std::set<std::string> good;
  for (const std::string& url : Urls("pages.jsonl")) {
    if (url.starts_with("http://good.test/")) good.insert(url);
  }
  EXPECT_EQ(good.size(), static_cast<std::size_t>(kGood));
  EXPECT_LT(counts.Pages(), 6'000U);
}

}  // namespace
}  // namespace crawler
