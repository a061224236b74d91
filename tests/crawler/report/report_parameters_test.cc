#include "crawler/report/report_parameters.h"

#include <gtest/gtest.h>

namespace crawler {
namespace {

using Pages = std::vector<SitePage>;

TEST(IdleParameters, ASessionNumberNeverChangesTheText) {
  Pages pages;
  for (std::uint32_t i = 1; i <= 3; ++i) {
    std::string url = "http://shop.example/product/" + std::to_string(i);
    pages.push_back({url, i, i});
    pages.push_back({url + "?session=8c1f0a", i, i});
    pages.push_back({url + "?session=e47b92", i, i});
  }
  IdleParameters found = FindIdleParameters(pages);
  ASSERT_EQ(found.idle.size(), 1U);
  EXPECT_EQ(found.idle[0].site, "shop.example");
  EXPECT_EQ(found.idle[0].name, "session");
  EXPECT_EQ(found.idle[0].compared, 6U);
  EXPECT_EQ(found.idle[0].same_text, 6U);
  EXPECT_TRUE(found.idle[0].IsCertain());
  EXPECT_EQ(found.idle[0].same_as, "http://shop.example/product/1");
  EXPECT_EQ(found.droppable, std::vector<std::string>{"session"});
}

TEST(IdleParameters, OneChangeIsEnoughToLeaveItOut) {
  Pages pages;
  for (std::uint32_t i = 1; i <= 20; ++i) {
    std::string url = "http://a.example/" + std::to_string(i);
    pages.push_back({url + "?page=1", i, i});
    pages.push_back({url + "?page=2", i == 7 ? 99 : i, i == 7 ? 99 : i});
  }
  EXPECT_TRUE(FindIdleParameters(pages).idle.empty());
}

TEST(IdleParameters, OnlyTheOneParameterMayDiffer) {
  Pages pages = {{"http://a.example/?x=1&y=1", 1, 1},
                 {"http://a.example/?x=2&y=2", 1, 1},
                 {"http://a.example/?y=3&x=3", 1, 1}};
  EXPECT_TRUE(FindIdleParameters(pages).idle.empty());
  pages.push_back({"http://a.example/?x=1&y=2", 1, 1});
  IdleParameters found = FindIdleParameters(pages);
  ASSERT_EQ(found.idle.size(), 2U);
  EXPECT_EQ(found.idle[0].name, "x") << "x=1 and x=2 with y=2";
  EXPECT_EQ(found.idle[1].name, "y") << "y=1 and y=2 with x=1";
}

TEST(IdleParameters, NearlyTheSameIsSaidAndNeverCertain) {
  Pages pages = {{"http://a.example/p", 1, 1}, {"http://a.example/p?print", 2, 1},
                 {"http://a.example/q", 3, 3}, {"http://a.example/q?print", 3, 3},
                 {"http://a.example/r", 4, 4}, {"http://a.example/r?print", 4, 4}};
  IdleParameters found = FindIdleParameters(pages);
  ASSERT_EQ(found.idle.size(), 1U);
  EXPECT_EQ(found.idle[0].compared, 3U);
  EXPECT_EQ(found.idle[0].same_text, 2U);
  EXPECT_FALSE(found.idle[0].IsCertain());
  EXPECT_TRUE(found.droppable.empty());
}

TEST(IdleParameters, WhatChangesElsewhereIsNotToBeDropped) {
  Pages pages;
  for (std::uint32_t i = 1; i <= 4; ++i) {
    pages.push_back({"http://a.example/?id=" + std::to_string(i), 1, 1});
    pages.push_back({"http://b.example/?id=" + std::to_string(i), 10 + i, 10 + i});
  }
  IdleParameters found = FindIdleParameters(pages);
  ASSERT_EQ(found.idle.size(), 1U);
  EXPECT_EQ(found.idle[0].site, "a.example");
  EXPECT_TRUE(found.idle[0].IsCertain());
  EXPECT_TRUE(found.droppable.empty());
}

TEST(IdleParameters, SchemesOfOneUrlAreNoTwoVariants) {
  Pages pages = {{"http://a.example/?s=1", 1, 1}, {"https://www.a.example/?s=1", 1, 1}};
  EXPECT_TRUE(FindIdleParameters(pages).idle.empty());
}

TEST(IdleParameters, ParametersOfOneNameAreTold) {
  // "ab=1" is no "a" with the value "b=1", and "a" alone is "a=".
  Pages pages = {{"http://a.example/?ab=1", 1, 1}, {"http://a.example/?a=b=1", 2, 2},
                 {"http://a.example/?a", 3, 3},    {"http://a.example/?a=", 3, 3},
                 {"http://a.example/x?ab", 1, 1},  {"http://a.example/x?ab=2", 1, 1}};
  IdleParameters found = FindIdleParameters(pages);
  ASSERT_EQ(found.idle.size(), 1U);
  EXPECT_EQ(found.idle[0].name, "ab");
  EXPECT_EQ(found.idle[0].compared, 1U);
  EXPECT_EQ(found.idle[0].same_as + found.idle[0].url,
            "http://a.example/x?abhttp://a.example/x?ab=2");
}

TEST(IdleParameters, WhatIsNotThereComparesWithNothing) {
  Pages pages = {{"http://a.example/?s=1", 0, 0},
                 {"http://a.example/?s=2", 0, 0},
                 {"http://a.example/?&&=&s", 1, 1}};
  EXPECT_TRUE(FindIdleParameters(pages).idle.empty());
}

}  // namespace
}  // namespace crawler
