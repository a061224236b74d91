#include "crawler/report/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

namespace crawler {
namespace {

using testing::HasSubstr;

CrawlSnapshot Snapshot() {
  Statistics statistics;
  using std::chrono::microseconds;
  statistics.Ended(
      Disposition::kStored, "a.example",
      {.fetch = microseconds(3'000), .parse = microseconds(20), .check = microseconds(21)});
  statistics.Ended(Disposition::kNear, "a.example",
                   {.fetch = std::chrono::minutes(1), .check = microseconds(0)});
  statistics.Ended(Disposition::kDns, "b.example");
  statistics.Ended(Disposition::kRetry, "b.example");
  statistics.NearAt(2);
  statistics.Received(1'000, 3'000);
  CrawlSnapshot snapshot;
  snapshot.statistics = statistics.Snapshot();
  snapshot.frontier.queued = 77;
  snapshot.frontier.queued_given_up = 7;
  snapshot.frontier.queued_out_of_scope = 4;
  snapshot.frontier.hosts_waiting = 5;
  snapshot.paused = "no space left on device";
  snapshot.seen.documents = 12;
  snapshot.waiting = 3;
  return snapshot;
}

TEST(Metrics, SayWhatTheSnapshotSays) {
  const std::string text = MetricsText(Snapshot());
  for (const char* line :
       {"contentseen_pages_total{disposition=\"stored\"} 1\n",
        "contentseen_pages_total{disposition=\"near\"} 1\n",
        "contentseen_pages_total{disposition=\"exact-text\"} 0\n",
        "contentseen_near_pages_total{distance=\"2\"} 1\n",
        "contentseen_near_pages_total{distance=\"10\"} 0\n",
        "contentseen_received_bytes_total 1000\n", "contentseen_body_bytes_total 3000\n",
        "contentseen_queue_urls 77\n", "contentseen_queue_given_up_urls 7\n",
        "contentseen_queue_out_of_scope_urls 4\n", "contentseen_paused 1\n",
        "contentseen_memory_short 0\n", "contentseen_hosts_active 5\n",
        "contentseen_index_documents 12\n", "contentseen_pages_waiting 3\n",
        "contentseen_fetch_seconds_count 2\n", "contentseen_check_seconds_count 2\n",
        "contentseen_parse_seconds_sum 2e-05\n", "# TYPE contentseen_fetch_seconds histogram\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(Metrics, BucketsHoldWhatTookAtMostTheirBound) {
  const std::string text = MetricsText(Snapshot());
  for (const char* line : {"contentseen_fetch_seconds_bucket{le=\"0.0025\"} 0\n",
                           "contentseen_fetch_seconds_bucket{le=\"0.005\"} 1\n",
                           "contentseen_fetch_seconds_bucket{le=\"20\"} 1\n",
                           "contentseen_fetch_seconds_bucket{le=\"+Inf\"} 2\n",
                           "contentseen_parse_seconds_bucket{le=\"2e-05\"} 1\n",
                           "contentseen_check_seconds_bucket{le=\"2e-05\"} 1\n",
                           "contentseen_check_seconds_bucket{le=\"5e-05\"} 2\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

// The exposition format: "# HELP", "# TYPE", samples of that name, each name once.
TEST(Metrics, AreInPrometheusFormat) {
  const std::regex sample(R"(([a-z_]+)(\{[a-z]+="[^"\\]*"\})? [-+0-9.eInf]+)");
  const std::regex comment(R"(# (HELP|TYPE) ([a-z_]+) .+)");
  std::istringstream lines(MetricsText(Snapshot()));
  std::set<std::string> families;
  std::string family;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, comment)) {
      family = match[2];
      EXPECT_TRUE(match[1] == "HELP" || families.insert(family).second) << family;
    } else {
      ASSERT_TRUE(std::regex_match(line, match, sample)) << line;
      EXPECT_TRUE(match[1].str().starts_with(family)) << line;
    }
  }
  EXPECT_GE(families.size(), 20U);
}

TEST(Statistics, HostsAndPutBackPages) {
  Statistics statistics;
  statistics.Ended(Disposition::kExactText, "a.example");
  statistics.Ended(Disposition::kStored, "a.example");
  statistics.Ended(Disposition::kRetry, "b.example");
  auto busiest = statistics.Busiest(5);
  ASSERT_EQ(busiest.size(), 1U) << "a page put back ends once more later";
  EXPECT_EQ(busiest[0].pages, 2U);
  EXPECT_EQ(busiest[0].skipped, 1U);
}

}  // namespace
}  // namespace crawler
