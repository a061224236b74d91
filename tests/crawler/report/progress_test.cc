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

/// Some thousands of pages, with failures and duplicates.
CrawlSnapshot OfAnHour() {
  CrawlSnapshot now;
  now.elapsed = std::chrono::minutes(62);
  auto& dispositions = now.statistics.dispositions;
  dispositions[static_cast<std::size_t>(Disposition::kStored)] = 12'345;
  dispositions[static_cast<std::size_t>(Disposition::kNear)] = 2'000;
  dispositions[static_cast<std::size_t>(Disposition::kConnect)] = 120;
  now.statistics.body_bytes = 700'000'000;
  now.frontier.queued = 128'120;
  now.in_flight = 64;
  return now;
}

TEST(ProgressLine, LeavesOutWhatIsWorthLeastWhereThereIsNoRoomForAll) {
  const CrawlSnapshot now = OfAnHour();
  EXPECT_EQ(ProgressLine(now, {}),
            "14,465 pages  4/s  0.2 MB/s  queued 128,120  in flight 64  exact 0%  near 14%  "
            "errors 120  1h02m");
  EXPECT_EQ(ProgressLine(now, {}, 79),
            "14,465 pages  4/s  queued 128,120  in flight 64  near 14%  errors 120  1h02m");
  EXPECT_EQ(ProgressLine(now, {}, 40), "14,465 pages  errors 120  1h02m");
}

TEST(ProgressLine, SaysOfASmallCrawlAllButItsBytesOnEightyColumns) {
  CrawlSnapshot now;
  now.elapsed = std::chrono::seconds(12);
  now.statistics.dispositions[static_cast<std::size_t>(Disposition::kStored)] = 73;
  now.frontier.queued = 40;
  EXPECT_EQ(ProgressLine(now, {}, 79),
            "73 pages  6/s  queued 40  in flight 0  exact 0%  near 0%  errors 0  12.0s");
}

TEST(ProgressLine, SaysWhatACrawlWaitsForThatDoesNothing) {
  CrawlSnapshot now;
  now.elapsed = std::chrono::seconds(12);
  now.frontier.queued = 40;
  now.frontier.next_in = std::chrono::milliseconds(22'300);
  EXPECT_THAT(ProgressLine(now, {}, 79), HasSubstr("queued 40  in flight 0, next in 23s"));
  now.frontier.next_in = std::chrono::minutes(10);
  EXPECT_THAT(ProgressLine(now, {}), HasSubstr("in flight 0, next in 10m00s"));
  now.frontier.queued_given_up = 40;
  EXPECT_THAT(ProgressLine(now, {}), Not(HasSubstr("next in"))) << "nobody waits for it";
  now.frontier.queued_given_up = 0;
  now.in_flight = 1;
  EXPECT_THAT(ProgressLine(now, {}), Not(HasSubstr("next in")));
  now.in_flight = 0;
  now.frontier.next_in = std::chrono::milliseconds(700);
  EXPECT_THAT(ProgressLine(now, {}), Not(HasSubstr("next in"))) << "the usual delay of a host";
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
  end.frontier.queued_out_of_scope = 4;
  EXPECT_THAT(SummaryText(end), AllOf(HasSubstr("  1 URLs were still waiting\n"),
                                      HasSubstr("  4 URLs wait outside the scope: ")));
  EXPECT_THAT(ProgressLine(end, {}), HasSubstr("queued 120 (115 given up, 4 out of scope)"));
}

TEST(ProgressLine, SaysWhyACrawlIsPaused) {
  CrawlSnapshot now;
  now.elapsed = std::chrono::seconds(2);
  now.paused = "data/store: no space left on device; the crawl waits for room";
  EXPECT_THAT(ProgressLine(now, {}), HasSubstr("PAUSED: data/store: no space left on device"));
  EXPECT_THAT(ProgressLine(now, {}, 79), HasSubstr("PAUSED: data/store: no space left on device"));
}

}  // namespace
}  // namespace crawler
