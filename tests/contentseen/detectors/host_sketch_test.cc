#include "contentseen/detectors/host_sketch.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <thread>
#include <vector>

namespace contentseen {
namespace {

constexpr std::uint32_t kAll = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kHost = 17;

class HostSketchTest : public testing::Test {
 protected:
  // Pages of one host: a template of three shingles, and one of their own.
  void AddPages(std::uint32_t count, std::uint32_t bound = kAll) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::vector<std::uint32_t> sample = {10, 20, 30, 1'000 + next_++};
      sketch_.Add(kHost, sample, bound);
    }
  }
  bool IsCommon(std::uint32_t hash, std::uint64_t host = kHost) const {
    return HostSketch::Reader(sketch_, host).IsCommon(hash);
  }

  HostSketch sketch_{std::size_t{1} << 20, 5};
  std::uint32_t next_ = 0;
};

TEST_F(HostSketchTest, TellsTheTemplateFromThePage) {
  AddPages(12);
  EXPECT_TRUE(IsCommon(20));
  EXPECT_FALSE(IsCommon(1'003));
  EXPECT_FALSE(IsCommon(999));
}

TEST_F(HostSketchTest, KnowsNothingOfAHostWithFewPages) {
  AddPages(HostSketch::kDocumentsMin - 1);
  EXPECT_TRUE(HostSketch::Reader(sketch_, kHost).knows_nothing());
  EXPECT_FALSE(IsCommon(20));
  AddPages(1);
  EXPECT_FALSE(HostSketch::Reader(sketch_, kHost).knows_nothing());
  EXPECT_TRUE(IsCommon(20));
}

TEST_F(HostSketchTest, KeepsHostsApart) {
  AddPages(12);
  EXPECT_FALSE(IsCommon(20, kHost + 1));
}

// Of what few of many pages have nothing is common, however many those few are.
TEST_F(HostSketchTest, CountsInProportionToTheHost) {
  AddPages(100);
  for (std::uint32_t i = 0; i < 4; ++i) sketch_.Add(kHost, std::vector<std::uint32_t>{7}, kAll);
  EXPECT_FALSE(IsCommon(7));
  EXPECT_TRUE(IsCommon(10));
}

// Counters end at 255, and so does the number of documents that a tenth is taken of.
TEST_F(HostSketchTest, OnALargeHostTwentySixAreEnough) {
  AddPages(2'000);
  for (std::uint32_t i = 0; i < 25; ++i) sketch_.Add(kHost, std::vector<std::uint32_t>{7}, kAll);
  EXPECT_FALSE(IsCommon(7));
  sketch_.Add(kHost, std::vector<std::uint32_t>{7}, kAll);
  EXPECT_TRUE(IsCommon(7));
}

// Long pages are sampled up to low bounds only, and say nothing of what lies above.
TEST_F(HostSketchTest, RelatesToThosePagesWhoseSamplesReached) {
  for (std::uint32_t i = 0; i < 200; ++i) sketch_.Add(kHost, std::vector<std::uint32_t>{1}, 100);
  for (std::uint32_t i = 0; i < 6; ++i) {
    sketch_.Add(kHost, std::vector<std::uint32_t>{1, 1u << 30}, kAll);
  }
  EXPECT_TRUE(IsCommon(1u << 30)) << "on six of the six pages that reach so far";
}

// It ends where fewer than four of the samples reached, wherever their bounds lie.
TEST_F(HostSketchTest, SaysHowFarItKnows) {
  const auto end = [&] { return HostSketch::Reader(sketch_, kHost).known_end(); };
  AddPages(HostSketch::kDocumentsMin, 3 << 20);
  EXPECT_EQ(end(), 3u << 20);
  AddPages(HostSketch::kDocumentsMin - 1);
  EXPECT_EQ(end(), 3u << 20);
  AddPages(1, (1 << 23) - 5);
  EXPECT_EQ(end(), 3u << 21) << "no further than where all of them reach";
  AddPages(1);
  EXPECT_EQ(end(), kAll);
}

TEST_F(HostSketchTest, ForgetsWhatIsLongPast) {
  HostSketch small(HostSketch::kBytesMin, 5);
  for (int i = 0; i < 6; ++i) small.Add(kHost, std::vector<std::uint32_t>{10}, kAll);
  EXPECT_TRUE(HostSketch::Reader(small, kHost).IsCommon(10));
  std::mt19937 random(1);
  for (int i = 0; i < 600; ++i) small.Add(random(), std::vector<std::uint32_t>{1}, kAll);
  EXPECT_FALSE(HostSketch::Reader(small, kHost).IsCommon(10));
}

TEST_F(HostSketchTest, FillsFromManyThreads) {
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (std::uint32_t i = 0; i < 500; ++i) {
        sketch_.Add(kHost, std::vector<std::uint32_t>{10, 5'000 + t * 500 + i}, kAll);
        HostSketch::Reader(sketch_, kHost).IsCommon(10);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(IsCommon(10));
  EXPECT_FALSE(IsCommon(5'001));
}

}  // namespace
}  // namespace contentseen
