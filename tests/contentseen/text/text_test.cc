#include "contentseen/text/text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/contentseen/property.h"
#include "tests/contentseen/unicode_reference.h"

namespace contentseen {
namespace {

TEST(NormalizeText, FoldsCaseAndCollapsesWhiteSpace) {
  EXPECT_EQ(NormalizeText("  The\tCAT\r\n\n sat.  "), "the cat sat.");
  EXPECT_EQ(NormalizeText("a\u00a0\u3000\u2028b"), "a b");
  EXPECT_EQ(NormalizeText(std::string("a\0\0b\x7f", 5)), "a b");
}

TEST(NormalizeText, NothingVisibleIsEmpty) {
  for (const char* text : {"", " ", "\n\t\r ", "\u00a0\u2003", "\u200b\ufeff\u00ad"}) {
    EXPECT_EQ(NormalizeText(text), "") << text;
  }
}

TEST(NormalizeText, CompatibilityFormsBecomeOne) {
  EXPECT_EQ(NormalizeText("Ａ１ｱ"), "a1ア");
  EXPECT_EQ(NormalizeText("ﾊﾞ"), "バ");
  EXPECT_EQ(NormalizeText("ﬁn…"), "fin...");
  EXPECT_EQ(NormalizeText("Straße"), "strasse");
  EXPECT_EQ(NormalizeText("ΣΟΦΟΣ"), NormalizeText("σοφος"));
  EXPECT_EQ(NormalizeText("co\u00adop"), "coop");
}

TEST(NormalizeText, ComposedAndDecomposedAreOne) {
  EXPECT_EQ(NormalizeText("e\u0301"), "\u00e9");
  EXPECT_EQ(NormalizeText("E\u0301te\u0301"), NormalizeText("\u00c9t\u00e9"));
  EXPECT_EQ(NormalizeText("\u1112\u1161\u11ab"), "\ud55c");
  EXPECT_EQ(NormalizeText("\ud558\u11ab"), "\ud55c");
  EXPECT_EQ(NormalizeText(" \u0301x"), "\u0301x");
}

// Row 78 of ../shared/design/hostile-inputs.md, with Unicode's own example (section 3.9, table
// 3-8).
TEST(NormalizeText, Row78IllFormedBytesBecomeReplacementCharacters) {
  const std::string r = "\ufffd";
  EXPECT_EQ(NormalizeText("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64"),
            "a" + r + r + r + "b" + r + "c" + r + r + "d");
  EXPECT_EQ(NormalizeText("\xC0\xAF"), r + r);
  EXPECT_EQ(NormalizeText("\xED\xA0\x80"), r + r + r);
  EXPECT_EQ(NormalizeText("\xE4\xB8"), r);
}

TEST(NormalizeText, AgreesWithIcuOnWholeTexts) {
  std::mt19937_64 random(20261120);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = tests::RandomText(random, 1 + random() % 40);
    ASSERT_EQ(NormalizeText(text), tests::ReferenceNormalized(text)) << "text " << i;
  }
}

TEST(NormalizeText, AgreesWithIcuOnEveryCodePoint) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::u16string utf16 = u"aX";
    if (c < 0x10000) {
      utf16.push_back(static_cast<char16_t>(c));
    } else {
      utf16.push_back(static_cast<char16_t>(U16_LEAD(c)));
      utf16.push_back(static_cast<char16_t>(U16_TRAIL(c)));
    }
    utf16 += u"\u0301Y";
    const std::string text = tests::ToUtf8(utf16);
    ASSERT_EQ(NormalizeText(text), tests::ReferenceNormalized(text))
        << "U+" << std::hex << std::uint32_t{c};
  }
}

TEST(NormalizeText, AgreesWithIcuOnAnyBytes) {
  EXPECT_TRUE(tests::Holds([](const std::string& bytes) {
    RC_ASSERT(NormalizeText(bytes) == tests::ReferenceNormalized(bytes));
  }));
}

TEST(NormalizeText, TwiceIsOnce) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const std::string once = NormalizeText(tests::RandomText(random, 1 + random() % 40));
    ASSERT_EQ(NormalizeText(once), once) << "text " << i;
  }
}

TEST(NormalizeText, StackedMarksStayBoundedAndNormal) {
  std::string text = "z";
  for (int i = 0; i < 500'000; ++i) text += i % 2 == 0 ? "\u0301" : "\u0323";
  const std::string once = NormalizeText(text + " end");
  EXPECT_LE(once.size(), 2 * kCombiningRunMax + 8);
  EXPECT_TRUE(once.ends_with(" end"));
  EXPECT_EQ(NormalizeText(once), once);
}

TEST(NormalizeText, GrowsWhereFoldingDoes) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "\ufdfa";
  EXPECT_EQ(NormalizeText(text), tests::ReferenceNormalized(text));
  text.clear();
  for (int i = 0; i < 10'000; ++i) text += "\u023a";  // two bytes fold to three
  EXPECT_EQ(NormalizeText(text), tests::ReferenceNormalized(text));
}

TEST(NormalizeText, ReusesItsOutput) {
  std::string out = "something that was there before and is longer";
  NormalizeText("A b", &out);
  EXPECT_EQ(out, "a b");
  NormalizeText("", &out);
  EXPECT_EQ(out, "");
}

}  // namespace
}  // namespace contentseen
