// Hosts whose URLs go round in circles.

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "frontier/host_traps.h"
#include "tests/frontier/frontier_fixture.h"

namespace frontier {
namespace {

using Kind = PageContent::Kind;

std::string SessionId(int i) { return "0123456789abcdef" + std::to_string(10'000 + i); }

class TrapTest : public FrontierTest {
 protected:
  TrapTest() { options_.delay = std::chrono::seconds(0); }

  /// Ends pages as `judge` says until nothing is left; the URLs that were to be requested.
  template <class Judge>
  std::vector<std::string> CrawlJudged(Judge judge) {
    std::vector<std::string> requested;
    while (std::optional<Lease> page = NextPage()) {
      Ending ending;
      if (page->kind() == Lease::Kind::kPage) {
        requested.push_back(page->url().text());
        ending.content = judge(page->url());
      } else {
        EXPECT_EQ(page->kind(), Lease::Kind::kTrapped);
        ++closed_;
        ending.requested = false;
      }
      frontier().End(std::move(*page), ending);
    }
    return requested;
  }

  int closed_ = 0;
};

TEST_F(TrapTest, Row60_ACalendarIsClosedWhenItBringsNothingNew) {
  options_.traps.pattern_duplicates_max = 50;
  Schedule({"http://site/2026/1/1", "http://site/articles/1"});
  int day = 1;
  int article = 1;
  // Each day links to the next one, each article too; only articles are new.
  std::vector<std::string> requested = CrawlJudged([&](const Url& url) {
    if (url.path().starts_with("/articles/")) {
      if (++article <= 500) Schedule({"http://site/articles/" + std::to_string(article)});
      return PageContent{.kind = Kind::kNew,
                         .identity = 1'000'000U + static_cast<unsigned>(article)};
    }
    for (int i = 0; i < 3; ++i) {
      ++day;
      Schedule({"http://site/" + std::to_string(2026 + day / 360) + "/" +
                std::to_string(day / 30 % 12 + 1) + "/" + std::to_string(day % 30 + 1)});
    }
    return PageContent{.kind = Kind::kDuplicate};
  });
  int days = 0;
  for (const std::string& url : requested) days += url.find("/articles/") == std::string::npos;
  EXPECT_EQ(days, 50);
  EXPECT_EQ(requested.size(), 550U);
  EXPECT_GT(closed_, 50);  // those that waited end without a request
  EXPECT_EQ(frontier().Stats().patterns_closed, 1U);
  EXPECT_EQ(Over(Schedule({"http://site/2027/3/3"}), ScheduleLimit::kClosedPattern), 1U);
  EXPECT_EQ(Schedule({"http://other/2027/3/3", "http://site/2027"}).queued, 2U);
  EXPECT_TRUE(NextPage().has_value());
}

TEST_F(TrapTest, APatternThatBringsSomethingNewNowAndThenStaysOpen) {
  options_.traps.pattern_duplicates_max = 10;
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) texts.push_back("http://site/p/" + std::to_string(i));
  Schedule(texts);
  int n = 0;
  EXPECT_EQ(CrawlJudged([&n](const Url&) {
              return PageContent{.kind = ++n % 10 == 0 ? Kind::kNew : Kind::kDuplicate};
            }).size(),
            500U);
  EXPECT_EQ(closed_, 0);
}

TEST_F(TrapTest, Row61_AnUnknownSessionIdIsLearned) {
  options_.traps.idle_parameter_pages = 10;
  Schedule({"http://shop/p?item=0&visit=0"});
  int visit = 0;
  // Every page names all 30 items under a new session id; an item's page is always the same.
  std::vector<std::string> requested = CrawlJudged([&](const Url& url) {
    ScheduleCounts counts;
    for (int item = 0; item < 30; ++item) {
      Schedule({"http://shop/p?item=" + std::to_string(item) + "&visit=" + std::to_string(visit)});
    }
    ++visit;
    const std::string_view query = url.query();
    const std::string item(query.substr(5, query.find('&') - 5));
    return PageContent{.kind = Kind::kDuplicate, .identity = 1 + std::stoull(item)};
  });
  EXPECT_LT(requested.size(), 30U * 5);  // without it there would be no end
  std::set<std::string> items;
  for (const std::string& url : requested) items.insert(url.substr(0, url.find('&')));
  EXPECT_EQ(items.size(), 30U);
  ScheduleCounts counts = Schedule({"http://shop/p?visit=77&item=3", "http://shop/p?visit=78"});
  EXPECT_EQ(counts.left_to_another, 1U);
  EXPECT_EQ(counts.seen, 1U);
  EXPECT_EQ(counts.queued, 1U);
}

// Of the values that give the same page one must be there: without any there is none.
TEST_F(TrapTest, WhatIsAskedForIsWhatSomebodyLinkedTo) {
  options_.traps.idle_parameter_pages = 10;
  std::vector<std::string> texts;
  for (int i = 0; i < 120; ++i) {
    const char* from = i / 10 % 2 == 0 ? "list" : "search";
    const int document = i / 20 * 10 + i % 10;
    texts.push_back("http://site/doc?id=" + std::to_string(document) + "&from=" + from);
  }
  Schedule(texts);
  std::set<std::string> documents;
  const std::vector<std::string> requested = CrawlJudged([&](const Url& url) {
    const std::string_view id = url.query().substr(3, url.query().find('&') - 3);
    EXPECT_NE(url.query().find("&from="), std::string_view::npos) << url.text();
    const bool is_new = documents.emplace(id).second;
    return PageContent{.kind = is_new ? Kind::kNew : Kind::kDuplicate,
                       .identity = 1 + std::stoull(std::string(id))};
  });
  EXPECT_EQ(documents.size(), 60U);
  EXPECT_LT(requested.size(), 85U) << "of the others after the first ten a few";
}

// robots.txt denies, say, what stands for the others.
TEST_F(TrapTest, WhatStandsForOthersAndIsNoPageLetsOneMoreStandForThem) {
  options_.traps.idle_parameter_pages = 10;
  const auto at = [](int item, const char* from) {
    return "http://site/p?item=" + std::to_string(item) + "&from=" + from;
  };
  for (int i = 0; i < 24; ++i) Schedule({at(i % 6 + i / 12 * 6, i % 12 < 6 ? "a" : "b")});
  for (const char* from : {"nav", "body", "foot"}) {
    for (int i = 12; i < 40; ++i) Schedule({at(i, from)});
  }
  std::set<std::string> items;
  int copies = 0;
  CrawlJudged([&](const Url& url) {
    if (url.query().ends_with("=nav")) return PageContent{};
    const std::string item(url.query().substr(5, url.query().find('&') - 5));
    const bool is_new = items.insert(item).second;
    if (item >= "12" && !is_new && item.size() == 2) ++copies;
    return PageContent{.kind = is_new ? Kind::kNew : Kind::kDuplicate,
                       .identity = 1 + std::stoull(item)};
  });
  EXPECT_EQ(items.size(), 40U);
  EXPECT_LT(copies, 12) << "those asked for in doubt";
}

// Which gives whoever asks without one a new id, by a redirect to what is the same but for it.
TEST_F(TrapTest, APageThatRedirectsToItselfWithAnIdleParameterIsNotLost) {
  options_.traps.idle_parameter_pages = 10;
  int visit = 0;
  const auto with_visit = [&](int item) {
    return "http://site/p?item=" + std::to_string(item) + "&visit=" + std::to_string(++visit);
  };
  for (int i = 0; i < 24; ++i) Schedule({with_visit(i / 2)});
  for (int i = 12; i < 40; ++i) Schedule({"http://site/p?item=" + std::to_string(i)});
  Schedule({with_visit(12)});  // stands for those of its item, but may have expired
  std::set<std::string> items;
  while (std::optional<Lease> page = NextPage()) {
    Ending ending{.requested = page->kind() == Lease::Kind::kPage};
    const std::string url = page->url().text();
    const std::string item = url.substr(0, url.find('&'));
    if (ending.requested && item != url) {
      const bool is_new = items.insert(item).second;
      ending.content = {.kind = is_new ? Kind::kNew : Kind::kDuplicate,
                        .identity = 1 + std::stoull(item.substr(item.find('=') + 1))};
    } else if (ending.requested) {
      const Candidate target{.url = U(url + "&visit=" + std::to_string(++visit)),
                             .asked = page->url(),
                             .redirects = 1};
      EXPECT_EQ(frontier().Schedule({&target, 1}).queued, 1U) << url;
    }
    frontier().End(std::move(*page), ending);
  }
  EXPECT_EQ(items.size(), 40U);
}

// Texts that are not translated are the same in every language; others of the host are not, and
// are more than the pages remembered to compare with.
TEST_F(TrapTest, AParameterThatIsIdleInOnePartOfAHostIsNotDroppedFromAnother) {
  options_.traps.idle_parameter_pages = 10;
  std::vector<std::string> texts;
  for (const std::string lang : {"de", "fr"}) {
    for (int i = 0; i < 40; ++i) {
      texts.push_back("http://site/news" + std::to_string(i) + "?lang=" + lang);
    }
  }
  Schedule(texts);
  std::uint64_t documents = 0;
  const auto judge = [&](const Url& url) -> PageContent {
    if (url.path().starts_with("/doc")) return {.kind = Kind::kNew, .identity = 99 + ++documents};
    const bool german = url.query() == "lang=de";
    return {.kind = german ? Kind::kNew : Kind::kDuplicate,
            .identity = 1 + std::stoull(std::string(url.path().substr(5)))};
  };
  CrawlJudged(judge);
  texts.clear();
  for (const std::string query : {"", "?lang=de", "?lang=fr"}) {
    for (int i = 0; i < 300; ++i) texts.push_back("http://site/doc" + std::to_string(i) + query);
  }
  EXPECT_EQ(Schedule(texts).queued, texts.size());
  CrawlJudged(judge);
  EXPECT_EQ(documents, texts.size());
}

TEST_F(TrapTest, AParameterThatMattersOnceIsKept) {
  options_.traps.idle_parameter_pages = 3;
  for (int begin = 0; begin < 80; begin += 40) {
    std::vector<std::string> texts;
    for (int i = begin; i < begin + 40; ++i) {
      texts.push_back("http://site/list?page=" + std::to_string(i));
    }
    Schedule(texts);
    // Two pages differ, all others are the same empty list.
    const std::vector<std::string> requested = CrawlJudged([](const Url& url) {
      const bool first = url.query() == "page=1";
      return PageContent{.kind = first ? Kind::kNew : Kind::kDuplicate,
                         .identity = first ? 2U : 1U};
    });
    EXPECT_EQ(requested, texts);
  }
}

// What two scripts of a site call alike.
TEST_F(TrapTest, AParameterThatIsIdleOnOnePathIsKeptOnAnother) {
  const TrapOptions options{.idle_parameter_pages = 5};
  HostTraps traps;
  auto end = [&](const std::string& url, std::uint64_t identity) {
    traps.Ended(U("http://site/" + url), {.kind = Kind::kNew, .identity = identity}, options);
  };
  for (unsigned i = 0; i < 50; ++i) {
    const std::string n = std::to_string(i);
    end("photo.php?id=" + n, 1);
    end("news.php?id=" + n, 100 + i);
    end("photo.php?sid=" + n, 1);
    end("about/" + n, 200 + i);
  }
  EXPECT_EQ(traps.WithoutIdle(U("http://site/photo.php?id=77"), options).text(),
            "http://site/photo.php");
  for (const char* kept : {"article.php?id=77", "news.php?id=77", "article.php?sid=77"}) {
    EXPECT_EQ(traps.WithoutIdle(U(std::string("http://site/") + kept), options).text(),
              std::string("http://site/") + kept);
  }
  // As a session id is: on each path anew.
  for (const std::string name : {"visit", "view"}) {
    for (unsigned i = 0; i < 80; ++i) {
      const std::string url = std::to_string(i % 40) + "?" + name + "=" + std::to_string(i);
      end(url, name == "view" && i == 79 ? 1 : 1'000 + i % 40);
    }
  }
  EXPECT_EQ(traps.WithoutIdle(U("http://site/article.php?id=7&visit=8&view=9"), options).text(),
            "http://site/article.php?id=7&view=9");
}

TEST_F(TrapTest, Row62_FacetsEndAtTheBudgetOfTheirPath) {
  options_.traps.queries_per_path_max = 100;
  ScheduleCounts counts;
  for (int i = 0; i < 1'000; ++i) {
    counts += Schedule(
        {"http://shop/list?colour=" + std::to_string(i % 10) + "&size=" + std::to_string(i / 10)});
  }
  EXPECT_EQ(counts.queued, 100U);
  EXPECT_EQ(Over(counts, ScheduleLimit::kQueriesPerPath), 900U);
  EXPECT_EQ(Schedule({"http://shop/list", "http://shop/other?colour=1"}).queued, 2U);
}

TEST_F(TrapTest, WhatIsLearnedOfAHostIsCountedAndBeginsSmall) {
  Schedule({"http://site/p?a=1", "http://other/"});
  const std::uint64_t before = frontier().Stats().host_bytes;
  CrawlJudged([](const Url&) { return PageContent{.kind = Kind::kNew, .identity = 1}; });
  const std::uint64_t after = frontier().Stats().host_bytes;
  EXPECT_GT(after, before);
  EXPECT_LT(after, before + 500);
  HostTraps traps;
  for (int i = 0; i < 300; ++i) {
    const Url url = U("http://site/" + std::to_string(i) + "?a=1&b=2&c" + std::to_string(i));
    traps.Accepted(url);
    traps.Ended(url, {.kind = Kind::kDuplicate, .identity = 1}, {});
  }
  EXPECT_GT(traps.bytes(), 4'000U);
  EXPECT_LT(traps.bytes(), 7'200U);
}

// However small the memory of pages compared begins, none is lost that it has room for.
TEST_F(TrapTest, PagesAreComparedWithThoseLongBefore) {
  HostTraps traps;
  for (const std::string visit : {"1", "2"}) {
    for (int i = 0; i < 40; ++i) {
      traps.Ended(U("http://shop/" + std::to_string(i) + "?visit=" + visit),
                  {.kind = Kind::kNew, .identity = 1U + static_cast<unsigned>(i)}, {});
    }
  }
  EXPECT_TRUE(traps.HasIdle({.idle_parameter_pages = 25}));
}

class DoubtTest : public testing::Test {
 protected:
  // `identity` 0: one that no other is like.
  void End(const std::string& url, std::uint64_t identity) {
    const Kind kind = identity == 0 ? Kind::kNew : Kind::kDuplicate;
    traps_.Ended(U("http://site/" + url), {.kind = kind, .identity = identity}, options_);
  }
  // From a page that is the same whatever ?t= is, given among others.
  void LearnThatTIsIdle(std::uint64_t identity = 1) {
    for (int i = 0; i < 7; ++i) {
      End("thread?t=" + std::to_string(i), identity);
      End("about", 0);
    }
    ASSERT_TRUE(traps_.HasIdle(options_));
  }
  bool IsIdle(const std::string& url) const {
    return traps_.WithoutIdle(U("http://site/" + url), options_) != U("http://site/" + url);
  }

  TrapOptions options_{.idle_parameter_pages = 5};
  HostTraps traps_;
};

// As one in maintenance does.
TEST_F(DoubtTest, AHostThatGivesOnePageToAllTellsNothingOfAParameter) {
  for (int i = 0; i < 100; ++i) End("thread?t=" + std::to_string(i), 1);
  EXPECT_FALSE(traps_.HasIdle(options_));
}

// Pages that are generated may be out of order, and those between them well.
TEST_F(DoubtTest, NorDoesAPageThatIsGivenOnSeveralPaths) {
  for (int i = 0; i < 100; ++i) {
    End("thread" + std::to_string(i % 3) + "?t=" + std::to_string(i), 1);
    End("about", 0);
  }
  EXPECT_FALSE(traps_.HasIdle(options_));
}

// As where every URL without an entry says so: on many paths, and not on others.
TEST_F(DoubtTest, NorIsItThenIdleOnTheHost) {
  for (int i = 0; i < 200; ++i) {
    End("venue" + std::to_string(i % 40) + "?day=" + std::to_string(i), 1);
    End("about", 0);
  }
  EXPECT_FALSE(IsIdle("venue77?day=7"));
}

TEST_F(DoubtTest, WhatWasLearnedIsTakenBackWhenAPageDiffersAfterAll) {
  LearnThatTIsIdle();
  int requested = 0;
  for (int i = 10; i < 1'000; ++i) {
    if (!traps_.RequestAnyway(U("http://site/thread?t=" + std::to_string(i)))) continue;
    ++requested;
    End("thread?t=" + std::to_string(i), 1);
  }
  EXPECT_EQ(requested, 10) << "the 1st, 2nd, 4th ... 512th";
  EXPECT_TRUE(IsIdle("thread?t=7"));
  End("thread?t=2000", 2);
  EXPECT_FALSE(traps_.HasIdle(options_));
  // One page of many with session ids may have changed, so it may be learned again...
  LearnThatTIsIdle(2);
  EXPECT_TRUE(traps_.RequestAnyway(U("http://site/thread?t=3000"))) << "is doubted anew";
  // ... but not where two differ before.
  End("thread?t=3001", 3);
  End("thread?t=3002", 4);
  for (int i = 0; i < 100; ++i) {
    End("thread?t=" + std::to_string(i), 1);
    End("about", 0);
  }
  EXPECT_FALSE(traps_.HasIdle(options_));
}

// Memory of pages to compare with is short.
TEST_F(DoubtTest, ANewPageTakesItBackToo) {
  LearnThatTIsIdle();
  for (int i = 0; i < 200; ++i) End("thread?u=" + std::to_string(i), 0);
  End("thread?t=2000", 0);
  EXPECT_TRUE(IsIdle("thread?t=7")) << "which is no more than a page that has changed";
  ASSERT_TRUE(traps_.RequestAnyway(U("http://site/thread?t=3000")));
  End("thread?t=3000", 0);
  EXPECT_FALSE(traps_.HasIdle(options_));
}

TEST_F(DoubtTest, WhatIsAcceptedToLookAgainIsRequestedHoweverManyAreLeftOutMeanwhile) {
  LearnThatTIsIdle();
  std::vector<Url> accepted;
  for (int i = 10; i < 1'000; ++i) {
    const Url url = U("http://site/thread?t=" + std::to_string(i));
    if (traps_.AcceptAnyway(url)) accepted.push_back(url);
  }
  EXPECT_EQ(accepted.size(), 10U);
  for (int i = 1'000; i < 1'020; ++i) {
    traps_.RequestAnyway(U("http://site/thread?t=" + std::to_string(i)));
  }
  for (const Url& url : accepted) EXPECT_TRUE(traps_.RequestAnyway(url)) << url.text();
}

// By another process, that knows none of the pages any more.
TEST_F(DoubtTest, WhatWasKeptIsDoubtedAgain) {
  LearnThatTIsIdle();
  for (int i = 10; i < 1'000; ++i) {
    traps_.RequestAnyway(U("http://site/thread?t=" + std::to_string(i)));
  }
  std::string bytes;
  traps_.Append(bytes);
  base::ByteReader reader(bytes);
  traps_ = HostTraps::Read(reader);
  ASSERT_TRUE(IsIdle("thread?t=7"));
  for (unsigned i = 0; i < 2; ++i) {
    const std::string url = "thread?t=" + std::to_string(2'000 + i);
    ASSERT_TRUE(traps_.RequestAnyway(U("http://site/" + url)));
    End(url, 100 + i);
  }
  EXPECT_FALSE(traps_.HasIdle(options_));
}

// A queue is not drained by what was learned wrongly, nor are links left out for ever.
TEST_F(TrapTest, AParameterThatWasIdleForAWhileOnlyCostsFewUrls) {
  options_.traps.idle_parameter_pages = 10;
  const int waiting = 100;
  std::vector<std::string> texts;
  for (int i = 0; i < waiting; ++i) {
    texts.push_back("http://site/article?id=" + std::to_string(i));
    texts.push_back("http://site/" + std::to_string(i));
  }
  Schedule(texts);
  int asked = 0;  // of the articles: 15 times one page, whose script is out of order
  const auto judge = [&asked](const Url& url) -> PageContent {
    if (url.query().empty() && url.path() != "/article") return {.kind = Kind::kNew};
    if (++asked <= 15) return {.kind = Kind::kDuplicate, .identity = 1};
    return {.kind = Kind::kNew, .identity = 100U + static_cast<unsigned>(asked)};
  };
  CrawlJudged(judge);
  // Eleven and the shorter one; of the next, the 1st, 2nd, 4th and 8th are asked for.
  EXPECT_EQ(closed_, 4);
  Schedule({"http://site/article?id=1000", "http://site/article?id=1001"});
  EXPECT_EQ(CrawlJudged(judge).size(), 2U);
}

// A host that is in trouble fails as well: what is in doubt is tried as often as any other URL.
TEST_F(TrapTest, WhatIsAskedForInDoubtIsAskedForAgainWhereItFailsOrIsGivenBack) {
  options_.traps.idle_parameter_pages = 10;
  for (const bool given_back : {false, true}) {
    frontier_.reset();
    std::vector<std::string> texts;
    for (int i = 0; i < 100; ++i) {
      texts.push_back("http://site/article?id=" + std::to_string(i));
      texts.push_back("http://site/" + std::to_string(i));
    }
    Schedule(texts);
    int same = 0;
    std::set<std::string> failed;
    std::set<std::string> again;
    while (std::optional<Lease> page = NextPage()) {
      const std::string url = page->url().text();
      const bool article = !page->url().query().empty();
      Ending ending{.requested = page->kind() == Lease::Kind::kPage};
      if (ending.requested && article && ++same <= 11) {
        ending.content = {.kind = Kind::kDuplicate, .identity = 1};
      } else if (ending.requested && article && failed.insert(url).second) {
        if (given_back) continue;
        ending.retry = true;
      } else if (ending.requested) {
        ending.content = {.kind = article ? Kind::kDuplicate : Kind::kNew};
        if (article) again.insert(url);
      }
      frontier().End(std::move(*page), ending);
    }
    EXPECT_EQ(failed.size(), 8U) << "one for all; the 1st, 2nd, 4th ... 64th of the others";
    EXPECT_EQ(again, failed) << given_back;
  }
}

TEST_F(TrapTest, LinksFoundLaterTakeItBackToo) {
  options_.traps.idle_parameter_pages = 10;
  std::vector<std::string> texts;
  for (int i = 0; i < 12; ++i) {
    texts.push_back("http://site/article?id=" + std::to_string(i));
    texts.push_back("http://site/" + std::to_string(i));
  }
  Schedule(texts);
  CrawlJudged([](const Url& url) -> PageContent {
    if (url.query().empty()) return {.kind = Kind::kNew};
    return {.kind = Kind::kDuplicate, .identity = 1};
  });
  EXPECT_EQ(Schedule({"http://site/article?id=12"}).queued, 1U) << "as it stands";
  unsigned identity = 100;
  const auto differing = [&identity](const Url&) {
    return PageContent{.kind = Kind::kNew, .identity = ++identity};
  };
  EXPECT_EQ(CrawlJudged(differing), std::vector<std::string>{"http://site/article?id=12"});
  EXPECT_EQ(Schedule({"http://site/article?id=13", "http://site/article?id=14"}).queued, 2U);
  EXPECT_EQ(CrawlJudged(differing).size(), 2U);
}

TEST(UrlSessionIdTest, Row61_KnownSessionIdsAreDropped) {
  const std::string id = SessionId(1);
  auto canonical = [](const std::string& text) { return Url::Parse(text).value().text(); };
  EXPECT_EQ(canonical("http://a/x?PHPSESSID=" + id + "&b=2"), "http://a/x?b=2");
  EXPECT_EQ(canonical("http://a/x?b=2&sid=" + id), "http://a/x?b=2");
  EXPECT_EQ(canonical("http://a/x?sessionid=" + id), "http://a/x");
  EXPECT_EQ(canonical("http://a/x;jsessionid=" + id + "?b=2"), "http://a/x?b=2");
  EXPECT_EQ(canonical("http://a/x;JSESSIONID=" + id + "/y;v=1"), "http://a/x/y;v=1");
  EXPECT_EQ(canonical("http://a/x?ASPSESSIONIDQABCDEFG=" + id), "http://a/x");
  EXPECT_EQ(canonical("http://a/x?CFID=12&CFTOKEN=34&p=5"), "http://a/x?p=5");
  // Wherever they stand, and before dots are resolved: a canonical URL has none.
  const std::string again = ";jsessionid=" + SessionId(2);
  EXPECT_EQ(canonical("http://a/x;jsessionid=" + id + again), "http://a/x");
  EXPECT_EQ(canonical("http://a/x;v=1" + again + ";w=2" + again + "/y" + again),
            "http://a/x;v=1;w=2/y");
  EXPECT_EQ(canonical("http://a/x/..;jsessionid=" + id), "http://a/");
  EXPECT_EQ(canonical("http://a/x/%2e;jsessionid=" + id + "/y"), "http://a/x/y");
  EXPECT_EQ(canonical("http://a/x;%6asessionid=" + id), "http://a/x");
  // What does not look like one is none.
  for (const char* kept : {"http://a/x?sid=12", "http://a/x?sid=a-story-about-nothing",
                           "http://a/x?phpsessid", "http://a/x?side=0123456789abcdef0",
                           "http://a/x;jsessionid=1", "http://a/x?", "http://a/x?a&&b"}) {
    EXPECT_EQ(canonical(kept), kept);
  }
  // What PHP, Tomcat in a cluster and phpBB write.
  EXPECT_EQ(canonical("http://a/x?PHPSESSID=k9,v-0123456789abcdefgh"), "http://a/x");
  EXPECT_EQ(canonical("http://a/x?jsessionid=4C1D28AF0B3E4C1D28AF0B3E4C1D28AF.node-1"),
            "http://a/x");
  EXPECT_EQ(canonical("http://a/x?t=5&sid=d41d8cd98f00b204e9800998ecf8427e"), "http://a/x?t=5");
  // A talk, a station, an article: everyday names of everyday keys.
  for (const char* key :
       {"http://a/talk?session_id=2024-keynote-room05-day2", "http://a/x?sid=12345678901234567",
        "http://a/x?SID=2023-11-23-sensor-17", "http://a/x?sessionid=chapter_12_of_the_story"}) {
    EXPECT_EQ(canonical(key), key);
  }
  const UrlRules off{.drop_session_ids = false};
  EXPECT_EQ(Url::Parse("http://a/?sid=" + id, off).value().text(), "http://a/?sid=" + id);
}

TEST(HostTrapsTest, WhatWasLearnedIsKept) {
  const TrapOptions options{
      .queries_per_path_max = 2, .pattern_duplicates_max = 2, .idle_parameter_pages = 2};
  HostTraps traps;
  for (int i = 0; i < 4; ++i) {
    const Url url = U("http://a/p?x=" + std::to_string(i));
    traps.Accepted(url);
    traps.Ended(url, {.kind = Kind::kDuplicate, .identity = 9}, options);
    traps.Ended(U("http://a/other"), {.kind = Kind::kNew}, options);
  }
  for (int i = 0; i < 80; ++i) {  // twice each of 40
    const Url url = U("http://a/" + std::to_string(i % 40) + "?v=" + std::to_string(i));
    traps.Ended(url, {.kind = Kind::kNew, .identity = 10U + static_cast<unsigned>(i % 40)},
                options);
  }
  std::string bytes;
  traps.Append(bytes);
  base::ByteReader reader(bytes);
  HostTraps again = HostTraps::Read(reader);
  EXPECT_TRUE(reader.AtEnd());
  for (const HostTraps* one : {&traps, &again}) {
    EXPECT_TRUE(one->Closed(U("http://a/p?x=77"), options));
    EXPECT_FALSE(one->Closed(U("http://a/p?y=77"), options));
    EXPECT_TRUE(one->HasNoQueryLeft(U("http://a/p?z"), options));
    EXPECT_FALSE(one->HasNoQueryLeft(U("http://a/q?z"), options));
    EXPECT_EQ(one->WithoutIdle(U("http://a/p?x=5&y=6"), options).text(), "http://a/p?y=6");
    EXPECT_EQ(one->WithoutIdle(U("http://a/9?v=5&y=6"), options).text(), "http://a/9?y=6");
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    base::ByteReader cut(std::string_view(bytes).substr(0, size));
    HostTraps::Read(cut);
    EXPECT_FALSE(cut.AtEnd()) << size;
  }
}

TEST(HostTrapsTest, MemoryIsBounded) {
  const TrapOptions options;
  HostTraps traps;
  for (int i = 0; i < 20'000; ++i) {
    const std::string n = std::to_string(i);
    const Url url = U("http://a/p" + std::string(static_cast<std::size_t>(i % 300), 'x') + "/" +
                      n + "?n" + n + "=1&" + std::string(500, 'k') + n + "=2");
    traps.Accepted(url);
    traps.Ended(url, {.kind = Kind::kDuplicate, .identity = 1 + static_cast<unsigned>(i)},
                options);
  }
  std::string bytes;
  traps.Append(bytes);
  EXPECT_LT(bytes.size(), 6'000U);
}

}  // namespace
}  // namespace frontier
