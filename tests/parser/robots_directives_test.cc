#include "parser/robots_directives.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

namespace parser {
namespace {

constexpr RobotsDirectives kNothing{};
constexpr RobotsDirectives kNoindex{.noindex = true, .nofollow = false};
constexpr RobotsDirectives kNofollow{.noindex = false, .nofollow = true};
constexpr RobotsDirectives kBoth{.noindex = true, .nofollow = true};

TEST(ParseMetaRobotsTest, Words) {
  EXPECT_EQ(ParseMetaRobots(""), kNothing);
  EXPECT_EQ(ParseMetaRobots("all"), kNothing);
  EXPECT_EQ(ParseMetaRobots("index, follow"), kNothing);
  EXPECT_EQ(ParseMetaRobots("NoIndex"), kNoindex);
  EXPECT_EQ(ParseMetaRobots("noarchive,nofollow"), kNofollow);
  EXPECT_EQ(ParseMetaRobots(" none "), kBoth);
  EXPECT_EQ(ParseMetaRobots("noindex nofollow"), kBoth);
  EXPECT_EQ(ParseMetaRobots("noindex,,\t nofollow,"), kBoth);
  EXPECT_EQ(ParseMetaRobots("noindexx, xnofollow, no-index"), kNothing);
}

TEST(ParseXRobotsTagTest, Row96_ForEverybodyOrForOne) {
  const auto ours = [](std::string_view value) { return ParseXRobotsTag(value, "contentseen"); };
  EXPECT_EQ(ours("noindex"), kNoindex);
  EXPECT_EQ(ours("noindex, nofollow"), kBoth);
  EXPECT_EQ(ours("otherbot: noindex, nofollow"), kNothing);
  EXPECT_EQ(ours("ContentSeen: nofollow"), kNofollow);
  EXPECT_EQ(ours("noindex, otherbot: nofollow"), kNoindex);
  EXPECT_EQ(ours("otherbot: noindex, contentseen: nofollow, noindex"), kBoth);
  EXPECT_EQ(ours("unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"), kNoindex);
  EXPECT_EQ(ours("unavailable_after: Wed, 25 Jun 2025 15:00:00 GMT, noindex"), kNoindex);
  EXPECT_EQ(ours("otherbot: unavailable_after: Wed, 25 Jun 2025 15:00:00 GMT, noindex"), kNothing);
  EXPECT_EQ(ours("otherbot: nofollow, : noindex"), kNothing);
  EXPECT_EQ(ours("max-snippet:20, nofollow"), kNofollow);
  EXPECT_EQ(ours("*: none"), kBoth);
  EXPECT_EQ(ours(""), kNothing);
}

TEST(ParseXRobotsTagTest, AnyBytes) {
  EXPECT_TRUE(rc::check("random values", [](const std::string& value) {
    (void)ParseMetaRobots(value);
    RC_ASSERT(ParseXRobotsTag("noindex," + value, "x").noindex);
  }));
}

}  // namespace
}  // namespace parser
