#include "crawler/report/skip_filter.h"

#include <gtest/gtest.h>

namespace crawler {
namespace {

using contentseen::Kind;
using Kinds = std::vector<Kind>;
using Range = std::pair<int, int>;

SkipRecord Page(const std::string& url) {
  SkipRecord record;
  record.url = url;
  record.kind = Kind::kNear;
  record.distance = 2;
  record.original_url = "http://o.example/first";
  record.time = base::WallTime(std::chrono::hours(10));
  return record;
}

TEST(HostOf, TakesTheHostAlone) {
  EXPECT_EQ(HostOf("http://a.example/x"), "a.example");
  EXPECT_EQ(HostOf("https://a.example:8080"), "a.example");
  EXPECT_EQ(HostOf("http://[::1]:80/"), "[::1]");
  EXPECT_EQ(HostOf("http://[::1"), "[::1");
  EXPECT_EQ(HostOf("http://a?q=http://b/"), "a");
  EXPECT_EQ(HostOf("nonsense"), "");
  EXPECT_EQ(HostOf(""), "");
}

TEST(SkipFilter, WithoutConditionsTakesEverything) {
  EXPECT_TRUE(SkipFilter().Matches(SkipRecord()));
}

TEST(SkipFilter, ByHostAndThoseBelow) {
  SkipFilter filter;
  filter.host = "example.com";
  EXPECT_TRUE(filter.Matches(Page("http://example.com/")));
  EXPECT_TRUE(filter.Matches(Page("http://www.example.com:81/")));
  EXPECT_FALSE(filter.Matches(Page("http://badexample.com/")));
  EXPECT_FALSE(filter.Matches(Page("http://example.com.evil/")));
  EXPECT_FALSE(filter.Matches(Page("http://other/?example.com")));
}

TEST(SkipFilter, ByKindDistanceOriginalAndTime) {
  SkipRecord page = Page("http://a/");
  SkipFilter filter;
  filter.kinds = {Kind::kExactText, Kind::kNear};
  EXPECT_TRUE(filter.Matches(page));
  filter.kinds = {Kind::kExactText};
  EXPECT_FALSE(filter.Matches(page));
  filter = {};
  filter.distance = Range(2, 3);
  EXPECT_TRUE(filter.Matches(page));
  filter.distance = Range(0, 1);
  EXPECT_FALSE(filter.Matches(page));
  filter = {};
  filter.original = "o.example";
  EXPECT_TRUE(filter.Matches(page));
  filter.original = "p.example";
  EXPECT_FALSE(filter.Matches(page));
  filter = {};
  filter.since = page.time;
  EXPECT_TRUE(filter.Matches(page));
  filter.since = page.time + std::chrono::milliseconds(1);
  EXPECT_FALSE(filter.Matches(page));
}

TEST(SkipFilter, ParsesKinds) {
  EXPECT_EQ(*ParseKinds("near"), Kinds{Kind::kNear});
  EXPECT_EQ(*ParseKinds("exact"), (Kinds{Kind::kExactBytes, Kind::kExactText}));
  EXPECT_EQ(*ParseKinds("exact-bytes"), Kinds{Kind::kExactBytes});
  EXPECT_EQ(ParseKinds("new").error().message,
            "--kind must be near, exact-bytes, exact-text or exact, not 'new'");
}

TEST(SkipFilter, ParsesDistances) {
  EXPECT_EQ(*ParseDistances("3"), Range(3, 3));
  EXPECT_EQ(*ParseDistances("0..64"), Range(0, 64));
  for (const char* text :
       {"", "x", "-1", "-0", "65", "3..1", "1..", "..2", "1...2", "1-2", "1..2..3"}) {
    EXPECT_FALSE(ParseDistances(text)) << text;
  }
}

TEST(SkipFilter, ParsesSince) {
  base::WallTime now{std::chrono::hours(100)};
  EXPECT_EQ(*ParseSince("2h", now), now - std::chrono::hours(2));
  EXPECT_EQ(*ParseSince("1970-01-02T00:00:00Z", now), base::WallTime(std::chrono::hours(24)));
  for (const char* text : {"", "2026", "yesterday", "2 weeks"}) {
    EXPECT_FALSE(ParseSince(text, now)) << text;
  }
}

}  // namespace
}  // namespace crawler
