#include "frontier/scope.h"

#include <gtest/gtest.h>

#include <string>

namespace frontier {
namespace {

Url U(std::string_view text) { return Url::Parse(text).value(); }

std::unique_ptr<Scope> Make(ScopeOptions options,
                            std::string_view seed = "http://www.a.example/") {
  std::unique_ptr<Scope> scope = Scope::Make(std::move(options)).value();
  scope->AddSeed(U(seed));
  return scope;
}

TEST(ScopeTest, SameHostWhateverSchemeAndPort) {
  auto scope = Make({.reach = ScopeReach::kHost});
  EXPECT_EQ(scope->Judge(U("https://www.a.example:8443/x"), 1), ScopeVerdict::kIn);
  EXPECT_EQ(scope->Judge(U("http://a.example/"), 1), ScopeVerdict::kOtherHost);
}

TEST(ScopeTest, SameRegisteredDomain) {
  auto scope = Make({.reach = ScopeReach::kDomain}, "http://www.shop.co.uk/");
  EXPECT_EQ(scope->Judge(U("http://img.cdn.shop.co.uk/"), 1), ScopeVerdict::kIn);
  EXPECT_EQ(scope->Judge(U("http://other.co.uk/"), 1), ScopeVerdict::kOtherDomain);
  EXPECT_EQ(scope->Judge(U("http://notshop.co.uk/"), 1), ScopeVerdict::kOtherDomain);
}

TEST(ScopeTest, AnyHost) {
  auto scope = Make({.reach = ScopeReach::kAny});
  EXPECT_EQ(scope->Judge(U("http://127.0.0.1/"), 1), ScopeVerdict::kIn);
}

TEST(ScopeTest, ASeedsRedirectWidensIt) {
  auto scope = Make({.reach = ScopeReach::kHost}, "http://a.example/");
  EXPECT_EQ(scope->Judge(U("http://www.a.example/"), 0), ScopeVerdict::kOtherHost);
  scope->AddSeed(U("http://www.a.example/"));
  EXPECT_EQ(scope->Judge(U("http://www.a.example/x"), 1), ScopeVerdict::kIn);
  EXPECT_EQ(scope->Judge(U("http://a.example/x"), 1), ScopeVerdict::kIn);
}

TEST(ScopeTest, Depth) {
  auto scope = Make({.depth_max = 2});
  EXPECT_EQ(scope->Judge(U("http://www.a.example/"), 2), ScopeVerdict::kIn);
  EXPECT_EQ(scope->Judge(U("http://www.a.example/"), 3), ScopeVerdict::kTooDeep);
}

TEST(ScopeTest, Patterns) {
  auto scope = Make({.include = {"^https?://[^/]+/news/", "\\.html$"}, .exclude = {"[?&]print="}});
  EXPECT_EQ(scope->Judge(U("http://www.a.example/news/1"), 1), ScopeVerdict::kIn);
  EXPECT_EQ(scope->Judge(U("http://www.a.example/x.html"), 1), ScopeVerdict::kIn);
  EXPECT_EQ(scope->Judge(U("http://www.a.example/x"), 1), ScopeVerdict::kNotIncluded);
  EXPECT_EQ(scope->Judge(U("http://www.a.example/news/1?print=1"), 1), ScopeVerdict::kExcluded);
}

TEST(ScopeTest, AWrongPatternIsNamed) {
  auto scope = Scope::Make({.exclude = {"fine", "a(b"}});
  ASSERT_FALSE(scope.has_value());
  EXPECT_NE(scope.error().message.find("'a(b'"), std::string::npos) << scope.error().message;
}

TEST(ScopeTest, APatternBeyondAsciiCouldMatchNothingAndIsRefused) {
  const auto scope = Scope::Make({.include = {"/caf\u00e9/"}});
  ASSERT_FALSE(scope.has_value());
  EXPECT_NE(scope.error().message.find("caf%C3%A9"), std::string::npos) << scope.error().message;
  EXPECT_EQ(Make({.include = {"/caf%C3%A9/"}})->Judge(U("http://www.a.example/caf\u00e9/"), 1),
            ScopeVerdict::kIn);
  EXPECT_FALSE(Scope::Make({.exclude = {"\xff"}}).has_value());
}

TEST(ScopeTest, APatternThatWouldNeverEndIsStopped) {
  auto scope = Make({.exclude = {"(a+)+$"}});
  Url hostile = U("http://www.a.example/" + std::string(1900, 'a') + "!");
  EXPECT_EQ(scope->Judge(hostile, 1), ScopeVerdict::kPatternTooSlow);
  EXPECT_EQ(scope->Judge(U("http://www.a.example/b!"), 1), ScopeVerdict::kIn);
}

TEST(ScopeTest, APatternThatWouldFillTheStackIsStopped) {
  auto scope = Make({.exclude = {"((.)|(.)|(.))*x$"}});
  Url hostile = U("http://www.a.example/" + std::string(1900, 'a'));
  EXPECT_EQ(scope->Judge(hostile, 1), ScopeVerdict::kPatternTooSlow);
}

TEST(HostileScopeTest, Row59PathsThatRepeat) {
  auto scope = Make({});
  auto judge = [&scope](const std::string& path) {
    return scope->Judge(U("http://www.a.example" + path), 1);
  };
  EXPECT_EQ(judge("/a/b/a/b"), ScopeVerdict::kIn);
  EXPECT_EQ(judge("/a/b/a/b/a/b"), ScopeVerdict::kPathRepeats);
  EXPECT_EQ(judge("/a/b/a/c/a"), ScopeVerdict::kPathRepeats);
  EXPECT_EQ(judge("/x/a/y/a/z/a/"), ScopeVerdict::kPathRepeats);
  // A run counts once: sharded names such as /0/0/0/1 are no trap.
  EXPECT_EQ(judge("/a/a/a/a"), ScopeVerdict::kIn);
  EXPECT_EQ(judge("/a/a/b/a/a"), ScopeVerdict::kIn);
  EXPECT_EQ(judge("//////"), ScopeVerdict::kIn);
}

TEST(HostileScopeTest, Row59PathsThatGrow) {
  auto scope = Make({.path_segments_max = 3});
  EXPECT_EQ(scope->Judge(U("http://www.a.example/1/2/3/"), 1), ScopeVerdict::kIn);
  EXPECT_EQ(scope->Judge(U("http://www.a.example/1/2/3/4"), 1), ScopeVerdict::kPathTooDeep);
  EXPECT_EQ(scope->Judge(U("http://www.a.example/"), 1), ScopeVerdict::kIn);
}

TEST(ScopeTest, EveryVerdictHasAName) {
  for (std::size_t i = 0; i < kScopeVerdicts; ++i) {
    EXPECT_FALSE(Name(static_cast<ScopeVerdict>(i)).empty()) << i;
  }
}

}  // namespace
}  // namespace frontier
