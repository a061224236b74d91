#include "base/hex.h"

#include <array>

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(HexTest, TellsTheValueOfEveryByte) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::size_t at = std::string_view("0123456789abcdef0123456789ABCDEF").find(c);
    EXPECT_EQ(HexValue(c), at == std::string_view::npos ? -1 : static_cast<int>(at % 16)) << byte;
  }
}

TEST(HexTest, WritesAndReadsBytes) {
  const std::array<std::uint8_t, 4> bytes = {0x00, 0x9f, 0xa0, 0xff};
  EXPECT_EQ(ToHex(bytes), "009fa0ff");
  EXPECT_EQ(ToHex("\x7F\x80"), "7f80");
  EXPECT_EQ(ToHex(""), "");

  std::array<std::uint8_t, 4> read{};
  EXPECT_TRUE(FromHex("009Fa0fF", read));
  EXPECT_EQ(read, bytes);
  for (const char* wrong : {"", "009fa0f", "009fa0ff0", "009fa0fg", "0x9fa0ff", "009fa0f "}) {
    EXPECT_FALSE(FromHex(wrong, read)) << wrong;
  }
}

TEST(HexTest, EscapesAByte) {
  std::string out = "a";
  AppendPercentEscape(0xAF, out);
  AppendPercentEscape('\n', out);
  EXPECT_EQ(out, "a%AF%0A");
}

}  // namespace
}  // namespace base
