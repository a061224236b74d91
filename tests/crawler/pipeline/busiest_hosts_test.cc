#include "crawler/pipeline/busiest_hosts.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace crawler {
namespace {

TEST(BusiestHosts, ExactWhileCountersSuffice) {
  BusiestHosts hosts(3);
  for (const char* name : {"b", "a", "c", "a", "b", "a"}) hosts.Add(name, name[0] == 'b');
  auto top = hosts.Top(10);
  ASSERT_EQ(top.size(), 3U);
  EXPECT_EQ(top[0].name, "a");
  EXPECT_EQ(top[0].pages, 3U);
  EXPECT_EQ(top[1].name, "b");
  EXPECT_EQ(top[1].skipped, 2U);
  EXPECT_EQ(hosts.Top(1).size(), 1U);
}

TEST(BusiestHosts, EqualCountsStandByName) {
  BusiestHosts hosts(10);
  for (const char* name : {"d", "b", "c", "a"}) hosts.Add(name, false);
  auto top = hosts.Top(2);
  EXPECT_EQ(top[0].name, "a");
  EXPECT_EQ(top[1].name, "b");
}

// Theorems of the paper: no count is too small, none too large by more than pages/counters, and
// whoever has more than that is there.
TEST(BusiestHosts, KeepsItsBoundsWithTooFewCounters) {
  constexpr std::size_t kCounters = 20;
  constexpr std::uint64_t kPages = 20'000;
  std::mt19937 random(7);
  std::geometric_distribution<int> pick(0.05);
  BusiestHosts hosts(kCounters);
  std::map<std::string, std::uint64_t> truth;
  for (std::uint64_t i = 0; i < kPages; ++i) {
    std::string name = "h" + std::to_string(pick(random));
    truth[name] += 1;
    hosts.Add(name, false);
  }
  ASSERT_GT(truth.size(), kCounters);
  std::map<std::string, BusiestHosts::Host> counted;
  for (const auto& host : hosts.Top(kCounters)) counted[host.name] = host;
  EXPECT_EQ(counted.size(), kCounters);
  for (const auto& [name, host] : counted) {
    EXPECT_GE(host.pages, truth[name]);
    EXPECT_LE(host.pages - host.surplus, truth[name]);
    EXPECT_LE(host.surplus, kPages / kCounters);
  }
  for (const auto& [name, pages] : truth) {
    EXPECT_TRUE(pages <= kPages / kCounters || counted.contains(name)) << name;
  }
}

}  // namespace
}  // namespace crawler
