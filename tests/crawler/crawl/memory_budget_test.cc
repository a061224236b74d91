#include "crawler/crawl/memory_budget.h"

#include <gmock/gmock.h>

namespace crawler {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMegabyte = 1'000'000;

TEST(MemoryBudget, ACrawlOfWhichLittleIsKnownGivesAQuarterEach) {
  const MemoryBudget budget(1'000);
  const auto shares = budget.Divide({.urls_seen = 100 * kMegabyte});
  ASSERT_TRUE(shares);
  EXPECT_EQ(shares->store, 250 * kMegabyte);
  EXPECT_EQ(shares->queues, 250 * kMegabyte);
  EXPECT_EQ(budget.First().store, 250 * kMegabyte);
}

// For every use that is let go on: all parts together stay within what was given.
TEST(MemoryBudget, AllPartsTogetherStayWithinTheBudget) {
  for (const std::uint64_t megabytes : {64, 100, 1'024, 1'000'000}) {
    const MemoryBudget budget(megabytes);
    for (std::uint64_t percent = 0; percent <= 100; ++percent) {
      const MemoryInUse in_use{.documents = megabytes * kMegabyte * percent / 100};
      const auto shares = budget.Divide(in_use);
      EXPECT_EQ(shares.has_value(), percent <= 87) << percent;
      if (!shares) continue;
      EXPECT_LE(in_use.Sum() + shares->store + shares->queues, megabytes * kMegabyte) << percent;
      EXPECT_GE(shares->store, std::min<std::uint64_t>(8 << 20, megabytes * kMegabyte / 8));
    }
  }
}

TEST(MemoryBudget, WarnsBeforeItStopsAndSaysWhatHelps) {
  const MemoryBudget budget(1'000);
  EXPECT_EQ(budget.Warning({.urls_seen = 740 * kMegabyte}), "");
  const MemoryInUse in_use{.urls_seen = 500 * kMegabyte,
                           .hosts = 10 * kMegabyte,
                           .documents = 300 * kMegabyte,
                           .archive = 90 * kMegabyte};
  EXPECT_EQ(budget.Warning(in_use),
            "900 of crawl.memory_mb = 1000 are taken by what must stay in memory (URLs seen 500 "
            "MB, hosts 10 MB, documents 300 MB, archive 90 MB); at 875 the crawl stops");
  EXPECT_FALSE(budget.Divide(in_use));
  EXPECT_THAT(budget.Complaint(in_use), HasSubstr("crawl.memory_mb = 1000 is too little"));
  EXPECT_THAT(budget.Complaint(in_use),
              HasSubstr("--memory-mb 1029 or more (1800 leaves it room to grow)"));
  EXPECT_TRUE(MemoryBudget(1'029).Divide(in_use));
  EXPECT_FALSE(MemoryBudget(1'028).Divide(in_use));
}

}  // namespace
}  // namespace crawler
