#include "base/ascii.h"

#include <string>

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(AsciiTest, TellsClassesOfEveryByte) {
  std::string spaces;
  std::string digits;
  std::string letters;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    if (IsSpace(c)) spaces += c;
    if (IsDigit(c)) digits += c;
    if (IsAlpha(c)) letters += c;
    EXPECT_EQ(IsAlphanumeric(c), IsAlpha(c) || IsDigit(c)) << byte;
  }
  EXPECT_EQ(spaces, "\t\n\f\r ");
  EXPECT_EQ(digits, "0123456789");
  EXPECT_EQ(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
}

TEST(AsciiTest, LowersAsciiAlone) {
  EXPECT_EQ(ToLower("AZaz09@[`{\xC3\x84\xC4"), "azaz09@[`{\xC3\x84\xC4");
  EXPECT_EQ(ToLower(""), "");
}

TEST(AsciiTest, ComparesButForCase) {
  EXPECT_TRUE(EqualsIgnoreCase("Content-Type", "cONTENT-tYPE"));
  EXPECT_TRUE(EqualsIgnoreCase("", ""));
  EXPECT_FALSE(EqualsIgnoreCase("a", "ab"));
  EXPECT_FALSE(EqualsIgnoreCase("[", "{"));  // differ by the bit that letters differ by
  EXPECT_TRUE(StartsWithIgnoreCase("HTTPS://x", "https:"));
  EXPECT_TRUE(StartsWithIgnoreCase("x", ""));
  EXPECT_FALSE(StartsWithIgnoreCase("http", "https"));
}

TEST(AsciiTest, TrimsWhatItWasTold) {
  EXPECT_EQ(Trim("\f\r\n a\tb \t"), "a\tb");
  EXPECT_EQ(Trim("\v a"), "\v a");  // no ASCII white space by the Infra Standard
  EXPECT_EQ(Trim(" \n "), "");
  EXPECT_EQ(Trim(""), "");

  EXPECT_EQ(Trim("\t a b \t", kHttpBlanks), "a b");
  EXPECT_EQ(Trim(" a\r\n", kHttpBlanks), "a\r\n");
  EXPECT_EQ(Trim(" \t ", kHttpBlanks), "");
  EXPECT_EQ(Trim("", kHttpBlanks), "");
  EXPECT_EQ(Trim(" a ", ""), " a ");
}

TEST(AsciiTest, TakesWordByWord) {
  std::string_view text = " one\t\ntwo ";
  EXPECT_EQ(NextWord(&text), "one");
  EXPECT_EQ(NextWord(&text), "two");
  EXPECT_EQ(NextWord(&text), "");
  EXPECT_TRUE(text.empty());
}

}  // namespace
}  // namespace base
