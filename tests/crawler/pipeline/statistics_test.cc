#include "crawler/pipeline/statistics.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace crawler {
namespace {

using std::chrono::microseconds;

TEST(StatisticsTest, EveryPageStandsUnderOneDispositionAndWhatIsPutBackIsNoPage) {
  Statistics statistics;
  for (std::size_t i = 0; i < kDispositions; ++i) {
    for (std::size_t n = 0; n <= i; ++n) statistics.Ended(static_cast<Disposition>(i));
  }
  const StatisticsSnapshot snapshot = statistics.Snapshot();
  std::uint64_t put_back = 0;
  for (std::size_t i = 0; i < kDispositions; ++i) {
    const auto disposition = static_cast<Disposition>(i);
    EXPECT_EQ(snapshot.Of(disposition), i + 1);
    if (GroupOf(disposition) == DispositionGroup::kPutBack) put_back += i + 1;
  }
  EXPECT_GT(put_back, 0U);
  EXPECT_EQ(snapshot.Ended(), kDispositions * (kDispositions + 1) / 2);
  EXPECT_EQ(snapshot.Pages(), snapshot.Ended() - put_back);
  EXPECT_EQ(snapshot.InGroup(DispositionGroup::kPutBack), put_back);
}

TEST(StatisticsTest, ADurationStandsInTheBucketOfTheBoundThatItDoesNotExceed) {
  LatencyHistogram histogram;
  histogram.Add(microseconds(-5));  // a clock that was set back
  histogram.Add(kLatencyBounds[0]);
  histogram.Add(kLatencyBounds[0] + microseconds(1));
  histogram.Add(kLatencyBounds.back());
  histogram.Add(kLatencyBounds.back() + microseconds(1));
  const LatencyCounts counts = histogram.Counts();
  EXPECT_EQ(counts.buckets[0], 2U);
  EXPECT_EQ(counts.buckets[1], 1U);
  EXPECT_EQ(counts.buckets[kLatencyBounds.size() - 1], 1U);
  EXPECT_EQ(counts.buckets[kLatencyBounds.size()], 1U);
  EXPECT_EQ(counts.Count(), 5U);
  EXPECT_EQ(counts.total_us,
            static_cast<std::uint64_t>(
                (2 * kLatencyBounds[0] + 2 * kLatencyBounds.back() + microseconds(2)).count()));
}

TEST(StatisticsTest, TimesAreOfTheWayThatAPageWent) {
  Statistics statistics;
  statistics.Ended(Disposition::kStored, "a.test",
                   {.fetch = microseconds(1), .parse = microseconds(2), .check = microseconds(3)});
  statistics.Ended(Disposition::kClientError, "a.test", {.fetch = microseconds(1)});
  const StatisticsSnapshot snapshot = statistics.Snapshot();
  EXPECT_EQ(snapshot.fetch.Count(), 2U);
  EXPECT_EQ(snapshot.parse.Count(), 1U);
  EXPECT_EQ(snapshot.check.Count(), 1U);
}

TEST(StatisticsTest, HostsAreCountedByPagesThatEnded) {
  Statistics statistics;
  statistics.Ended(Disposition::kRetry, "a.test");
  statistics.Ended(Disposition::kStored, "a.test");
  statistics.Ended(Disposition::kNear, "a.test");
  statistics.Ended(Disposition::kRobotsDenied, "");
  const auto hosts = statistics.Busiest(10);
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_EQ(hosts[0].pages, 2U);
  EXPECT_EQ(hosts[0].skipped, 1U);
  EXPECT_EQ(hosts[0].near, 1U);
}

TEST(StatisticsTest, ACrawlThatGoesOnCountsOn) {
  auto count = [](Statistics& statistics) {
    statistics.Ended(Disposition::kStored, "a.test", {.fetch = microseconds(1)});
    statistics.RobotsFetched();
    statistics.Received(2, 3);
    statistics.LinksStored(5, 4);
    statistics.LinksNotFollowed(6);
    statistics.Hit(Limit::kUrlBytes, 7);
    statistics.NearAt(3);
    frontier::ScheduleCounts left_out;
    left_out.out_of_scope[0] = 8;
    left_out.over_limit[0] = 9;
    statistics.LeftOut(left_out);
  };
  Statistics before;
  count(before);
  Statistics after;
  after.Restore(before.Snapshot());
  count(after);
  const StatisticsSnapshot sum = after.Snapshot();
  EXPECT_EQ(sum.Of(Disposition::kStored), 2U);
  EXPECT_EQ(sum.robots_fetched, 2U);
  EXPECT_EQ(sum.wire_bytes, 4U);
  EXPECT_EQ(sum.body_bytes, 6U);
  EXPECT_EQ(sum.links_found, 10U);
  EXPECT_EQ(sum.links_queued, 8U);
  EXPECT_EQ(sum.links_not_followed, 12U);
  EXPECT_EQ(sum.limits.own[static_cast<std::size_t>(Limit::kUrlBytes)], 14U);
  EXPECT_EQ(sum.limits.out_of_scope[0], 16U);
  EXPECT_EQ(sum.limits.over_limit[0], 18U);
  EXPECT_EQ(sum.distances[3], 2U);
  EXPECT_EQ(sum.fetch.Count(), 1U) << "latencies are of this process alone";
}

TEST(StatisticsTest, ManyThreadsLoseNothing) {
  Statistics statistics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&statistics] {
      for (int i = 0; i < 1'000; ++i) statistics.Ended(Disposition::kStored, "a.test");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(statistics.Snapshot().Pages(), 4'000U);
  EXPECT_EQ(statistics.Busiest(1)[0].pages, 4'000U);
}

}  // namespace
}  // namespace crawler
