#include "parser/charset.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/ascii.h"
#include "parser/html_parser.h"
#include "parser/utf8.h"
#include "tests/parser/shared_data.h"
#include "tests/shared_files.h"

namespace parser {
namespace {

using nlohmann::json;
using namespace std::string_literals;

std::string Decoded(std::string_view body, Encoding encoding) {
  Decoder decoder;
  std::string buffer;
  return std::string(decoder.Decode(body, {encoding, CharsetSource::kHttpHeader, 0}, &buffer));
}

TEST(EncodingSuiteTest, EveryLabelOfTheStandard) {
  const auto file = tests::SharedFolder("suites/encoding/encodings.json");
  if (!file) GTEST_SKIP() << tests::kNoShared;
  int labels = 0;
  const json groups = json::parse(tests::ReadFile(*file));
  for (const json& group : groups) {
    for (const json& encoding : group["encodings"]) {
      for (const json& label : encoding["labels"]) {
        ++labels;
        const auto text = label.get<std::string>();
        EXPECT_EQ(Name(EncodingForLabel(text)), encoding["name"].get<std::string>()) << text;
        EXPECT_EQ(Name(EncodingForLabel(" \t" + text + "\r\n")), encoding["name"]) << text;
      }
    }
  }
  EXPECT_EQ(labels, 228);
}

TEST(EncodingForLabelTest, NoLabels) {
  for (const auto* label : {"", " ", "utf", "utf-8 utf-8", "windows1252", "utf-7", "latin1x",
                            "iso-8859-2 iso-ir-101", "nonsense"}) {
    EXPECT_EQ(EncodingForLabel(label), Encoding::kUnknown) << label;
  }
  EXPECT_EQ(EncodingForLabel("UTF-8"), Encoding::kUtf8);
}

/// What is declared, as the suites below expect it: nothing declared is windows-1252 there.
std::string DeclaredOrDefault(std::string_view body) {
  const CharsetChoice mark = ChooseByMark(body);
  Encoding encoding = mark.encoding;
  if (encoding == Encoding::kUnknown) encoding = PrescanMeta(body, 1'024);
  if (encoding == Encoding::kUnknown) encoding = PrescanMeta(body, 65'536);
  return base::ToLower(Name(encoding == Encoding::kUnknown ? Encoding::kWindows1252 : encoding));
}

TEST(EncodingSuiteTest, HtmlEncodingSniffer) {
  const auto file = tests::SharedFolder("suites/encoding/html-encoding-sniffer.jsonl");
  if (!file) GTEST_SKIP() << tests::kNoShared;
  std::istringstream lines(tests::ReadFile(*file));
  int cases = 0;
  for (std::string line; std::getline(lines, line); ++cases) {
    const json one = json::parse(line);
    EXPECT_EQ(DeclaredOrDefault(tests::FromBase64(one["html_b64"].get<std::string>())),
              base::ToLower(one["expected"].get<std::string>()))
        << one["name"];
  }
  EXPECT_EQ(cases, 16);
}

TEST(EncodingSuiteTest, Html5libEncodingTests) {
  const auto folder = tests::SharedFolder("suites/html5lib/encoding");
  if (!folder) GTEST_SKIP() << tests::kNoShared;
  int cases = 0;
  for (const auto* name : {"tests1.dat", "tests2.dat", "test-yahoo-jp.dat"}) {
    const std::string file = tests::ReadFile(*folder / name);
    constexpr std::string_view kData = "#data\n";
    constexpr std::string_view kEncoding = "\n#encoding\n";
    for (std::size_t at = file.find(kData); at != std::string::npos;) {
      at += kData.size();
      const std::size_t end = file.find(kEncoding, at);
      const std::string body = file.substr(at, end - at);
      const std::size_t expected = end + kEncoding.size();
      const std::string wanted = file.substr(expected, file.find('\n', expected) - expected);
      at = file.find(kData, expected);
      ++cases;
      ASSERT_NE(EncodingForLabel(wanted), Encoding::kUnknown) << wanted;
      EXPECT_EQ(DeclaredOrDefault(body), base::ToLower(Name(EncodingForLabel(wanted))))
          << name << ": " << body.substr(0, 400);
    }
  }
  EXPECT_EQ(cases, 82);
}

TEST(EncodingSuiteTest, RealTextsOfKnownEncoding) {
  const auto file = tests::SharedFolder("suites/encoding/chardet-pages-A.tar.zst");
  if (!file) GTEST_SKIP() << tests::kNoShared;
  const auto archive = tests::ReadZstd(*file);
  if (!archive) GTEST_SKIP() << "the zstd program is not installed";
  int known = 0;
  int alike = 0;
  std::map<std::string, std::string> misses;
  for (const auto& [name, body] : tests::FilesInTar(*archive)) {
    const std::size_t slash = name.rfind('/');
    const std::size_t before = name.rfind('/', slash - 1);
    const std::string folder = name.substr(before + 1, slash - before - 1);
    const Encoding truth = EncodingForLabel(folder);
    if (truth == Encoding::kUnknown) continue;
    ++known;
    const CharsetChoice choice = ChooseCharset(body, "");
    // What counts is the text, not the name.
    const std::string bare = body.substr(choice.mark_bytes);
    const bool utf16 = folder == "UTF-16";  // either order: the mark says which
    const bool same = utf16 ? choice.source == CharsetSource::kByteOrderMark
                            : Decoded(bare, truth) == Decoded(bare, choice.encoding);
    alike += same ? 1 : 0;
    if (!same)
      misses[name] = std::string(Name(choice.encoding)) + ' ' + std::string(Name(choice.source));
  }
  for (const auto& [name, got] : misses)
    std::printf("  %s read as %s\n", name.c_str(), got.c_str());
  std::printf("  %d of %d texts read rightly\n", alike, known);
  EXPECT_GE(alike * 100, known * 95);
}

TEST(ChooseCharsetTest, Row77_CharsetLies) {
  const std::string body = "<meta charset=koi8-r><p>\xC3\xA9";
  const auto chosen = [](std::string_view page, std::string_view http) {
    const CharsetChoice choice = ChooseCharset(page, http);
    return std::string(Name(choice.encoding)) + ' ' + std::string(Name(choice.source));
  };
  EXPECT_EQ(chosen("\xEF\xBB\xBF" + body, "euc-jp"), "UTF-8 bom");
  EXPECT_EQ(chosen(body, "euc-jp"), "EUC-JP http");
  EXPECT_EQ(chosen(body, "no-such-charset"), "KOI8-R meta");
  EXPECT_EQ(chosen(body, ""), "KOI8-R meta");
  EXPECT_EQ(chosen("<p>caf\xC3\xA9", ""), "UTF-8 utf-8-validity");
  EXPECT_EQ(chosen("<p>only ASCII", ""), "UTF-8 utf-8-validity");
  EXPECT_EQ(chosen("\xE9", ""), "windows-1252 default");
  EXPECT_EQ(chosen("<meta charset=utf-16le><p>", ""), "UTF-8 meta");
  EXPECT_EQ(chosen("<?xml version='1.0' encoding='shift_jis'?><html>", ""), "Shift_JIS meta");
  EXPECT_EQ(chosen(std::string(1'024, ' ') + "<meta charset=koi8-r>", ""), "KOI8-R meta");
  EXPECT_EQ(chosen(std::string(65'536, ' ') + "<meta charset=koi8-r>", ""),
            "UTF-8 utf-8-validity");
}

TEST(ChooseCharsetTest, Row79_Utf16WithoutMarkAndUtf7) {
  std::string little;
  std::string big;
  for (const char c : "<!doctype html><title>page</title>"s) {
    little += {c, '\0'};
    big += {'\0', c};
  }
  EXPECT_EQ(ChooseCharset(little, "").encoding, Encoding::kUtf16Le);
  EXPECT_EQ(ChooseCharset(big, "").encoding, Encoding::kUtf16Be);
  EXPECT_EQ(Decoded(little, Encoding::kUtf16Le), "<!doctype html><title>page</title>");
  EXPECT_EQ(Decoded(big, Encoding::kUtf16Be), "<!doctype html><title>page</title>");
  EXPECT_EQ(ChooseCharset("+ADw-b+AD4-", "utf-7").encoding, Encoding::kUtf8);  // plain ASCII
}

TEST(DecoderTest, WellFormedUtf8IsNotCopied) {
  const std::string body = "\xEF\xBB\xBFna\xC3\xAFve";
  std::string buffer;
  Decoder decoder;
  const auto text = decoder.Decode(body, ChooseCharset(body, ""), &buffer);
  EXPECT_EQ(text, "na\xC3\xAFve");
  EXPECT_EQ(text.data(), body.data() + 3);
}

TEST(DecoderTest, Row78_MaximalSubparts) {  // Unicode 15, tables 3-8 to 3-11
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(Decoded("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", Encoding::kUtf8),
            r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(Decoded("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", Encoding::kUtf8),
            r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(Decoded("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", Encoding::kUtf8),
            r + r + r + r + r + "A" + r + r + "B");
  EXPECT_EQ(Decoded("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", Encoding::kUtf8), r + r + r + r + "A");
}

TEST(DecoderTest, KnownTexts) {
  EXPECT_EQ(Decoded("\x80\x93\xE9\x81", Encoding::kWindows1252), "€“é\xC2\x81");
  EXPECT_EQ(Decoded("\xCF\xF0\xE8\xE2\xE5\xF2", Encoding::kWindows1251), "Привет");
  EXPECT_EQ(Decoded("\xF0\xD2\xC9\xD7\xC5\xD4", Encoding::kKoi8R), "Привет");
  EXPECT_EQ(Decoded("\xAE\xBE", Encoding::kKoi8U), "ўЎ");
  EXPECT_EQ(Decoded("\xAA\xDE\xFE", Encoding::kIso8859_16), "ȘȚț");
  EXPECT_EQ(Decoded("\xDB", Encoding::kWindows874), "\xEF\xBF\xBD");
  EXPECT_EQ(Decoded("\x93\xFA\x96\x7B", Encoding::kShiftJis), "日本");
  EXPECT_EQ(Decoded("\xC6\xFC\xCB\xDC", Encoding::kEucJp), "日本");
  EXPECT_EQ(Decoded("\x1B$BF|K\\\x1B(B", Encoding::kIso2022Jp), "日本");
  EXPECT_EQ(Decoded("\xC4\xE3\xBA\xC3", Encoding::kGbk), "你好");
  EXPECT_EQ(Decoded("\x81\x30\x81\x30", Encoding::kGb18030), "\xC2\x80");
  EXPECT_EQ(Decoded("\xA7\x41\xA6\x6E", Encoding::kBig5), "你好");
  EXPECT_EQ(Decoded("\xBE\xC8\xB3\xE7\x8C\x63", Encoding::kEucKr), "안녕똠");
  EXPECT_EQ(Decoded("a\xFF", Encoding::kXUserDefined), "a\xEF\x9F\xBF");
  EXPECT_EQ(Decoded("anything", Encoding::kReplacement), "");
}

TEST(DecoderTest, WhatMeansNothingIsOneReplacementCharacter) {
  for (const Encoding encoding : {Encoding::kGbk, Encoding::kBig5, Encoding::kEucJp,
                                  Encoding::kIso2022Jp, Encoding::kShiftJis, Encoding::kEucKr}) {
    EXPECT_EQ(Decoded("a\xFD\xFDz\xFD", encoding).find('\x1A'), std::string::npos);
    EXPECT_EQ(Decoded("a\xFD", encoding), "a\xEF\xBF\xBD") << Name(encoding);
  }
  EXPECT_EQ(Decoded("\xA0", Encoding::kShiftJis), "\xEF\xBF\xBD");
  EXPECT_EQ(Decoded("\x81", Encoding::kShiftJis), "\xEF\xBF\xBD");
  EXPECT_EQ(Decoded("a\x1Az", Encoding::kEucJp), "a\x1Az");
}

// The Encoding Standard has a meaning for this byte where ICU has none.
TEST(DecoderTest, TheByte80ByItself) {
  EXPECT_EQ(Decoded("5 \x80 5", Encoding::kGbk), "5 € 5");
  EXPECT_EQ(Decoded("\x80\xC4\xE3\x80", Encoding::kGb18030), "€你€");
  EXPECT_EQ(Decoded("\x81\x80", Encoding::kGbk), "亐");
  EXPECT_EQ(Decoded("\x80", Encoding::kShiftJis), "\xC2\x80");
  EXPECT_EQ(Decoded("\x80", Encoding::kBig5), "\xEF\xBF\xBD");
}

TEST(DecoderTest, SurrogatePairsAcrossTheEdgesOfChunks) {
  for (const int lead : {8'190, 8'191, 8'192, 16'383}) {
    std::string wide;
    std::string expected(static_cast<std::size_t>(lead), 'a');
    for (int i = 0; i < lead; ++i) wide += "a\0"s;
    for (int i = 0; i < 9'000; ++i) {
      wide += "\x3D\xD8\x00\xDE"s;
      expected += "\xF0\x9F\x98\x80";
    }
    EXPECT_EQ(Decoded(wide, Encoding::kUtf16Le), expected) << lead;
  }
  EXPECT_EQ(Decoded("\x3D\xD8"s, Encoding::kUtf16Le), "\xEF\xBF\xBD");
  EXPECT_EQ(Decoded("\x00\xDE"
                    "a\0"s,
                    Encoding::kUtf16Le),
            "\xEF\xBF\xBD"
            "a");
}

TEST(DecoderTest, AnyBytesInAnyEncodingGiveWellFormedUtf8) {
  Decoder decoder;
  EXPECT_TRUE(rc::check("random bytes", [&decoder](const std::string& body) {
    std::string buffer;
    for (int i = 0; i <= static_cast<int>(Encoding::kUnknown); ++i) {
      const CharsetChoice choice{static_cast<Encoding>(i), CharsetSource::kHttpHeader, 0};
      RC_ASSERT(IsWellFormedUtf8(decoder.Decode(body, choice, &buffer)));
    }
    RC_ASSERT(IsWellFormedUtf8(decoder.Decode(body, ChooseCharset(body, ""), &buffer)));
  }));
}

/// Byte after byte, straight from table 3-7.
bool IsWellFormedByTable(std::string_view text) {
  const auto in = [&text](std::size_t at, int low, int high) {
    return at < text.size() && static_cast<unsigned char>(text[at]) >= low &&
           static_cast<unsigned char>(text[at]) <= high;
  };
  for (std::size_t i = 0; i < text.size();) {
    const bool c1 = in(i + 1, 0x80, 0xBF);
    const bool c2 = in(i + 2, 0x80, 0xBF);
    const bool c3 = in(i + 3, 0x80, 0xBF);
    if (in(i, 0, 0x7F)) {
      i += 1;
    } else if (in(i, 0xC2, 0xDF) && c1) {
      i += 2;
    } else if (((in(i, 0xE0, 0xE0) && in(i + 1, 0xA0, 0xBF)) || (in(i, 0xE1, 0xEC) && c1) ||
                (in(i, 0xED, 0xED) && in(i + 1, 0x80, 0x9F)) || (in(i, 0xEE, 0xEF) && c1)) &&
               c2) {
      i += 3;
    } else if (((in(i, 0xF0, 0xF0) && in(i + 1, 0x90, 0xBF)) || (in(i, 0xF1, 0xF3) && c1) ||
                (in(i, 0xF4, 0xF4) && in(i + 1, 0x80, 0x8F))) &&
               c2 && c3) {
      i += 4;
    } else {
      return false;
    }
  }
  return true;
}

TEST(Utf8Test, ValidityEqualsTheTable) {
  EXPECT_TRUE(rc::check("near-UTF-8", [] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(
        std::vector<std::string>{"abcdefghijklmnop", "é", "日", "\xF0\x9F\x98\x80", "\xC0", "\xE0",
                                 "\xED\xA0\x80", "\xF4\x90", "\x80", "\xF4\x8F\xBF\xBF", "a"}));
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    RC_ASSERT(IsWellFormedUtf8(text) == IsWellFormedByTable(text));
    std::string repaired;
    AppendRepairedUtf8(text, &repaired);
    RC_ASSERT(IsWellFormedByTable(repaired));
    RC_ASSERT((repaired == text) == IsWellFormedByTable(text));
  }));
}

TEST(CharsetInMetaContentTest, AsTheStandardReadsIt) {
  EXPECT_EQ(CharsetInMetaContent("text/html; charset=utf-8"), "utf-8");
  EXPECT_EQ(CharsetInMetaContent("text/html; CHARSET = 'a b' x"), "a b");
  EXPECT_EQ(CharsetInMetaContent("charset charset=x;y"), "x");
  EXPECT_EQ(CharsetInMetaContent("charset='x"), "");
  EXPECT_EQ(CharsetInMetaContent("charset"), "");
}

TEST(DecoderTest, AQueryIsInTheEncodingOfThePage) {
  Decoder decoder;
  const auto encoded = [&decoder](std::string_view href, std::string_view label) {
    std::string query(href);
    decoder.EncodeQuery(EncodingForLabel(label), &query);
    return query;
  };
  const std::string japan = "\u65E5\u672C";
  EXPECT_EQ(encoded("/" + japan + "?q=" + japan + "&x=\u00E9#" + japan, "shift_jis"),
            "/" + japan + "?q=%93%FA%96{&x=%26%23233%3B#" + japan);
  EXPECT_EQ(encoded("?q=" + japan, "euc-jp"), "?q=%C6%FC%CB%DC");
  EXPECT_EQ(encoded("?q=" + japan, "iso-2022-jp"), "?q=%1B$BF|K\\%1B(B");
  EXPECT_EQ(encoded("?q=" + japan, "gbk"), "?q=%C8%D5%B1%BE");
  EXPECT_EQ(encoded("?q=\u043F\u0440&r=\u65E5", "windows-1251"), "?q=%EF%F0&r=%26%2326085%3B");
  EXPECT_EQ(encoded("?q=\u00E9\U0001F600", "latin1"), "?q=%E9%26%23128512%3B");
  EXPECT_EQ(encoded("?q=" + japan, "utf-8"), "?q=" + japan);
  EXPECT_EQ(encoded("?q=" + japan, "utf-16le"), "?q=" + japan);
  EXPECT_EQ(encoded("/" + japan + "?q=a", "shift_jis"), "/" + japan + "?q=a");
  std::string many;
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    many += japan;
    bytes += "%93%FA%96{";
  }
  EXPECT_EQ(encoded("?" + many, "shift_jis"), "?" + bytes);
  EXPECT_EQ(HtmlParser().Parse("<meta charset=windows-1251><a href='?\xEF'>x</a>").links[0].href,
            "?%EF");
}

}  // namespace
}  // namespace parser
