#include "contentseen/fingerprint.h"

#include <gtest/gtest.h>

namespace contentseen {
namespace {

TEST(Fingerprint, DistanceCountsDifferingBits) {
  EXPECT_EQ(Distance(0, 0), 0);
  EXPECT_EQ(Distance(0, ~Fingerprint{0}), 64);
  // The pair of ../shared/design/algorithms.md section 4: bits 46, 29 and 12.
  EXPECT_EQ(Distance(0x4bbb22fbbc29d9b5, 0x4bbb62fb9c29c9b5), 3);
}

TEST(Fingerprint, FormatsAsSixteenLowerCaseDigits) {
  EXPECT_EQ(FormatFingerprint(0), "0000000000000000");
  EXPECT_EQ(FormatFingerprint(0x0123456789ABCDEF), "0123456789abcdef");
}

TEST(Fingerprint, ParsesWhatItFormats) {
  EXPECT_EQ(ParseFingerprint("0123456789abcdef"), 0x0123456789ABCDEFu);
  EXPECT_EQ(ParseFingerprint("0123456789ABCDEF"), 0x0123456789ABCDEFu);
  EXPECT_EQ(ParseFingerprint("ffffffffffffffff"), ~Fingerprint{0});
}

TEST(Fingerprint, RefusesOtherTexts) {
  for (const char* text : {"", "0", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeg",
                           "0x23456789abcdef", " 123456789abcdef"}) {
    EXPECT_FALSE(ParseFingerprint(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace contentseen
