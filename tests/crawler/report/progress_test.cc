#include "crawler/report/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawler {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ProgressLine, SaysWhatWasDoneSinceTheLastOne) {
  CrawlSnapshot before;
  CrawlSnapshot now;
  now.elapsed = std::chrono::seconds(2);
  now.statistics.dispositions[static_cast<std::size_t>(Disposition::kStored)] = 600;
  now.frontier.queued = 8'120;
  now.in_flight = 64;
  const std::string line = ProgressLine(now, before);
  EXPECT_THAT(line, HasSubstr("600 pages  300/s"));
  EXPECT_THAT(line, HasSubstr("queued 8,120  in flight 64"));
  EXPECT_THAT(line, Not(HasSubstr("PAUSED")));
  now.frontier.queued_given_up = 1'200;
  EXPECT_THAT(ProgressLine(now, before), HasSubstr("queued 8,120 (1,200 given up)  in flight"));
}

TEST(SummaryText, SaysWhatWasLeftAndWhy) {
  CrawlSnapshot end;
  EXPECT_THAT(SummaryText(end), Not(HasSubstr("wait")));
  end.frontier.queued = 120;
  EXPECT_THAT(SummaryText(end), HasSubstr("  120 URLs were still waiting\n"));
  end.frontier.queued_given_up = 115;
  EXPECT_THAT(
      SummaryText(end),
      HasSubstr("  5 URLs were still waiting\n"
                "  115 URLs wait for hosts that did not answer: the next start asks again\n"));
}

TEST(ProgressLine, SaysWhyACrawlIsPaused) {
  CrawlSnapshot now;
  now.elapsed = std::chrono::seconds(2);
  now.paused = "data/store: no space left on device; the crawl waits for room";
  EXPECT_THAT(ProgressLine(now, {}), HasSubstr("PAUSED: data/store: no space left on device"));
}

}  // namespace
}  // namespace crawler
