#include "crawler/settings/crawl_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "crawler/page/limit_hits.h"
#include "crawler/settings/option_table.h"
#include "store/memory_store.h"

namespace crawler {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A crawl that was begun with the default options.
class CrawlSettingsTest : public ::testing::Test {
 protected:
  CrawlSettingsTest() { EXPECT_TRUE(KeepSettings(Options(), store_)); }

  /// What is said of one that goes on with `options_`.
  std::vector<std::string> Notes() const {
    auto notes = CompareSettings(options_, store_);
    EXPECT_TRUE(notes) << notes.error().message;
    return notes ? *notes : std::vector<std::string>{};
  }

  store::MemoryStore store_;
  Options options_;
};

TEST_F(CrawlSettingsTest, AWiderScopeIsSaidToComeTooLateForWhatWasLeftOut) {
  options_.scope.depth_max = 30;
  EXPECT_THAT(Notes(),
              ElementsAre("scope.depth_max was 20 so far and is 30 now: links left out before are "
                          "not taken up again, unless a further page has them"));
  options_.scope.depth_max = 20;
  options_.scope.reach = frontier::ScopeReach::kAny;
  options_.scope.exclude = {"private"};
  options_.frontier.pages_per_host_max += 1;
  options_.pipeline.obey_rel_nofollow = !options_.pipeline.obey_rel_nofollow;
  EXPECT_THAT(Notes(),
              ElementsAre(HasSubstr("crawl.pages_per_host_max was "),
                          HasSubstr("scope.reach was \"host\" so far and is \"any\" now"),
                          HasSubstr("scope.exclude was [] so far and is [\"private\"] now"),
                          HasSubstr("robots.obey_rel_nofollow was ")));
}

TEST_F(CrawlSettingsTest, OfANarrowerScopeItIsSaidThatWhatWaitsWaitsOn) {
  const std::string waits = "URLs that wait and are out of scope now wait on";
  const std::string left_out = "links left out before are not taken up again";
  options_.scope.depth_max = 3;
  options_.scope.reach = frontier::ScopeReach::kAny;
  options_.scope.exclude = {"private"};
  EXPECT_THAT(
      Notes(),
      ElementsAre(
          AllOf(HasSubstr("scope.reach was "), HasSubstr(left_out), Not(HasSubstr(waits))),
          AllOf(HasSubstr("scope.exclude was "), HasSubstr(waits), Not(HasSubstr(left_out))),
          AllOf(HasSubstr("scope.depth_max was "), HasSubstr(waits), Not(HasSubstr(left_out)))));
  ASSERT_TRUE(KeepSettings(options_, store_));
  options_.scope.depth_max = 20;
  options_.scope.reach = frontier::ScopeReach::kDomain;
  options_.scope.exclude = {"secret"};  // narrower, wider: who knows
  EXPECT_THAT(
      Notes(),
      ElementsAre(
          AllOf(HasSubstr("scope.reach was "), HasSubstr(waits), Not(HasSubstr(left_out))),
          AllOf(HasSubstr("scope.exclude was "), HasSubstr(waits), HasSubstr(left_out)),
          AllOf(HasSubstr("scope.depth_max was "), HasSubstr(left_out), Not(HasSubstr(waits)))));
}

TEST_F(CrawlSettingsTest, NothingIsSaidOfALowerLimitAndOfOneThatLeavesNothingOut) {
  options_.frontier.pages_per_host_max -= 1;
  options_.frontier.pages_max *= 2;
  options_.crawl.time_max = std::chrono::hours(1);
  options_.frontier.delay *= 2;
  EXPECT_THAT(Notes(), IsEmpty());
}

TEST(CrawlSettings, EveryLimitThatLeavesOutLinksIsDeclaredSo) {
  Options options;
  const OptionTable table = DeclareOptions(options);
  const auto expect = [&table](std::string_view name) {
    const Option* option = table.Find(name);
    ASSERT_NE(option, nullptr) << name;
    EXPECT_TRUE(option->leaves_out) << name;
  };
  for (std::size_t i = 0; i < frontier::kScopeVerdicts; ++i) {
    const auto verdict = static_cast<frontier::ScopeVerdict>(i);
    if (verdict != frontier::ScopeVerdict::kIn) expect(OptionOf(verdict));
  }
  for (std::size_t i = 0; i < frontier::kScheduleLimits; ++i) {
    expect(OptionOf(static_cast<frontier::ScheduleLimit>(i)));
  }
  for (Limit limit :
       {Limit::kLinksPerPage, Limit::kSitemapBytes, Limit::kSitemapUrls, Limit::kSitemapDepth}) {
    expect(OptionOf(limit));
  }
}

}  // namespace
}  // namespace crawler
