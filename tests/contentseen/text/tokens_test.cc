#include "contentseen/text/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unicode/uscript.h>

#include <random>
#include <string>
#include <vector>

#include "contentseen/text/text.h"
#include "tests/contentseen/unicode_reference.h"

namespace contentseen {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> TokensOf(std::string_view text) {
  const std::string normalized = NormalizeText(text);
  std::vector<Token> tokens;
  Tokenize(normalized, &tokens);
  std::vector<std::string> out;
  out.reserve(tokens.size());
  for (const Token& token : tokens) out.emplace_back(token.In(normalized));
  return out;
}

TEST(Tokenize, WordsAreRunsOfLettersAndDigits) {
  EXPECT_THAT(TokensOf("The cat's 3.14 e-mails, naïve Straße"),
              ElementsAre("the", "cat", "s", "3", "14", "e", "mails", "naïve", "strasse"));
  EXPECT_THAT(TokensOf("Привет, МИР"), ElementsAre("привет", "мир"));
  EXPECT_THAT(TokensOf("हिन्दी भाषा"), ElementsAre("हिन्दी", "भाषा"));
  EXPECT_THAT(TokensOf("abc"), ElementsAre("abc"));
}

TEST(Tokenize, NothingToFind) {
  EXPECT_THAT(TokensOf(""), IsEmpty());
  EXPECT_THAT(TokensOf("... - !? 😀 \xff"), IsEmpty());
}

TEST(Tokenize, ChineseJapaneseKoreanByBigrams) {
  EXPECT_THAT(TokensOf("我是中国人"), ElementsAre("我是", "是中", "中国", "国人"));
  EXPECT_THAT(TokensOf("カタカナー、ひ"), ElementsAre("カタ", "タカ", "カナ", "ナー", "ひ"));
  EXPECT_THAT(TokensOf("한국어 글"), ElementsAre("한국", "국어", "글"));
  EXPECT_THAT(TokensOf("GPT4は速い2倍"), ElementsAre("gpt4", "は速", "速い", "2", "倍"));
}

TEST(Tokenize, ThaiByTrigrams) {
  EXPECT_THAT(TokensOf("ไทย"), ElementsAre("ไทย"));
  EXPECT_THAT(TokensOf("ภาษาไทย ab กข"),
              ElementsAre("ภาษ", "าษา", "ษาไ", "าไท", "ไทย", "ab", "กข"));
}

TEST(Tokenize, IllFormedBytesOnlySeparate) {
  std::vector<Token> tokens;
  Tokenize(
      "ab\xff"
      "cd\xe4\xb8",
      &tokens);
  EXPECT_THAT(tokens, ElementsAre(Token{0, 2}, Token{3, 2}));
}

TEST(Tokenize, ForgetsWhatWasThere) {
  std::vector<Token> tokens(5);
  Tokenize("one", &tokens);
  EXPECT_THAT(tokens, ElementsAre(Token{0, 3}));
}

// The definition of tokens.h, over code points, by ICU's properties.
enum class Class { kNone, kWord, kMark, kPair, kTriple };

Class ReferenceClass(char32_t code_point) {
  const auto c = static_cast<UChar32>(code_point);
  const uint32_t category = U_GET_GC_MASK(c);
  if ((category & (U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK)) == 0) return Class::kNone;
  UErrorCode error = U_ZERO_ERROR;
  if (uscript_getScript(c, &error) != USCRIPT_INHERITED) {
    for (const UScriptCode script : {USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA,
                                     USCRIPT_HANGUL, USCRIPT_BOPOMOFO, USCRIPT_YI}) {
      if (uscript_hasScript(c, script)) return Class::kPair;
    }
  }
  if (u_getIntPropertyValue(c, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT) return Class::kTriple;
  return (category & U_GC_M_MASK) != 0 ? Class::kMark : Class::kWord;
}

std::vector<std::string> ReferenceTokens(std::string_view normalized) {
  const std::u32string text = tests::ToCodePoints(tests::ToUtf16(normalized));
  std::vector<std::u32string> tokens;
  for (std::size_t i = 0; i < text.size();) {
    Class run = ReferenceClass(text[i]);
    if (run == Class::kNone) {
      ++i;
      continue;
    }
    if (run == Class::kMark) run = Class::kWord;
    std::size_t end = i + 1;
    while (end < text.size() &&
           (ReferenceClass(text[end]) == run || ReferenceClass(text[end]) == Class::kMark)) {
      ++end;
    }
    const std::size_t width = run == Class::kPair ? 2 : run == Class::kTriple ? 3 : end - i;
    if (end - i <= width) {
      tokens.push_back(text.substr(i, end - i));
    } else {
      for (std::size_t j = i; j + width <= end; ++j) tokens.push_back(text.substr(j, width));
    }
    i = end;
  }
  std::vector<std::string> out;
  for (const std::u32string& token : tokens) {
    std::u16string utf16;
    for (const char32_t c : token) {
      if (c < 0x10000) {
        utf16.push_back(static_cast<char16_t>(c));
      } else {
        utf16.push_back(static_cast<char16_t>(U16_LEAD(c)));
        utf16.push_back(static_cast<char16_t>(U16_TRAIL(c)));
      }
    }
    out.push_back(tests::ToUtf8(utf16));
  }
  return out;
}

// Words that begin, end and go on at every place of the blocks that are looked at together.
TEST(Tokenize, AgreesWithTheDefinitionAcrossBlocks) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 5'000; ++i) {
    std::string text;
    while (text.size() < 300) {
      text +=
          std::string(random() % (i % 3 == 0 ? 70 : 9), static_cast<char>('a' + random() % 26));
      const std::uint64_t what = random() % 12;
      text += what < 6    ? " "
              : what < 8  ? ", "
              : what == 8 ? "\u00e9"
              : what == 9 ? "\u4e2d\u56fd"
                          : "7";
    }
    ASSERT_EQ(TokensOf(text), ReferenceTokens(NormalizeText(text))) << "text " << i;
  }
}

TEST(Tokenize, AgreesWithTheDefinition) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = tests::RandomText(random, 1 + random() % 60);
    ASSERT_EQ(TokensOf(text), ReferenceTokens(NormalizeText(text))) << "text " << i;
  }
}

}  // namespace
}  // namespace contentseen
