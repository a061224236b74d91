#include "parser/mime_sniff.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "parser/charset.h"
#include "tests/parser/shared_data.h"
#include "tests/shared_files.h"

namespace parser {
namespace {

using nlohmann::json;
using namespace std::string_literals;

/// JSON's code points as the bytes of a header, or nothing where one has no such byte.
std::optional<std::string> AsHeaderBytes(const std::string& utf8) {
  std::string bytes;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    if (byte < 0x80) {
      bytes += utf8[i];
    } else if (byte == 0xC2 || byte == 0xC3) {
      bytes += static_cast<char>((byte & 3) << 6 | (utf8[++i] & 0x3F));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

TEST(MimeSuiteTest, ContentTypes) {
  const auto file = tests::SharedFolder("suites/html/content-type.json");
  if (!file) GTEST_SKIP() << tests::kNoShared;
  int tried = 0;
  int without_bytes = 0;
  const json suite = json::parse(tests::ReadFile(*file));
  for (const json& one : suite["cases"]) {
    const auto input = AsHeaderBytes(one["input"].get<std::string>());
    if (!input) {
      ++without_bytes;
      continue;
    }
    ++tried;
    MimeType type;
    const bool parsed = ParseMimeType(*input, &type);
    EXPECT_EQ(parsed, !one["output"].is_null()) << one;
    if (!parsed) continue;
    EXPECT_EQ(type.Serialize(), AsHeaderBytes(one["output"].get<std::string>())) << one;
    if (one.contains("encoding")) {
      const auto name = Name(EncodingForLabel(type.Parameter("charset")));
      EXPECT_EQ(name, one["encoding"].is_null() ? "" : one["encoding"].get<std::string>()) << one;
    }
  }
  EXPECT_EQ(tried, 39);
  EXPECT_EQ(without_bytes, 2);  // U+FFFD and U+0100 are no header bytes
}

ContentKind KindOf(std::string_view header, std::string_view body) {
  return SniffContent(header, body).kind;
}

TEST(SniffContentTest, DeclaredTypes) {
  EXPECT_EQ(KindOf("text/html; charset=utf-8", "hello"), ContentKind::kHtml);
  EXPECT_EQ(KindOf("TEXT/HTML", ""), ContentKind::kHtml);
  EXPECT_EQ(KindOf("application/xhtml+xml", "<?xml version='1.0'?><html/>"), ContentKind::kXhtml);
  EXPECT_EQ(KindOf("application/xml", "<?xml version='1.0'?><html xmlns='x'/>"),
            ContentKind::kXhtml);
  EXPECT_EQ(SniffContent("application/xml", "<?xml version='1.0'?><urlset/>"),
            (Sniffed{ContentKind::kOther, "application/xml"}));
  EXPECT_EQ(KindOf("text/plain", "just words"), ContentKind::kPlainText);
  EXPECT_EQ(KindOf("application/pdf", "<html>"), ContentKind::kOther);
  EXPECT_EQ(KindOf("image/png", "<html>"), ContentKind::kOther);
}

TEST(SniffContentTest, PlainTextIsNeverPromotedToHtml) {
  EXPECT_EQ(KindOf("text/plain", "<!DOCTYPE html><script>"), ContentKind::kPlainText);
}

TEST(SniffContentTest, Row25_MissingOrUselessTypeLetsTheBodyDecide) {
  for (const auto* header : {"", "*/*", "unknown/unknown", "bogus", "application/unknown"}) {
    EXPECT_EQ(KindOf(header, "  \n<!doctype HTML>x"), ContentKind::kHtml) << header;
    EXPECT_EQ(KindOf(header, "<p>x"), ContentKind::kHtml);
    EXPECT_EQ(KindOf(header, "<pre>x"), ContentKind::kPlainText);
    EXPECT_EQ(KindOf(header, "words"), ContentKind::kPlainText);
    EXPECT_EQ(SniffContent(header, "%PDF-1.4"), (Sniffed{ContentKind::kOther, "application/pdf"}));
    EXPECT_EQ(SniffContent(header, "\x1F\x8B\x08..."s).type, "application/x-gzip");
    EXPECT_EQ(SniffContent(header, "\x01\x02"s).type, "application/octet-stream");
  }
}

TEST(SniffContentTest, Row25_PrintedPagesUnderATextType) {
  for (const auto* header : {"text/html", "text/html; charset=utf-8", "text/plain"}) {
    EXPECT_EQ(SniffContent(header, "%PDF-1.4\n1 0 obj"),
              (Sniffed{ContentKind::kOther, "application/pdf"}));
    EXPECT_EQ(SniffContent(header, "%!PS-Adobe-3.0").type, "application/postscript");
    EXPECT_NE(KindOf(header, " %PDF-1.4 is how a PDF begins"), ContentKind::kOther);
  }
}

TEST(SniffContentTest, FeedsThatCallThemselvesHtml) {
  EXPECT_EQ(SniffContent("text/html", "<?xml version='1.0'?>\n<!-- x -->\n<rss>"),
            (Sniffed{ContentKind::kOther, "application/rss+xml"}));
  EXPECT_EQ(SniffContent("text/html", "<feed xmlns='x'>").type, "application/atom+xml");
  EXPECT_EQ(KindOf("text/html", "<?xml version='1.0'?><html>"), ContentKind::kHtml);
}

TEST(SniffContentTest, Row76_BinaryUnderATextType) {
  const std::string nul(1'000'000, '\0');
  const std::string high(1'000'000, '\xFF');
  for (const auto* header : {"text/html", "text/plain", "text/plain; charset=UTF-8", ""}) {
    EXPECT_EQ(SniffContent(header, nul),
              (Sniffed{ContentKind::kOther, "application/octet-stream"}))
        << header;
    EXPECT_EQ(KindOf(header, "abc\0def"s), ContentKind::kOther);
    EXPECT_NE(KindOf(header, high), ContentKind::kOther);
  }
}

TEST(SniffContentTest, Utf16IsNotBinary) {
  std::string bare;
  for (const char c : "<!doctype html><p>page</p>"s) bare += {c, '\0'};
  EXPECT_EQ(KindOf("text/html", bare), ContentKind::kHtml);
  EXPECT_EQ(KindOf("text/html", "\xFF\xFE" + bare), ContentKind::kHtml);
  EXPECT_EQ(KindOf("text/plain", "\xFF\xFE" + bare), ContentKind::kPlainText);
}

// A field of 100 KB holds 20,000 of them, each of which would be sought among all before it.
TEST(MimeTypeTest, OnlySoManyParametersCount) {
  std::string header = "text/html;charset=gbk;charset=big5;bad name=1;empty=";
  for (int i = 0; i < 20'000; ++i) header += ";p" + std::to_string(i) + "=x";
  MimeType type;
  ASSERT_TRUE(ParseMimeType(header, &type));
  EXPECT_EQ(type.essence, "text/html");
  EXPECT_EQ(type.Parameter("charset"), "gbk");
  EXPECT_EQ(type.parameters.size(), 32u);
  EXPECT_EQ(type.Parameter("p30"), "x");
  EXPECT_EQ(KindOf(header, "hello"), ContentKind::kHtml);
}

TEST(SniffContentTest, AnyBytes) {
  EXPECT_TRUE(rc::check("random header and body", [](const std::string& a, const std::string& b) {
    RC_ASSERT(!SniffContent(a, b).type.empty());
    (void)SniffContent("text/html;" + a, b);
    MimeType type;
    if (ParseMimeType("x/y;" + a, &type)) {
      MimeType again;  // what is written is read back alike
      RC_ASSERT(ParseMimeType(type.Serialize(), &again));
      RC_ASSERT(again.Serialize() == type.Serialize());
    }
  }));
}

}  // namespace
}  // namespace parser
