#include "crawler/pipeline/soft_404.h"

#include <gtest/gtest.h>

#include <string>

#include "store/memory_store.h"

namespace crawler {
namespace {

frontier::Url U(const std::string& text) { return *frontier::Url::Parse(text); }

// Sixty words without a digit, different for each seed.
std::string Notice(char seed) {
  std::string text;
  for (char c = 'a'; c <= 'z'; ++c) {
    text += std::string("sorry") + seed + c + " nothing" + seed + c + ' ';
  }
  return text + "there is nothing to be found at this place";
}

class Soft404Test : public ::testing::Test {
 protected:
  void Learn(const std::string& probe, const std::string& text) {
    soft_404_.LearnText(U(probe), text, batch_);
  }
  void LearnRedirect(const std::string& probe, const std::string& target) {
    soft_404_.LearnRedirect(U(probe), U(target), batch_);
  }
  bool Like(const std::string& url, const std::string& text) const {
    return soft_404_.IsLikeText(U(url), text);
  }
  bool LikeRedirect(const std::string& url, const std::string& target) const {
    return soft_404_.IsLikeRedirect(U(url), U(target));
  }

  Soft404 soft_404_{{.probe = true, .hosts_max = 2}, 17, 3};
  store::Batch batch_;
};

TEST_F(Soft404Test, AHostIsProbedOnceAndOnlySoManyAre) {
  auto probe = soft_404_.ProbeOf(U("https://a.test:8443/x/y?z"));
  ASSERT_TRUE(probe);
  EXPECT_EQ(probe->role, frontier::CandidateRole::kProbe);
  EXPECT_EQ(probe->url.origin(), "https://a.test:8443");
  EXPECT_EQ(probe->url.path().size(), 17U);
  EXPECT_EQ(frontier::Url::Parse(probe->url.text())->text(), probe->url.text());
  EXPECT_FALSE(soft_404_.ProbeOf(U("https://a.test:8443/other")));

  auto other = soft_404_.ProbeOf(U("http://b.test/"));
  ASSERT_TRUE(other);
  EXPECT_NE(other->url.path(), probe->url.path());
  EXPECT_FALSE(soft_404_.ProbeOf(U("http://c.test/"))) << "more than hosts_max";

  Soft404 another_crawl({}, 18, 3);
  EXPECT_NE(another_crawl.ProbeOf(U("https://a.test:8443/"))->url.path(), probe->url.path())
      << "a site could know what is a probe";
  Soft404 off({.probe = false}, 17, 3);
  EXPECT_FALSE(off.ProbeOf(U("http://a.test/")));
}

TEST_F(Soft404Test, TheSameTextIsKnownWhateverWasAskedFor) {
  Learn("http://a.test/0123456789abcdef", "The page /0123456789abcdef was not found, 12:30:01");
  EXPECT_TRUE(
      Like("http://a.test/gone/article-5", "The page /gone/article-5 was not found, 12:31:44"));
  EXPECT_FALSE(Like("http://a.test/here", "The page you want was found"));
  EXPECT_FALSE(Like("http://b.test/gone", "The page /gone was not found, 12:31:44"));
}

TEST_F(Soft404Test, LongTextsNeedOnlyBeNear) {
  Learn("http://a.test/0123456789abcdef", Notice('x'));
  EXPECT_TRUE(Like("http://a.test/p", Notice('x') + " today"));
  EXPECT_FALSE(Like("http://a.test/p", Notice('y')));
}

TEST(OwnTextTest, IsWhatIsNotSurelyTheSites) {
  parser::Document page;
  page.text = "menu\nShoes\na list of links\nall rights\nmore";
  page.blocks = {{.offset = 0, .length = 4, .role = parser::BlockRole::kNav},
                 {.offset = 5, .length = 5, .role = parser::BlockRole::kMain},
                 {.offset = 11, .length = 15, .link_bytes = 15},
                 {.offset = 27, .length = 10, .role = parser::BlockRole::kFooter},
                 {.offset = 38, .length = 4, .role = parser::BlockRole::kNav, .in_main = true}};
  EXPECT_EQ(OwnText(page), "Shoes\na list of links\n");
}

TEST_F(Soft404Test, ARootIsNever) {
  Learn("http://a.test/0123456789abcdef", Notice('x'));
  EXPECT_FALSE(Like("http://a.test/", Notice('x')));
  EXPECT_TRUE(Like("http://a.test/?page=2", Notice('x')));
}

TEST_F(Soft404Test, AHostThatShowsNothingTeachesNothing) {
  Learn("http://a.test/0123456789abcdef", " 404 ... 12:30 ");
  EXPECT_FALSE(Like("http://a.test/p", " 404 ... 12:30 "));
  EXPECT_FALSE(Like("http://a.test/p", ""));
}

TEST_F(Soft404Test, RedirectsToTheSamePlaceAreKnown) {
  LearnRedirect("http://a.test/0123456789abcdef", "http://a.test/sorry");
  EXPECT_TRUE(LikeRedirect("http://a.test/p", "http://a.test/sorry"));
  EXPECT_FALSE(LikeRedirect("http://a.test/p", "http://www.a.test/sorry"));
  EXPECT_FALSE(LikeRedirect("http://a.test/p", "http://a.test/moved"));
  EXPECT_FALSE(LikeRedirect("http://b.test/p", "http://a.test/sorry"));
  EXPECT_FALSE(Like("http://a.test/p", "sorry"));
}

TEST_F(Soft404Test, HostAndQueryTellPlacesApart) {
  LearnRedirect("http://a.test/0123456789abcdef", "http://a.test/index.php?route=error/not_found");
  EXPECT_TRUE(LikeRedirect("http://a.test/p", "http://a.test/index.php?route=error/not_found"));
  EXPECT_FALSE(LikeRedirect("http://a.test/item/7", "http://a.test/index.php?id=7"));
  EXPECT_FALSE(LikeRedirect("http://a.test/item/7", "http://a.test/index.php"));
  EXPECT_FALSE(LikeRedirect("http://a.test/?x", "http://a.test/index.php?route=shop/cart"));
  // To the front page, and short links that stand for one of its parameters.
  LearnRedirect("http://b.test/0123456789abcdef", "http://b.test/");
  EXPECT_TRUE(LikeRedirect("http://b.test/p", "http://b.test/"));
  EXPECT_FALSE(LikeRedirect("http://b.test/short", "http://b.test/?page_id=17"));
  // A site that moved to hosts of its own.
  LearnRedirect("http://b.test/0123456789abcdef", "http://www.b.test/?from=old");
  EXPECT_FALSE(LikeRedirect("http://b.test/shop", "http://shop.b.test/?from=old"));
}

// The sites behind a front controller, whose tidy URLs all redirect to it.
TEST_F(Soft404Test, ARedirectThatNamesThePageTeachesNothing) {
  const std::string probe = "http://a.test/abcdef0123456789";
  for (const std::string before :
       {"https://a.test/", "http://a.test/index.php?q=", "http://a.test/index.php?q=/",
        "http://a.test/w/index.php?lang=en&title=",
        "http://a.test/login?next=http%3A%2F%2Fa.test%2F"}) {
    LearnRedirect(probe, before + "abcdef0123456789");
    for (const char* page : {"p", "abcdef0123456789"}) {
      EXPECT_FALSE(LikeRedirect("http://a.test/p", before + page)) << before;
    }
  }
  LearnRedirect(probe, "http://a.test/w/index.php?title=Abcdef0123456789&go=1");
  EXPECT_FALSE(LikeRedirect("http://a.test/p", "http://a.test/w/index.php?title=P&go=1"));
  EXPECT_FALSE(
      LikeRedirect("http://a.test/p", "http://a.test/w/index.php?title=Abcdef0123456789&go=1"));
}

TEST(IsElsewhereTest, WhereThePathNamesTheProbeOnItsHost) {
  const auto is_elsewhere = [](const std::string& target) {
    return Soft404::IsElsewhere(U("http://a.test/abcdef0123456789"), U(target));
  };
  EXPECT_TRUE(is_elsewhere("https://a.test/abcdef0123456789"));
  EXPECT_TRUE(is_elsewhere("http://a.test/en/abcdef0123456789/"));
  EXPECT_TRUE(is_elsewhere("http://a.test/wiki/Abcdef0123456789"));
  EXPECT_FALSE(is_elsewhere("http://a.test/login?next=/abcdef0123456789"));
  EXPECT_FALSE(is_elsewhere("http://a.test/sorry"));
  EXPECT_FALSE(is_elsewhere("http://www.a.test/abcdef0123456789")) << "it has a probe of its own";
}

TEST_F(Soft404Test, EachHostHasOneThatIsTheFirst) {
  Learn("http://a.test/0123456789abcdef", Notice('x'));
  Learn("http://b.test/0123456789abcdef", Notice('x'));
  EXPECT_TRUE(soft_404_.TakeFirst(U("http://a.test/p")));
  EXPECT_FALSE(soft_404_.TakeFirst(U("https://a.test/q")));
  EXPECT_TRUE(soft_404_.TakeFirst(U("http://b.test/p")));
}

TEST_F(Soft404Test, WhatWasLearntIsThereAgain) {
  Learn("http://a.test/0123456789abcdef", Notice('x'));
  LearnRedirect("http://b.test/0123456789abcdef", "http://b.test/sorry");
  store::MemoryStore store;
  ASSERT_TRUE(store.Write(batch_, store::Durability::kProcess));

  Soft404 again({}, 17, 3);
  ASSERT_TRUE(again.Restore(store));
  EXPECT_TRUE(again.IsLikeText(U("http://a.test/p"), Notice('x') + " today"));
  EXPECT_TRUE(again.IsLikeRedirect(U("http://b.test/p"), U("http://b.test/sorry")));
  EXPECT_FALSE(again.ProbeOf(U("http://a.test/p"))) << "known already";

  store::Batch damage;
  damage.Put(store::Table::kAbout, "soft404:c.test", "?");
  ASSERT_TRUE(store.Write(damage, store::Durability::kProcess));
  EXPECT_FALSE(Soft404({}, 17, 3).Restore(store));
}

}  // namespace
}  // namespace crawler
