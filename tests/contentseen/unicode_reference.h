#pragma once

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

// Texts to try, and the slow, plain way to do what the library does fast. All through ICU's own
// UTF-8 and UTF-16 functions; nothing of the library is used.
namespace tests {

inline std::u16string ToUtf16(std::string_view utf8) {
  std::u16string out(utf8.size() + 1, u'\0');
  int32_t length = 0;
  int32_t replaced = 0;
  UErrorCode error = U_ZERO_ERROR;
  u_strFromUTF8WithSub(out.data(), static_cast<int32_t>(out.size()), &length, utf8.data(),
                       static_cast<int32_t>(utf8.size()), 0xFFFD, &replaced, &error);
  out.resize(static_cast<std::size_t>(length));
  return out;
}

inline std::string ToUtf8(std::u16string_view utf16) {
  std::string out(utf16.size() * 3 + 1, '\0');
  int32_t length = 0;
  UErrorCode error = U_ZERO_ERROR;
  u_strToUTF8(out.data(), static_cast<int32_t>(out.size()), &length, utf16.data(),
              static_cast<int32_t>(utf16.size()), &error);
  out.resize(static_cast<std::size_t>(length));
  return out;
}

inline std::u32string ToCodePoints(std::u16string_view utf16) {
  std::u32string out;
  for (std::size_t i = 0; i < utf16.size();) {
    UChar32 c = 0;
    U16_NEXT(utf16.data(), i, utf16.size(), c);
    out.push_back(static_cast<char32_t>(c));
  }
  return out;
}

/// NFKC_Casefold of the whole text at once, then white space collapsed.
inline std::string ReferenceNormalized(std::string_view text) {
  const std::u16string in = ToUtf16(text);
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2* normalizer = unorm2_getNFKCCasefoldInstance(&error);
  std::u16string folded(in.size() * 20 + 1, u'\0');
  const int32_t length =
      unorm2_normalize(normalizer, in.data(), static_cast<int32_t>(in.size()), folded.data(),
                       static_cast<int32_t>(folded.size()), &error);
  folded.resize(static_cast<std::size_t>(length));
  std::u16string out;
  for (const char16_t unit : folded) {
    const bool space = u_isUWhiteSpace(unit) || u_charType(unit) == U_CONTROL_CHAR;
    if (!space) {
      out.push_back(unit);
    } else if (!out.empty() && out.back() != u' ') {
      out.push_back(u' ');
    }
  }
  if (!out.empty() && out.back() == u' ') out.pop_back();
  return ToUtf8(out);
}

inline const std::vector<std::string> kPieces = {"the",
                                                 "Cat",
                                                 "SAT",
                                                 "a",
                                                 "Z",
                                                 "0",
                                                 "42",
                                                 "x9",
                                                 " ",
                                                 "  ",
                                                 "\n",
                                                 "\t",
                                                 "\r\n",
                                                 ".",
                                                 ",",
                                                 "-",
                                                 "_",
                                                 std::string(1, '\0'),
                                                 "\x7f",
                                                 "\u00a0",
                                                 "\u3000",
                                                 "\u2028",
                                                 "\u200b",
                                                 "\u00ad",
                                                 "\ufeff",
                                                 "\u0301",
                                                 "\u0308",
                                                 "\u0323",
                                                 "\u0344",
                                                 "e",
                                                 "o",
                                                 "\u00e9",
                                                 "\u00c9",
                                                 "\u00df",
                                                 "\u1e9e",
                                                 "\u0130",
                                                 "\u0131",
                                                 "\u03a3",
                                                 "\u03c2",
                                                 "\u0410",
                                                 "\u0451",
                                                 "\ufb01",
                                                 "\u2026",
                                                 "\u2122",
                                                 "\u00bd",
                                                 "\u00a8",
                                                 "\u212b",
                                                 "\u1ea6",
                                                 "\u4e2d",
                                                 "\u56fd",
                                                 "\u4eba",
                                                 "\u6211",
                                                 "\u662f",
                                                 "\u3005",
                                                 "\u3007",
                                                 "\u3072",
                                                 "\u3089",
                                                 "\u304c",
                                                 "\u30ab",
                                                 "\u30bf",
                                                 "\u30fc",
                                                 "\u3099",
                                                 "\uff8a",
                                                 "\uff9e",
                                                 "\uff9f",
                                                 "\uff76",
                                                 "\uff21",
                                                 "\uff11",
                                                 "\u3002",
                                                 "\u3001",
                                                 "\uac00",
                                                 "\ud55c",
                                                 "\uae00",
                                                 "\u1100",
                                                 "\u1161",
                                                 "\u11a8",
                                                 "\u0e01",
                                                 "\u0e34",
                                                 "\u0e48",
                                                 "\u0e17",
                                                 "\u0e22",
                                                 "\u0e33",
                                                 "\u0e81",
                                                 "\u0eb3",
                                                 "\u1780",
                                                 "\u17d2",
                                                 "\u1000",
                                                 "\u1039",
                                                 "\u0915",
                                                 "\u094d",
                                                 "\u0937",
                                                 "\u093f",
                                                 "\u0627",
                                                 "\u0644",
                                                 "\ufdfa",
                                                 "\u05d0",
                                                 "\u05b0",
                                                 "\u200d",
                                                 "\ufe0f",
                                                 "\U0001f600",
                                                 "\U00020000",
                                                 "\U0002f800",
                                                 "\U0001d400",
                                                 "\U000e0100",
                                                 "\ua000",
                                                 "\u3105",
                                                 "\ufffd",
                                                 "\x80",
                                                 "\xff",
                                                 "\xc3",
                                                 "\xe4\xb8",
                                                 "\xf0\x9f\x98",
                                                 "\xed\xa0\x80",
                                                 "\xc0\x80",
                                                 "\xf4\x90\x80\x80"};

/// Text of many scripts with what is difficult in them, sometimes ill-formed.
inline std::string RandomText(std::mt19937_64& random, std::size_t pieces) {
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) text += kPieces[random() % kPieces.size()];
  return text;
}

}  // namespace tests
