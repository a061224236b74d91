#include "crawler/fetch/http_date.h"

#include <gtest/gtest.h>

#include <chrono>

namespace crawler {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::seconds;

// RFC 9110 section 5.6.7's example: 1994-11-06 08:49:37 UTC.
constexpr base::WallTime kExample{seconds(784111777)};
// 2026-01-01T00:00:00Z
constexpr base::WallTime kNow{seconds(1767225600)};

TEST(HttpDateTest, TakesTheThreeFormatsOfTheRfc) {
  EXPECT_EQ(ParseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT", kNow), kExample);
  EXPECT_EQ(ParseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT", kNow), kExample);
  EXPECT_EQ(ParseHttpDate("Sun Nov  6 08:49:37 1994", kNow), kExample);
  EXPECT_EQ(ParseHttpDate("Wed Nov 16 08:49:37 1994", kNow), kExample + days(10));
}

TEST(HttpDateTest, TwoDigitYearsMoreThanFiftyYearsAheadArePast) {
  EXPECT_EQ(ParseHttpDate("Thursday, 01-Jan-26 00:00:00 GMT", kNow), kNow);
  const auto in_2076 = ParseHttpDate("Wednesday, 01-Jan-76 00:00:00 GMT", kNow);
  ASSERT_TRUE(in_2076.has_value());
  EXPECT_GT(*in_2076, kNow);
  const auto in_1977 = ParseHttpDate("Saturday, 01-Jan-77 00:00:00 GMT", kNow);
  ASSERT_TRUE(in_1977.has_value());
  EXPECT_LT(*in_1977, kNow);
}

TEST(HttpDateTest, WhatNoClockReachesIsTheNearestDay) {
  const auto late = ParseHttpDate("Fri, 31 Dec 9999 23:59:59 GMT", kNow);
  ASSERT_TRUE(late.has_value());
  EXPECT_GT(*late, kNow + std::chrono::years(200));
  EXPECT_EQ(ParseHttpDate("Mon, 01 Jan 0001 00:00:00 GMT", kNow), base::WallTime{});
  const seconds most = hours(1);
  EXPECT_EQ(ParseRetryAfter("Fri, 31 Dec 9999 23:59:59 GMT", kNow, most), most);
  EXPECT_EQ(ParseRetryAfter("Sat, 01 Jan 2300 00:00:00 GMT", kNow, most), most);
  EXPECT_EQ(ParseRetryAfter("Mon, 01 Jan 1601 00:00:00 GMT", kNow, most), seconds(0));
}

TEST(HttpDateTest, RefusesAllElse) {
  for (const char* text :
       {"", "tomorrow", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT+1", "1994-11-06T08:49:37Z",
        "Sun, 06 Nov -994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT"}) {
    EXPECT_EQ(ParseHttpDate(text, kNow), std::nullopt) << text;
  }
}

// hostile-inputs.md row 122.
TEST(RetryAfterTest, Row122_SecondsDatesGarbageAndTenYears) {
  const seconds most = hours(1);
  EXPECT_EQ(ParseRetryAfter("0", kNow, most), seconds(0));
  EXPECT_EQ(ParseRetryAfter(" 120 ", kNow, most), seconds(120));
  EXPECT_EQ(ParseRetryAfter("315360000", kNow, most), most);
  EXPECT_EQ(ParseRetryAfter("99999999999999999999999999", kNow, most), most);
  EXPECT_EQ(ParseRetryAfter("Thu, 01 Jan 2026 00:00:30 GMT", kNow, most), seconds(30));
  EXPECT_EQ(
      ParseRetryAfter("Thu, 01 Jan 2026 00:00:30 GMT", kNow + std::chrono::milliseconds(1), most),
      seconds(30));
  EXPECT_EQ(ParseRetryAfter("Sun, 06 Nov 1994 08:49:37 GMT", kNow, most), seconds(0));
  EXPECT_EQ(ParseRetryAfter("Tue, 01 Jan 2036 00:00:00 GMT", kNow, most), most);
  for (const char* garbage : {"", "-5", "1.5", "soon", "10s", "+3"}) {
    EXPECT_EQ(ParseRetryAfter(garbage, kNow, most), std::nullopt) << garbage;
  }
}

}  // namespace
}  // namespace crawler
