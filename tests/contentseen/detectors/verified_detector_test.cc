#include "contentseen/detectors/verified_detector.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "contentseen/content_seen.h"
#include "contentseen/detectors/shingle_sample.h"
#include "contentseen/text/text.h"
#include "tests/contentseen/property.h"
#include "tests/contentseen/texts.h"

namespace contentseen {
namespace {

constexpr std::uint8_t kLinks = 253;
constexpr std::uint8_t kMenuInMain = 254;
constexpr std::uint8_t kMenu = 255;

// A page of passages, content where nothing else is said.
struct TestPage {
  std::string text;
  std::vector<Passage> passages;
  std::string title;

  TestPage& Called(const std::string& name) {
    title = name;
    return *this;
  }
  TestPage& Add(const std::string& words, std::uint8_t boilerplate = 0) {
    if (!text.empty()) text += '\n';
    passages.push_back(
        {.begin = static_cast<std::uint32_t>(text.size()), .boilerplate = boilerplate});
    text += words;
    return *this;
  }
};

class VerifiedTest : public testing::Test {
 protected:
  Verdict Submit(const TestPage& page, std::uint64_t host = 1) {
    return seen_->CheckAndInsert({.id = ++id_,
                                  .text = page.text,
                                  .passages = page.passages,
                                  .host = host,
                                  .title = page.title});
  }
  static Verdict Judge(const ContentSeenOptions& options, const TestPage& first,
                       const TestPage& second) {
    const auto seen = ContentSeen::Create(options).value();
    seen->CheckAndInsert({.id = 1, .text = first.text, .passages = first.passages, .host = 1});
    return seen->CheckAndInsert(
        {.id = 2, .text = second.text, .passages = second.passages, .host = 1});
  }
  std::string Article(std::size_t words) { return tests::Article(random_, words); }

  std::mt19937_64 random_{4};
  DocumentId id_ = 0;
  std::unique_ptr<ContentSeen> seen_ = ContentSeen::Create({.detector = "verified"}).value();
};

TEST_F(VerifiedTest, FindsAPageInANewTemplate) {
  const std::string article = Article(300);
  Submit(TestPage().Add(Article(400), kMenu).Add(article));
  const Verdict verdict = Submit(TestPage().Add(Article(500), kMenu).Add(article));
  EXPECT_EQ(verdict.kind, Kind::kNear);
  EXPECT_EQ(verdict.basis, Basis::kMainText);
  EXPECT_EQ(verdict.evidence.first, (Agreement{"shingles", 100, 100}));
  EXPECT_GT(verdict.distance, 3) << "by the whole text they are far apart";
}

TEST_F(VerifiedTest, KeepsTemplateTwinsApart) {
  const std::string menu = Article(600);
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(Submit(TestPage().Add(menu, kMenu).Add(Article(80))).IsNew()) << i;
  }
}

// Nothing in the structure tells the template; the host's other pages do.
TEST_F(VerifiedTest, LearnsATemplateFromTheHost) {
  const std::string notice = Article(200);
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(Submit(TestPage().Add(notice).Add(Article(400))).IsNew());
  const Verdict verdict = Submit(TestPage().Add(notice).Add(Article(250)));
  EXPECT_TRUE(verdict.IsNew());
  EXPECT_EQ(verdict.basis, Basis::kOwnText);
  EXPECT_TRUE(Submit(TestPage().Add(notice).Add(Article(60))).IsNew());
  EXPECT_TRUE(Submit(TestPage().Add(notice).Add(Article(60))).IsNew()) << "a twin of the last";
  EXPECT_EQ(Submit(TestPage().Add(notice).Add(Article(60)), 2).basis, Basis::kWholeText)
      << "of another host nothing is known";
}

// Of a section's pages only the first would be admitted, so its notice is never learned.
TEST_F(VerifiedTest, ANoticeMakesNoCopiesOfPagesThatCallThemselvesOtherwise) {
  const std::string notice = Article(160);
  const auto called = [](int i) { return "Walk" + std::to_string(i) + " - The Society"; };
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(Submit(TestPage().Called(called(i)).Add(Article(150))).IsNew());
  }
  const std::string own = Article(60);
  EXPECT_TRUE(Submit(TestPage().Called(called(5)).Add(own).Add(notice)).IsNew());
  EXPECT_TRUE(Submit(TestPage().Called(called(6)).Add(Article(60)).Add(notice)).IsNew());
  EXPECT_EQ(
      Submit(TestPage().Called("Print: " + called(5)).Add(own + " " + Article(10)).Add(notice))
          .kind,
      Kind::kNear)
      << "they share a word";
  EXPECT_EQ(Submit(TestPage().Called(called(7)).Add(own).Add(notice)).kind, Kind::kExactText);
  EXPECT_EQ(Submit(TestPage().Called(called(8)).Add(own + " today").Add(notice)).kind, Kind::kNear)
      << "nearly all agrees";
  for (const auto* silent : {"", "- The Society"}) {
    EXPECT_EQ(Submit(TestPage().Called(silent).Add(Article(50)).Add(notice)).kind, Kind::kNear)
        << "which calls itself nothing";
  }
  EXPECT_EQ(Submit(TestPage().Called(called(9)).Add(own + " " + Article(10)).Add(notice), 2).kind,
            Kind::kNear)
      << "a mirror may call it anything";
}

// Related pages stand beside an article, drawn anew for each answer.
TEST_F(VerifiedTest, WhatStandsBesideAPageOfTheSameTitleTellsNothing) {
  const std::string menu = Article(80);
  const auto page = [&](const std::string& title, const std::string& text, std::uint8_t beside) {
    return TestPage()
        .Called(title + " - News")
        .Add(menu, kMenu)
        .Add(text)
        .Add(Article(60), beside);
  };
  for (const auto* name : {"Story", "Verse 1:"}) {  // with a word of its own, and without
    for (const std::uint8_t beside : {kMenu, kMenuInMain}) {
      for (int i = 0; i < 6; ++i) {
        const std::string title = name + std::to_string(100 * beside + i);
        SCOPED_TRACE(title);
        const std::string text = Article(60);
        EXPECT_TRUE(Submit(page(title, text, beside)).IsNew());
        EXPECT_EQ(Submit(page(title, text, beside)).kind, Kind::kNear);
      }
    }
  }
}

// A directory, a dictionary: there is nothing else to learn the template from.
TEST_F(VerifiedTest, ASiteOfNothingButANoticeIsKnownByItsTitles) {
  const std::string notice = Article(160);
  std::vector<bool> is_new;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "Name" + std::to_string(i);
    is_new.push_back(Submit(TestPage()
                                .Called(name + " | University of Learning")
                                .Add(name + ' ' + Article(20))
                                .Add(notice))
                         .IsNew());
  }
  EXPECT_TRUE(is_new.front());
  EXPECT_FALSE(is_new[1]) << "of the site nothing is known yet";
  EXPECT_EQ(std::ranges::count(is_new, false), HostSketch::kDocumentsMin - 1);
  EXPECT_TRUE(std::ranges::all_of(is_new.begin() + HostSketch::kDocumentsMin, is_new.end(),
                                  [](bool each) { return each; }));
}

// An operator's hosts, or those that ask for consent in the same words: to each its pages are near
// those of the others before there is anything to learn the notice from.
TEST_F(VerifiedTest, ANoticeThatHostsShareHidesNoPages) {
  const std::string notice = Article(100);
  for (std::uint64_t host = 1; host <= 3; ++host) {
    std::uint32_t lost = 0;
    for (int i = 0; i < 40; ++i) {
      const auto page = TestPage()
                            .Called("Question" + std::to_string(i) + " - The Exchange")
                            .Add(Article(30))
                            .Add(notice);
      lost += Submit(page, host).IsNew() ? 0 : 1;
    }
    EXPECT_LE(lost, HostSketch::kDocumentsMin) << host;
  }
}

// Sections of a code, under much wording that they have in common.
TEST_F(VerifiedTest, ASiteThatTellsItsPagesByNumbersIsKnownByThese) {
  const std::string wording = Article(120);
  std::uint32_t lost = 0;
  for (int i = 0; i < 40; ++i) {
    const auto page = TestPage()
                          .Called("Section " + std::to_string(i) + " Civil Code")
                          .Add(Article(30))
                          .Add(wording);
    lost += Submit(page).IsNew() ? 0 : 1;
  }
  EXPECT_LE(lost, 2 * HostSketch::kDocumentsMin) << "four until its titles are known";
}

// Empty days of a calendar, walls that name what they hide: there is no end of them.
TEST_F(VerifiedTest, PagesThatSayTheSameOfANumberAreCopies) {
  const std::string wall = Article(60);
  for (std::uint64_t host = 1; host <= 2; ++host) {
    std::uint32_t is_new = 0;
    for (int i = 0; i < 40; ++i) {
      const std::string day = "Day " + std::to_string(i);
      const auto page = TestPage().Called(day + " - Calendar").Add(day + ": " + wall);
      is_new += Submit(page, host).IsNew() ? 1 : 0;
    }
    EXPECT_EQ(is_new, host == 1 ? 1 : 0);
  }
}

// A word of the original's is in each of their titles, and is the page's own still.
TEST_F(VerifiedTest, AFewCopiesUnderOtherNamesAreNotLearned) {
  std::vector<TestPage> pages;
  for (int i = 0; i < 20; ++i) {
    pages.push_back(TestPage().Called("Story" + std::to_string(i)).Add(Article(60)));
    EXPECT_TRUE(Submit(pages.back()).IsNew());
  }
  for (int i = 0; i < 4; ++i) {
    TestPage copy = pages.front();
    copy.Called("Print " + std::to_string(i) + " of " + copy.title);
    EXPECT_EQ(Submit(copy.Add("Session " + std::to_string(i))).kind, Kind::kNear) << i;
  }
}

// Each page of a mirror is offered under many addresses: none of them tells what it repeats.
TEST_F(VerifiedTest, CopiesOfAnotherHostsPagesAreNotLearned) {
  std::vector<TestPage> pages;
  for (int i = 0; i < 8; ++i) {
    pages.push_back(TestPage().Called("Story" + std::to_string(i)).Add(Article(60)));
    EXPECT_TRUE(Submit(pages.back(), 1).IsNew());
  }
  for (int session = 0; session < 6; ++session) {
    for (const TestPage& page : pages) {
      TestPage copy = page;
      copy.Add("Session " + std::to_string(id_));
      EXPECT_EQ(Submit(copy, 2).kind, Kind::kNear) << session;
    }
  }
}

TEST_F(VerifiedTest, AskForMoreOnOneHost) {
  std::vector<std::string> words = tests::Words(random_, 2'000);
  const std::string original = tests::Joined(words);
  for (std::size_t i = 0; i < words.size(); i += 24) words[i] = "edit" + std::to_string(i);
  const std::string edited = tests::Joined(words);
  // Each edit costs three shingles of 24: seven in eight are left, less for what repeats.
  ContentSeenOptions strict{.k = 0, .detector = "verified"};
  strict.verified.resemblance_min_percent = 50;
  strict.verified.resemblance_min_percent_same_host = 99;
  const auto judge = [&](std::uint64_t host) {
    const auto seen = ContentSeen::Create(strict).value();
    seen->CheckAndInsert({.id = 1, .text = original, .host = 1});
    return seen->CheckAndInsert({.id = 2, .text = edited, .host = host}).kind;
  };
  EXPECT_EQ(judge(1), Kind::kNew);
  EXPECT_EQ(judge(2), Kind::kNear);
}

TEST_F(VerifiedTest, APartIsNoCopyOfTheWhole) {
  const std::string part = Article(300);
  Submit(TestPage().Add(part).Add(Article(600)), 1);
  EXPECT_TRUE(Submit(TestPage().Add(part), 2).IsNew());
}

TEST_F(VerifiedTest, JudgesTheWholeTextWhereNothingIsLeft) {
  const Verdict verdict = Submit(TestPage().Add(Article(400), kMenu).Add("Nine words, or less."));
  EXPECT_EQ(verdict.basis, Basis::kWholeText);
}

// However large a site's menu is, and however little stands beside it: pages with their own words
// are new, and copies of them are not.
TEST_F(VerifiedTest, NoMenuHidesAPage) {
  for (const std::size_t menu_words : {150, 600, 2'400}) {
    for (const std::size_t words : {20, 40, 90, 300}) {
      SCOPED_TRACE(std::to_string(words) + " words, menu of " + std::to_string(menu_words));
      const std::string menu = Article(menu_words);
      const std::string article = Article(words);
      const auto page = [&](const std::string& its_menu, const std::string& its_words) {
        return TestPage().Add(its_menu, kMenu).Add(its_words);
      };
      const TestPage first = page(menu, article);
      const auto kind = [&](const TestPage& second) { return Judge({}, first, second).kind; };
      EXPECT_EQ(kind(page(menu, Article(words))), Kind::kNew);
      EXPECT_EQ(kind(page(menu, article + " 12:03")), Kind::kNear);
      if (words >= 40) EXPECT_EQ(kind(page(Article(menu_words), article)), Kind::kNear);
    }
  }
}

// A list of links is all that one page of a shop has of its own, whether the site's menu is marked
// as such or another list of links, and whatever notice stands on all of them.
TEST_F(VerifiedTest, ListsOfLinksTellPagesApart) {
  for (const std::uint8_t menu_kind : {kMenu, kLinks}) {
    for (const std::size_t notice_words : {0, 60}) {
      SCOPED_TRACE(std::to_string(menu_kind) + ", notice of " + std::to_string(notice_words));
      const std::string menu = Article(450);
      const std::string notice = Article(notice_words);
      const auto page = [&](const std::string& list, const std::string& date) {
        return TestPage()
            .Add(notice)
            .Add(menu, menu_kind)
            .Add("Things")
            .Add(list, kLinks)
            .Add(date);
      };
      const std::string list = Article(60);
      const TestPage first = page(list, "12:03");
      EXPECT_TRUE(Judge({}, first, page(Article(60), "12:03")).IsNew());
      EXPECT_EQ(Judge({}, first, page(list, "17:41")).kind, Kind::kNear);
    }
  }
}

// So is a list in a navigation within main, whatever little text stands on all such pages: the
// site's menu is elsewhere.
TEST_F(VerifiedTest, NavigationWithinMainTellsPagesApart) {
  for (const std::size_t menu_words : {60, 150, 1'200}) {
    for (const std::size_t intro_words : {0, 3, 6, 14, 25, 50}) {
      SCOPED_TRACE(std::to_string(intro_words) + " words, menu of " + std::to_string(menu_words));
      const std::string menu = Article(menu_words);
      const std::string intro = Article(intro_words);
      const auto page = [&](const std::string& list, const std::string& date) {
        return TestPage().Add(menu, kMenu).Add(intro).Add(list, kMenuInMain).Add(date);
      };
      const std::string list = Article(120);
      const TestPage first = page(list, "12:03");
      EXPECT_TRUE(Judge({}, first, page(Article(120), "12:03")).IsNew());
      if (intro_words >= 14) EXPECT_EQ(Judge({}, first, page(list, "17:41")).kind, Kind::kNear);
    }
  }
}

// Nor need it stand within main: where the site's menu is the same on both pages, a list that is
// not is none of it. In another template it may be.
TEST_F(VerifiedTest, InOneTemplateWhatIsMarkedAsTheSitesTellsPagesApart) {
  for (const std::size_t intro_words : {40, 80}) {
    SCOPED_TRACE(intro_words);
    const std::string menu = Article(450);
    const std::string intro = Article(intro_words);
    const auto page = [&](const std::string& its_menu, const std::string& list) {
      return TestPage().Add(its_menu, kMenu).Add(intro).Add(list, kMenu);
    };
    const std::string list = Article(120);
    const TestPage first = page(menu, list);
    EXPECT_TRUE(Judge({}, first, page(menu, Article(120))).IsNew());
    EXPECT_EQ(Judge({}, first, page(menu, list + " 17:41")).kind, Kind::kNear);
    EXPECT_EQ(Judge({}, first, page(Article(450), Article(120))).kind, Kind::kNear);
  }
}

// Where next to nothing stands outside of main, the navigation in it is the site's menu: the
// article is found in the new one, and another article is new.
TEST_F(VerifiedTest, AMenuMayStandWithinMain) {
  const std::string footer = Article(6);
  const auto page = [&](const std::string& menu, const std::string& article) {
    return TestPage().Add(menu, kMenuInMain).Add(article).Add(footer, kMenu);
  };
  for (const std::size_t words : {60, 90, 300}) {
    SCOPED_TRACE(words);
    const std::string article = Article(words);
    const std::string menu = Article(300);
    const TestPage first = page(menu, article);
    EXPECT_EQ(Judge({}, first, page(Article(300), article)).kind, Kind::kNear);
    EXPECT_TRUE(Judge({}, first, page(menu, Article(words))).IsNew());
  }
  const std::string menu = Article(300);
  for (const std::size_t words : {9, 20}) {
    EXPECT_TRUE(Judge({}, page(menu, Article(words)), page(menu, Article(words))).IsNew());
  }
}

// What a page marks as the site's, and its host does not repeat: a list that is all it has of its
// own.
TEST_F(VerifiedTest, AKnownHostTellsAListFromItsMenu) {
  for (const std::size_t intro_words : {12, 40}) {
    const std::string menu = Article(120);
    const std::string intro = Article(intro_words);
    for (int i = 0; i < 6; ++i) {
      ASSERT_TRUE(Submit(TestPage().Add(menu, kMenu).Add(Article(80)), intro_words).IsNew());
    }
    for (int i = 0; i < 12; ++i) {
      const TestPage page = TestPage().Add(menu, kMenu).Add(intro).Add(Article(90), kMenu);
      EXPECT_TRUE(Submit(page, intro_words).IsNew()) << intro_words << " words, page " << i;
    }
  }
}

// A few words that stand on many pages say nothing, on one host or on two: the rest is asked.
TEST_F(VerifiedTest, FewWordsAreNoPage) {
  const std::string few = Article(16);
  const std::string menu = Article(60);
  const std::string list = Article(90);
  Submit(TestPage().Add(menu, kMenu).Add(few).Add(list, kMenu), 1);
  EXPECT_TRUE(Submit(TestPage().Add(menu, kMenu).Add(few).Add(Article(90), kMenu), 1).IsNew());
  EXPECT_TRUE(
      Submit(TestPage().Add(Article(60), kMenu).Add(few).Add(Article(90), kMenu), 2).IsNew());
  EXPECT_EQ(Submit(TestPage().Add(menu, kMenu).Add(few + " yes").Add(list, kMenu), 1).kind,
            Kind::kNear);
}

// Nor does it make one of pages of unlike kinds and lengths: what they are compared by differs.
TEST_F(VerifiedTest, NoMenuHidesAPageOfAnotherKind) {
  for (const std::uint8_t menu_kind : {kMenu, kLinks}) {
    for (const std::size_t menu_words : {300, 1'200, 2'400}) {
      const std::string menu = Article(menu_words);
      const auto page = [&](const std::string& words, const std::string& list) {
        TestPage made = TestPage().Add(menu, menu_kind).Add(words);
        return list.empty() ? made : made.Add(list, kLinks);
      };
      for (int round = 0; round < 5; ++round) {
        SCOPED_TRACE(std::to_string(menu_kind) + ", menu of " + std::to_string(menu_words));
        const TestPage nine = page(Article(9), "");
        const TestPage article = page(Article(60), "");
        const TestPage longer = page(Article(150), "");
        const TestPage list = page(Article(2), Article(30));
        for (const TestPage* first : {&nine, &article, &longer, &list}) {
          // In a list of links that is the site's menu to a reader, nine words more are one link.
          if (menu_kind == kLinks && first == &nine) continue;
          for (const TestPage* second : {&nine, &article, &longer, &list}) {
            if (menu_kind == kLinks && second == &nine) continue;
            if (first == second) continue;
            EXPECT_TRUE(Judge({}, *first, *second).IsNew());
          }
        }
      }
    }
  }
}

// A title and a price beside the site's menu: another page. The same at another minute is not.
TEST_F(VerifiedTest, AFewWordsTellPagesApart) {
  const std::string menu = Article(300);
  const auto page = [&](const std::string& words) {
    return TestPage().Add(menu, kMenu).Add(words);
  };
  for (int i = 0; i < 20; ++i) {
    const std::string price = std::to_string(100 + i);
    EXPECT_TRUE(Submit(page(Article(3) + " " + price + " EUR in stock")).IsNew()) << i;
  }
  const std::string few = Article(6);
  EXPECT_EQ(Judge({}, page(few), page(few + " 12:03")).kind, Kind::kNear);
}

// Long articles have told the sketch of a notice only as far up as their samples reach. What
// stands of it above, in the larger sample of a short page, is none of the page's own.
TEST_F(VerifiedTest, ANoticeOfLongArticlesHidesNoShortPage) {
  for (const std::size_t menu_words : {0, 60, 1'200}) {
    const std::string menu = Article(menu_words);
    const std::string notice = Article(120);
    const std::uint64_t host = 1 + menu_words;
    const auto submit = [&](const std::string& article) {
      return Submit(TestPage().Add(menu, kMenu).Add(article).Add(notice), host);
    };
    for (int i = 0; i < 30; ++i) ASSERT_TRUE(submit(Article(400)).IsNew()) << i;
    for (int i = 0; i < 20; ++i) {
      const std::string article = Article(44);
      EXPECT_TRUE(submit(article).IsNew()) << "menu of " << menu_words << ", page " << i;
      EXPECT_EQ(submit(article + " indeed").kind, Kind::kNear) << i;
    }
  }
}

// Where a page has next to nothing of its own, what its host repeats is compared with it, and
// tells nothing.
TEST_F(VerifiedTest, WhatTheHostRepeatsIsNoResemblance) {
  for (const std::size_t menu_words : {0, 300, 1'200}) {
    const std::string menu = Article(menu_words);
    const std::string notice = Article(60);
    const std::uint64_t host = 1 + menu_words;
    const auto submit = [&](const std::string& words) {
      return Submit(TestPage().Add(menu, kMenu).Add(words).Add(notice), host);
    };
    for (int i = 0; i < 12; ++i) ASSERT_TRUE(submit(Article(150)).IsNew()) << i;
    int copies = 0;
    for (int i = 0; i < 40; ++i) {
      const std::string product = Article(20);
      EXPECT_TRUE(submit(product).IsNew()) << "menu of " << menu_words << ", page " << i;
      copies += submit(product + " indeed").kind == Kind::kNear ? 1 : 0;
    }
    EXPECT_GE(copies, 38) << "how much is the host's is known by a sample";
  }
}

// What an article's page links to besides is no article, and another site's menu not this one's.
TEST_F(VerifiedTest, OtherLinksMakeNoOtherArticle) {
  const std::string article = Article(300);
  const auto page = [&](std::size_t links) {
    return TestPage().Add(Article(links), kLinks).Add(article);
  };
  EXPECT_EQ(Judge({}, page(30), page(30)).kind, Kind::kNear);
  Submit(page(450), 1);
  EXPECT_EQ(Submit(page(450), 2).kind, Kind::kNear);
}

// On a host that is known, too: its menu is no page's own, however long it is.
TEST_F(VerifiedTest, ShortPagesUnderALongListOfLinksAreNew) {
  const std::string menu = Article(2'400);
  for (const std::size_t words : {12, 18, 24}) {
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(Submit(TestPage().Add(menu, kLinks).Add(Article(words)), words).IsNew())
          << words << " words, page " << i;
    }
  }
}

// What was a page's own when it came and the host's template later stands in its copy all the
// same.
TEST_F(VerifiedTest, FindsCopiesOfAHostsFirstPages) {
  const std::string menu = Article(3'000);
  const std::string notice = Article(45);
  std::vector<std::string> articles;
  const auto page = [&](const std::string& article) {
    return TestPage().Add(menu, kMenu).Add(notice).Add(article);
  };
  for (int i = 0; i < 14; ++i) {
    articles.push_back(Article(48));
    ASSERT_TRUE(Submit(page(articles.back())).IsNew()) << i;
  }
  for (std::size_t i = 0; i < articles.size(); ++i) {
    EXPECT_EQ(Submit(page(articles[i] + " indeed")).kind, Kind::kNear) << i;
  }
}

TEST_F(VerifiedTest, RepeatsTheEvidenceForTheSameBytes) {
  const std::string article = Article(300);
  const Digest body = Sha256("copy");
  Submit(TestPage().Add(article));
  const std::string copy = article + " and more";
  const Verdict first = seen_->CheckAndInsert({.id = 50, .body = body, .text = copy, .host = 2});
  ASSERT_EQ(first.kind, Kind::kNear);
  const auto again = seen_->FindExact(body);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->evidence, first.evidence);
  EXPECT_EQ(again->basis, first.basis);
  EXPECT_EQ(again->same_bytes_as, 50u);
}

// Of pages within k bits as a whole less is asked, not nothing: twins stay apart at any k.
TEST_F(VerifiedTest, AsksLessWithinK) {
  std::vector<std::string> words = tests::Words(random_, 2'000);
  const TestPage original = TestPage().Add(tests::Joined(words));
  for (std::size_t i = 0; i < words.size(); i += 24) words[i] = "edit" + std::to_string(i);
  const TestPage edited = TestPage().Add(tests::Joined(words));
  const auto judge = [&](const TestPage& second, int k, std::uint32_t within_k) {
    ContentSeenOptions options{.k = k, .detector = "verified"};
    options.verified.resemblance_min_percent = 99;
    options.verified.resemblance_min_percent_same_host = 99;
    options.verified.resemblance_min_percent_within_k = within_k;
    return Judge(options, original, second).kind;
  };
  EXPECT_EQ(judge(edited, 0, 40), Kind::kNew);
  EXPECT_EQ(judge(edited, 10, 40), Kind::kNear);
  EXPECT_EQ(judge(edited, 10, 99), Kind::kNew);

  int within_k = 0;
  for (int round = 0; round < 30; ++round) {
    const std::string menu = Article(1'500);
    const TestPage first = TestPage().Add(menu, kMenu).Add(Article(250));
    const TestPage twin = TestPage().Add(menu, kMenu).Add(Article(250));
    within_k += Judge({.k = 10, .detector = "simhash"}, first, twin).IsNew() ? 0 : 1;
    EXPECT_TRUE(Judge({.k = 10, .detector = "verified"}, first, twin).IsNew());
  }
  EXPECT_GT(within_k, 0) << "the test needs twins that k would take for copies";
}

// Where the main texts are too small to be compared, k alone decides.
TEST_F(VerifiedTest, KDecidesAboutTinyTexts) {
  int near = 0;
  for (int round = 0; round < 50; ++round) {
    const std::string few = Article(8);
    const TestPage a = TestPage().Add(few);
    const TestPage b = TestPage().Add(few + " more");
    for (const int k : {0, 3, 10}) {
      const Kind kind = Judge({.k = k, .features_min = 1, .detector = "verified"}, a, b).kind;
      EXPECT_EQ(kind, Judge({.k = k, .features_min = 1, .detector = "simhash"}, a, b).kind);
      near += kind == Kind::kNear ? 1 : 0;
    }
  }
  EXPECT_GT(near, 0) << "the test needs pairs";
}

// A million pages that share a shingle cost no more than the first hundred, and each that is a
// copy is still found by what it shares with its original alone.
TEST_F(VerifiedTest, WhatEverybodySharesIsAskedForOnce) {
  const std::string everybodys = Article(12);
  std::vector<std::string> articles;
  for (std::uint64_t host = 1; host <= 3 * VerifiedDetector::kCandidatesMax; ++host) {
    articles.push_back(everybodys + " " + Article(60));
    ASSERT_TRUE(Submit(TestPage().Add(articles.back()), host).IsNew()) << host;
  }
  for (std::size_t i = 0; i < articles.size(); ++i) {
    const Verdict verdict = Submit(TestPage().Add(articles[i] + " indeed"), 5'000 + i);
    EXPECT_EQ(verdict.kind, Kind::kNear) << i;
    EXPECT_EQ(verdict.original, i + 1);
  }
}

// Whichever is the most alike.
TEST(VerifiedDetector, FindTellsWhetherAnyAlikeIsOfTheSameHost) {
  std::mt19937_64 random(6);
  const auto detector = VerifiedDetector::Create({}).value();
  const std::string article = tests::Article(random, 100);
  AnalyzedText analyzed({});
  const auto sign = [&](const std::string& text, std::uint64_t host) {
    analyzed.Assign(text, {}, host);
    Signature signature;
    EXPECT_TRUE(detector->Sign(analyzed, &signature));
    return signature;
  };
  detector->Insert(sign(article, 1), 1);
  detector->Insert(sign(article + " " + tests::Article(random, 10), 2), 2);
  for (std::uint64_t host = 0; host <= 3; ++host) {
    const std::optional<Match> match = detector->Find(sign(article, host));
    ASSERT_TRUE(match) << host;
    EXPECT_EQ(match->original, 1u);
    EXPECT_EQ(match->on_own_host, host == 1 || host == 2) << host;
  }
}

// In a template that fills its pages the nearest fingerprints have documents enough: what a page
// costs does not grow with the site.
TEST(VerifiedDetector, LooksAtTheDocumentsOfTheNearestFingerprintsOnly) {
  std::mt19937_64 random(3);
  AnalyzedText analyzed({});
  for (const std::uint32_t twins : {100, 200}) {
    const auto detector = VerifiedDetector::Create({}).value();
    const auto sign = [&](Fingerprint fingerprint) {
      analyzed.Assign(tests::Article(random, 300));
      Signature signature;
      EXPECT_TRUE(detector->Sign(analyzed, &signature));
      signature.front() = fingerprint;
      return signature;
    };
    for (DocumentId id = 1; id <= twins; ++id) detector->Insert(sign(0), id);
    const Signature page = sign(0);
    Signature copy = page;
    copy.front() = 1;
    for (std::size_t i = 0; i < VerifiedDetector::kKeys / 2; ++i) copy[4 + i] = random();
    ASSERT_TRUE(detector->Takes(copy));
    ASSERT_TRUE(detector->Similar(page, copy));
    detector->Insert(copy, 1'000);
    EXPECT_EQ(detector->Find(page).has_value(), twins < VerifiedDetector::kCandidatesMax);
  }
}

// Fingerprints come ever nearer to each other as such a site grows: of what is within k a bounded
// part is visited, the page's own whatever happens, and of a few nothing is left out.
TEST(VerifiedDetector, VisitsABoundedNumberOfFingerprints) {
  std::mt19937_64 random(5);
  const auto detector = VerifiedDetector::Create({.k = 10}).value();
  AnalyzedText analyzed({});
  analyzed.Assign(tests::Article(random, 300));
  Signature signature;
  ASSERT_TRUE(detector->Sign(analyzed, &signature));
  const Fingerprint centre = random();
  std::set<Fingerprint> admitted = {centre};
  const auto admit_until = [&](std::size_t count) {
    while (admitted.size() < count) {
      signature.front() = centre ^ Fingerprint { 1 } << random() % 64 ^
                          Fingerprint { 1 } << random() % 64 ^ Fingerprint { 1 } << random() % 64;
      if (admitted.insert(signature.front()).second) detector->Insert(signature, admitted.size());
    }
  };
  admit_until(500);
  const std::vector<Fingerprint> few = detector->NearFingerprints(centre);
  EXPECT_EQ(std::set(few.begin(), few.end()), admitted);
  admit_until(5'000);
  for (const Fingerprint asked : {centre, *admitted.begin(), *admitted.rbegin()}) {
    const std::vector<Fingerprint> near = detector->NearFingerprints(asked);
    ASSERT_EQ(near.size(), VerifiedDetector::kFingerprintsMax);
    ASSERT_EQ(near.front(), asked);
  }
}

// What was stored by another program, or damaged, is compared without harm.
TEST(VerifiedDetector, AnyWordsAreASignature) {
  const auto made = VerifiedDetector::Create({});
  ASSERT_TRUE(made);
  const VerifiedDetector& detector = **made;
  EXPECT_TRUE(tests::Holds([&] {
    const auto a = *rc::gen::nonEmpty<Signature>();
    const auto b = *rc::gen::nonEmpty<Signature>();
    RC_ASSERT(detector.Compare(a, b) == detector.Compare(b, a));
    RC_ASSERT(detector.Similar(a, b) == detector.Similar(b, a));
  }));
}

TEST(VerifiedDetector, ADamagedSignatureIsCompared) {
  std::mt19937_64 random(12);
  const auto detector = VerifiedDetector::Create({}).value();
  const TestPage page = TestPage()
                            .Add(tests::Article(random, 30))
                            .Add(tests::Article(random, 400), kLinks)
                            .Add(tests::Article(random, 400), kMenu);
  AnalyzedText analyzed({});
  analyzed.Assign(page.text, page.passages, 1);
  Signature original;
  ASSERT_TRUE(detector->Sign(analyzed, &original));
  int taken = 0;
  for (int i = 0; i < 2'000; ++i) {
    Signature damaged = original;
    for (int n = 0; n < 1 + i % 8; ++n) {
      const std::size_t from = random() % damaged.size();
      const std::size_t to = 3 + random() % (damaged.size() - 3);  // bounds and hashes
      damaged[to] = i % 2 == 0 ? damaged[from] : random() >> random() % 64;
    }
    taken += detector->Takes(damaged) ? 1 : 0;
    EXPECT_EQ(detector->Compare(original, damaged), detector->Compare(damaged, original));
    EXPECT_EQ(detector->Similar(original, damaged), detector->Similar(damaged, original));
  }
  EXPECT_GT(taken, 0);
}

TEST(AnalyzedText, PassagesDoNotChangeTheWhole) {
  AnalyzedText analyzed({});
  EXPECT_TRUE(tests::Holds([&] {
    TestPage page;
    for (const auto& [words, boilerplate] :
         *rc::gen::arbitrary<std::vector<std::pair<std::string, std::uint8_t>>>()) {
      page.Add(words, boilerplate);
    }
    analyzed.Assign(page.text, page.passages);
    RC_ASSERT(analyzed.normalized() == NormalizeText(page.text));
    std::size_t last = 0;
    for (const TextStretch& stretch : analyzed.stretches()) {
      RC_ASSERT(stretch.end > last);
      last = stretch.end;
    }
    RC_ASSERT(last == analyzed.tokens().size());
  }));
}

TEST(AnalyzedText, StretchesAreOfOneKind) {
  AnalyzedText analyzed({});
  const TestPage page = TestPage()
                            .Add("home news contact", kMenu)
                            .Add("one two three")
                            .Add("four", 127)
                            .Add("read more", 128)
                            .Add("--")
                            .Add("and more", kLinks)
                            .Add("the end");
  analyzed.Assign(page.text, page.passages, 9);
  const std::vector<TextStretch> expected = {{3, TextKind::kBoilerplate},
                                             {7, TextKind::kContent},
                                             {11, TextKind::kDoubtful},
                                             {13, TextKind::kContent}};
  const auto stretches = analyzed.stretches();
  EXPECT_EQ(std::vector<TextStretch>(stretches.begin(), stretches.end()), expected);
  EXPECT_EQ(analyzed.host(), 9u);
}

TEST(AnalyzedText, WhatStandsBeforeTheFirstPassageIsContent) {
  AnalyzedText analyzed({});
  analyzed.Assign("one two menu", std::vector<Passage>{{.begin = 8, .boilerplate = kMenu}});
  ASSERT_EQ(analyzed.stretches().size(), 2u);
  EXPECT_EQ(analyzed.stretches()[0], (TextStretch{2, TextKind::kContent}));
}

// Containment of whole sets, by their definition.
TEST(ShingleSample, EstimatesContainment) {
  std::mt19937_64 random(8);
  const HostSketch nothing(HostSketch::kBytesMin, 0);
  const HostSketch::Reader host(nothing, 1);
  AnalyzedText analyzed({});
  const auto sample = [&](const std::vector<std::string>& words) {
    analyzed.Assign(tests::Joined(words));
    return SampleShingles(analyzed, host, 0);
  };
  double error = 0;
  for (int i = 0; i < 40; ++i) {
    const std::vector<std::string> shared = tests::Words(random, 600);
    std::vector<std::string> longer = shared;
    for (const std::string& word : tests::Words(random, 600)) longer.push_back(word);
    const ShingleSample a = sample(shared);
    const ShingleSample b = sample(longer);
    ASSERT_EQ(a.main.size(), kSampleMain);
    const Overlap overlap = OverlapOf(a.view(), b.view());
    EXPECT_EQ(overlap.a.main, overlap.a.found) << "all of a stands in b";
    error += static_cast<double>(overlap.b.found) / overlap.b.main - .5;
  }
  EXPECT_NEAR(error / 40, 0, .03);
}

}  // namespace
}  // namespace contentseen
