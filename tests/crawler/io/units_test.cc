#include "crawler/io/units.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace crawler {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(Units, ParsesDurations) {
  EXPECT_EQ(ParseDuration("500ms"), milliseconds(500));
  EXPECT_EQ(ParseDuration("2s"), seconds(2));
  EXPECT_EQ(ParseDuration("2 s"), seconds(2));
  EXPECT_EQ(ParseDuration("1.5s"), milliseconds(1500));
  EXPECT_EQ(ParseDuration("5min"), minutes(5));
  EXPECT_EQ(ParseDuration("2h"), hours(2));
  EXPECT_EQ(ParseDuration("1d"), hours(24));
  EXPECT_EQ(ParseDuration("3"), seconds(3));
  EXPECT_EQ(ParseDuration("0.25"), milliseconds(250));
  EXPECT_EQ(ParseDuration("0"), seconds(0));
}

TEST(Units, RefusesWhatIsNoDuration) {
  for (const char* text : {"", "s", "-1s", "1m", "1 2s", "1s2", "1e3s", "1..5s", ".", "0x10s",
                           "10000000000d", "99999999999999999999s", "1,5s", "nan", "inf"}) {
    EXPECT_EQ(ParseDuration(text), std::nullopt) << text;
  }
}

TEST(Units, DurationsReadBackAsWritten) {
  EXPECT_TRUE(rc::check([](std::int64_t count) {
    nanoseconds duration(count < 0 ? -(count + 1) : count);
    RC_ASSERT(ParseDuration(FormatDuration(duration)) == duration);
  }));
  EXPECT_EQ(FormatDuration(seconds(90)), "90s");
  EXPECT_EQ(FormatDuration(minutes(120)), "2h");
  EXPECT_EQ(FormatDuration(seconds(0)), "0s");
}

TEST(Units, GroupsDigitsByThrees) {
  EXPECT_EQ(Grouped(std::uint64_t{0}), "0");
  EXPECT_EQ(Grouped(std::uint64_t{999}), "999");
  EXPECT_EQ(Grouped(std::uint64_t{1'000}), "1,000");
  EXPECT_EQ(Grouped(~std::uint64_t{0}), "18,446,744,073,709,551,615");
  EXPECT_EQ(Grouped(std::int64_t{-999}), "-999");
  EXPECT_EQ(Grouped(std::int64_t{-1'234'567}), "-1,234,567");
}

TEST(Units, ParsesByteSizes) {
  EXPECT_EQ(ParseBytes("2 MiB"), 2u << 20);
  EXPECT_EQ(ParseBytes("2MiB"), 2u << 20);
  EXPECT_EQ(ParseBytes("0.5 KiB"), 512u);
  EXPECT_EQ(ParseBytes("64kB"), 64'000u);
  EXPECT_EQ(ParseBytes("17"), 17u);
  for (const char* text : {"", "MiB", "2 mib", "-1", "1 K", "17000000000 TiB", "2 MiB x"}) {
    EXPECT_EQ(ParseBytes(text), std::nullopt) << text;
  }
}

TEST(Units, ByteSizesReadBackAsWritten) {
  EXPECT_TRUE(rc::check([](std::uint64_t bytes) {
    RC_ASSERT(ParseBytes(FormatBytes(bytes)) == bytes);
    RC_ASSERT(ParseBytes(FormatBytes((bytes >> 32) << 20)) == (bytes >> 32) << 20);
  }));
  EXPECT_EQ(FormatBytes(2u << 20), "2 MiB");
  EXPECT_EQ(FormatBytes(1500), "1500 B");
}

TEST(Units, ParsesTimes) {
  auto start = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
  EXPECT_EQ(ParseTime("2026-01-01T00:00:00Z"), start);
  EXPECT_EQ(ParseTime("2026-01-01t00:00:00z"), start);
  EXPECT_EQ(ParseTime("2026-01-01 02:30:00.25+02:00"), start + minutes(30) + milliseconds(250));
  EXPECT_EQ(ParseTime("2025-12-31T23:59:60Z"), start) << "a leap second";
  EXPECT_EQ(ParseTime("2026-01-01T00:00:00.123456789Z"), start + microseconds(123456));
}

TEST(Units, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "2026", "2026-01-01", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00+2:00",
        "2026-01-01T00:00:00.Z", "2026-1-01T00:00:00Z", "2026-01-01T00:00:00Zx",
        "-026-01-01T00:00:00Z", "2026-01-01T00:00:00+24:00"}) {
    EXPECT_EQ(ParseTime(text), std::nullopt) << text;
  }
}

TEST(Units, TimesReadBackAsWritten) {
  EXPECT_TRUE(rc::check([] {
    auto millis = *rc::gen::inRange<std::int64_t>(-8'000'000'000'000, 9'000'000'000'000);
    std::chrono::system_clock::time_point time{milliseconds(millis)};
    RC_ASSERT(ParseTime(FormatTime(time)) == time);
  }));
  EXPECT_EQ(FormatTime(std::chrono::sys_days(std::chrono::year(2026) / 3 / 4) + hours(5)),
            "2026-03-04T05:00:00.000Z");
}

}  // namespace
}  // namespace crawler
