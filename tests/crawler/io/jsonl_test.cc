#include "crawler/io/jsonl.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "crawler/io/utf8.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using tests::ReadFile;
using tests::TempFolder;
using tests::WriteFile;

std::string JsonText(std::string_view text) {
  std::string out;
  AppendJsonText(out, text);
  return out;
}

TEST(JsonText, EscapesWhatBreaksLinesOrTerminals) {
  EXPECT_EQ(JsonText("plain é 漢"), "\"plain é 漢\"");
  EXPECT_EQ(JsonText("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(JsonText("a\nb\tc\r"), R"("a\nb\tc\u000d")");
  EXPECT_EQ(JsonText("\x1b[31m"), R"("\u001b[31m")");
  EXPECT_EQ(JsonText("\x7f"), R"("\u007f")");
  EXPECT_EQ(JsonText("\xc2\x9b"
                     "31m"),
            R"("\u009b31m")")
      << "C1: a one-byte CSI";
  EXPECT_EQ(JsonText("\xe2\x80\xae"), R"("\u202e")") << "right-to-left override";
  EXPECT_EQ(JsonText("\xe2\x81\xa6\xe2\x81\xa9"), R"("\u2066\u2069")");
  EXPECT_EQ(JsonText("\xe2\x80\xa8"), R"("\u2028")") << "line separator";
  EXPECT_EQ(JsonText("\xff\xc3"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(JsonText(std::string_view("\0", 1)), R"("\u0000")");
}

// Row 109: whatever bytes come, one line of valid JSON without anything to act on.
TEST(JsonText, Row109_AnyBytesGiveOneHarmlessLine) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    std::string json = JsonText(text);
    RC_ASSERT(nlohmann::json::accept(json));
    for (std::string_view rest = json; !rest.empty();) {
      CodePoint c = FirstCodePoint(rest);
      RC_ASSERT(c.valid);
      RC_ASSERT(!IsUnsafeToPrint(c.value));
      rest.remove_prefix(c.bytes);
    }
  }));
}

TEST(JsonText, ValidTextReadsBackAsItWas) {
  EXPECT_TRUE(rc::check([] {
    auto points = *rc::gen::container<std::vector<char32_t>>(rc::gen::oneOf(
        rc::gen::inRange<char32_t>(0, 0x300), rc::gen::inRange<char32_t>(0x2000, 0x2100),
        rc::gen::inRange<char32_t>(0xe000, 0x110000)));
    std::string text;
    for (char32_t c : points) {
      if (c < 0x80) {
        text += static_cast<char>(c);
      } else if (c < 0x800) {
        text += {static_cast<char>(0xc0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3f))};
      } else if (c < 0x10000) {
        text += {static_cast<char>(0xe0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 0x3f)),
                 static_cast<char>(0x80 | (c & 0x3f))};
      } else {
        text +=
            {static_cast<char>(0xf0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 0x3f)),
             static_cast<char>(0x80 | ((c >> 6) & 0x3f)), static_cast<char>(0x80 | (c & 0x3f))};
      }
    }
    RC_ASSERT(nlohmann::json::parse(JsonText(text)).get<std::string>() == text);
  }));
}

TEST(JsonLine, WritesFieldsInOrder) {
  JsonLine line;
  line.Text("url", "http://a/");
  line.Number("n", std::uint64_t{18446744073709551615u});
  line.Number("m", std::int64_t{-1});
  EXPECT_EQ(line.Finish(), "{\"url\":\"http://a/\",\"n\":18446744073709551615,\"m\":-1}\n");
  EXPECT_EQ(JsonLine().Finish(), "{}\n");
}

TEST(JsonlReader, GoesOnWithTheParts) {
  TempFolder folder;
  WriteFile(folder / "log.jsonl", "{\"n\":1}\n{\"n\":2}\n");
  WriteFile(folder / "log.2.jsonl", "{\"n\":3}\n");
  WriteFile(folder / "log.3.jsonl", "{\"n\":4}\n");
  WriteFile(folder / "log.5.jsonl", "{\"n\":6}\n");  // no part of it
  auto reader = JsonlReader::Open(folder / "log.jsonl");
  ASSERT_TRUE(reader);
  for (std::size_t n = 1; n <= 4; ++n) {
    const auto line = reader->Next();
    ASSERT_TRUE(line);
    EXPECT_EQ(line->number, n);
    EXPECT_EQ(line->text, "{\"n\":" + std::to_string(n) + "}");
  }
  EXPECT_FALSE(reader->Next());
  EXPECT_TRUE(reader->status());
}

TEST(JsonlReader, ReadsAcrossItsBufferAndToleratesLongAndTornLines) {
  TempFolder folder;
  std::string most(200'000, 'm');
  std::string longer(kJsonlLineBytesMax + 5, 'l');
  WriteFile(folder / "log", "\n" + most + "\n" + longer + "\nlast");
  auto reader = JsonlReader::Open(folder / "log");
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->Next()->text, "");
  EXPECT_EQ(reader->Next()->text, most);
  auto cut = reader->Next();
  EXPECT_TRUE(cut->too_long);
  EXPECT_EQ(cut->text.size(), kJsonlLineBytesMax);
  auto last = reader->Next();
  EXPECT_EQ(last->text, "last");
  EXPECT_FALSE(last->too_long);
  EXPECT_EQ(last->number, 4u);
  EXPECT_FALSE(reader->Next());
  EXPECT_TRUE(reader->status());
}

TEST(JsonlReader, NamesWhatItCannotRead) {
  TempFolder folder;
  EXPECT_FALSE(JsonlReader::Open(folder / "none"));
  auto reader = JsonlReader::Open(folder.path());
  ASSERT_TRUE(reader) << "opening a directory succeeds, reading it does not";
  EXPECT_FALSE(reader->Next());
  EXPECT_FALSE(reader->status());
}

}  // namespace
}  // namespace crawler
