#include "base/whole_number.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(WholeNumberTest, ReadsDigitsAlone) {
  EXPECT_EQ(WholeNumber<int>("0"), 0);
  EXPECT_EQ(WholeNumber<int>("007"), 7);
  EXPECT_EQ(WholeNumber<std::uint32_t>("4294967295"), 4294967295U);
  for (const char* text : {"", "-", "-0", "-1", "+1", " 1", "1 ", "1.", "1x", "0x1", "a"}) {
    EXPECT_EQ(WholeNumber<int>(text), std::nullopt) << text;
    EXPECT_EQ(WholeNumber<std::uint64_t>(text), std::nullopt) << text;
  }
  EXPECT_EQ(WholeNumber<int>({}), std::nullopt);
}

TEST(WholeNumberTest, HoldsToTheRangeOfTheType) {
  EXPECT_EQ(WholeNumber<std::uint16_t>("65535"), 65535);
  EXPECT_EQ(WholeNumber<std::uint16_t>("65536"), std::nullopt);
  EXPECT_EQ(WholeNumber<std::int64_t>("9223372036854775807"),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(WholeNumber<std::int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(WholeNumber<std::uint64_t>(std::string(10'000, '9')), std::nullopt);
  EXPECT_EQ(WholeNumber<std::uint64_t>(std::string(10'000, '0') + "9"), 9U);
}

TEST(WholeNumberTest, ReadsOtherBases) {
  EXPECT_EQ(WholeNumber<std::uint64_t>("fFfFffffffffffff", 16), ~std::uint64_t{0});
  EXPECT_EQ(WholeNumber<std::uint64_t>("10000000000000000", 16), std::nullopt);
  EXPECT_EQ(WholeNumber<int>("0x1f", 16), std::nullopt);
  EXPECT_EQ(WholeNumber<int>("8", 8), std::nullopt);
}

}  // namespace
}  // namespace base
