#include "crawler/jsonl.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "crawler/utf8.h"
#include "tests/crawler/temp_folder.h"

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

std::vector<std::string> Lines(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  base::Result<JsonlReader> reader = JsonlReader::Open(path);
  EXPECT_TRUE(reader);
  while (auto line = reader->Next()) {
    EXPECT_EQ(line->number, lines.size() + 1);
    lines.push_back(line->text);
  }
  EXPECT_TRUE(reader->status());
  return lines;
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
TEST(JsonText, AnyBytesGiveOneHarmlessLine) {
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

TEST(JsonlWriter, AppendsAndContinues) {
  TempFolder folder;
  for (const char* line : {"{\"a\":1}\n", "{\"a\":2}\n"}) {
    auto writer = JsonlWriter::Open(folder / "log");
    ASSERT_TRUE(writer) << writer.error().message;
    EXPECT_TRUE((*writer)->Append(line));
    EXPECT_TRUE((*writer)->Sync());
  }
  EXPECT_EQ(ReadFile(folder / "log"), "{\"a\":1}\n{\"a\":2}\n");
}

TEST(JsonlWriter, CutsOffATornTail) {
  TempFolder folder;
  WriteFile(folder / "log", "{\"a\":1}\n{\"a\":2,\"b");
  auto writer = JsonlWriter::Open(folder / "log");
  ASSERT_TRUE(writer) << writer.error().message;
  ASSERT_TRUE((*writer)->Append("{\"a\":3}\n"));
  EXPECT_EQ(ReadFile(folder / "log"), "{\"a\":1}\n{\"a\":3}\n");
}

TEST(JsonlWriter, CutsOffATornOnlyLine) {
  TempFolder folder;
  WriteFile(folder / "log", "{\"a");
  ASSERT_TRUE(JsonlWriter::Open(folder / "log"));
  EXPECT_EQ(ReadFile(folder / "log"), "");
}

TEST(JsonlWriter, KeepsAWholeLastLineThatOnlyLacksItsNewline) {
  TempFolder folder;
  WriteFile(folder / "log", "{\"a\":1}\n{\"a\":2}");
  ASSERT_TRUE(JsonlWriter::Open(folder / "log"));
  EXPECT_EQ(ReadFile(folder / "log"), "{\"a\":1}\n{\"a\":2}\n");
}

TEST(JsonlWriter, EveryTearIsRepaired) {
  const std::string whole = "{\"url\":\"http://a/\",\"n\":[1,2]}\n{\"url\":\"http://b/\"}\n";
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    TempFolder folder;
    WriteFile(folder / "log", whole.substr(0, cut));
    auto writer = JsonlWriter::Open(folder / "log");
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->Append("{}\n"));
    for (const std::string& line : Lines(folder / "log")) {
      EXPECT_TRUE(nlohmann::json::accept(line)) << cut << ": " << line;
    }
  }
}

TEST(JsonlWriter, LeavesAFileThatIsNoLogAlone) {
  TempFolder folder;
  std::string image(2 * kJsonlLineBytesMax, 'x');
  WriteFile(folder / "log", image);
  auto writer = JsonlWriter::Open(folder / "log");
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("not a log of this program"), std::string::npos);
  EXPECT_EQ(ReadFile(folder / "log"), image);
}

TEST(JsonlWriter, NamesWhatItCannotOpen) {
  TempFolder folder;
  auto missing = JsonlWriter::Open(folder / "no/such/log");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            (folder / "no/such/log").string() +
                ": cannot be opened for writing: No such file or directory");
  EXPECT_FALSE(JsonlWriter::Open(folder.path()));
}

TEST(JsonlWriter, RefusesASecondWriter) {
  TempFolder folder;
  auto first = JsonlWriter::Open(folder / "log");
  ASSERT_TRUE(first);
  auto second = JsonlWriter::Open(folder / "log");
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another crawl is writing it"), std::string::npos);
}

TEST(JsonlWriter, ReportsAFullDisk) {
  auto writer = JsonlWriter::Open("/dev/full");
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().message, "/dev/full: is not a regular file");
}

TEST(JsonlWriter, ThreadsNeverMixLines) {
  TempFolder folder;
  auto writer = JsonlWriter::Open(folder / "log");
  ASSERT_TRUE(writer);
  constexpr int kThreads = 4;
  constexpr int kLines = 250;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kLines; ++i) {
        JsonLine line;
        line.Number("t", std::int64_t{t});
        line.Text("fill", std::string(static_cast<std::size_t>(i), 'x'));
        EXPECT_TRUE((*writer)->Append(line.Finish()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::size_t> next(kThreads, 0);
  for (const std::string& line : Lines(folder / "log")) {
    auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json["fill"].get<std::string>().size(), next[json["t"].get<std::size_t>()]++);
  }
  EXPECT_EQ(next, std::vector<std::size_t>(kThreads, kLines));
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
