#include "base/clock.h"

#include <gtest/gtest.h>

namespace base {
namespace {

using std::chrono::seconds;

TEST(FakeClock, StandsStillUntilMoved) {
  FakeClock clock;
  Time start = clock.Now();
  EXPECT_EQ(clock.Now(), start);
  clock.Advance(seconds(5));
  EXPECT_EQ(clock.Now() - start, seconds(5));
}

TEST(FakeClock, AdvanceToNeverGoesBack) {
  FakeClock clock;
  Time start = clock.Now();
  clock.AdvanceTo(start + seconds(7));
  clock.AdvanceTo(start + seconds(3));
  EXPECT_EQ(clock.Now() - start, seconds(7));
}

TEST(FakeClock, WallTimeMovesWithMonotonicTime) {
  FakeClock clock;
  WallTime start = clock.WallNow();
  clock.Advance(seconds(9));
  EXPECT_EQ(clock.WallNow() - start, seconds(9));
}

TEST(SystemClock, IsMonotonic) {
  SystemClock clock;
  Time a = clock.Now();
  EXPECT_LE(a, clock.Now());
}

}  // namespace
}  // namespace base
