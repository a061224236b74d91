#include "crawler/data/log_fields.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "crawler/data/page_log.h"
#include "crawler/data/skip_log.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using contentseen::Kind;
using tests::TempFolder;
using tests::WriteFile;

base::WallTime Millis(std::int64_t count) {
  return base::WallTime(std::chrono::milliseconds(count));
}

SkipRecord Example() {
  SkipRecord record;
  record.time = Millis(1'767'225'600'123);
  record.url = "http://a.example/x?sid=1";
  record.final_url = "http://a.example/x";
  record.kind = Kind::kNear;
  record.distance = 2;
  record.k = 3;
  record.fingerprint = 0x0123456789abcdef;
  record.original_fingerprint = 0x0123456789abcdec;
  record.digest.bytes.fill(0xab);
  record.original_url = "http://a.example/y";
  record.original_time = Millis(1'767'225'600'000);
  record.referrer = "http://a.example/";
  record.depth = 2;
  record.body_bytes = 12'345;
  record.links_not_followed = 17;
  record.title = "A \"title\"\n\x1b[31m";
  record.text_id = 8;
  record.original_text_id = 5;
  record.evidence = "71 of 100 shingles, 62 of 64 bits";
  record.basis = "main-text";
  record.same_bytes_as = "http://a.example/z";
  record.sitemap_lastmod = "2026-01-01";
  record.canonical = "/x";
  return record;
}

TEST(SkipLog, WritesTheDocumentedLine) {
  EXPECT_EQ(LogLine(Example()),
            R"({"time":"2026-01-01T00:00:00.123Z","url":"http://a.example/x?sid=1",)"
            R"("final_url":"http://a.example/x","kind":"near","distance":2,"k":3,)"
            R"("fingerprint":"0123456789abcdef","original_fingerprint":"0123456789abcdec",)"
            R"("digest":"abababababababababababababababababababababababababababababababab",)"
            R"("original_url":"http://a.example/y","original_time":"2026-01-01T00:00:00.000Z",)"
            R"("referrer":"http://a.example/","depth":2,"body_bytes":12345,)"
            R"("links_not_followed":17,"title":"A \"title\"\n\u001b[31m","text_id":8,)"
            R"("original_text_id":5,"evidence":"71 of 100 shingles, 62 of 64 bits",)"
            R"("basis":"main-text","same_bytes_as":"http://a.example/z",)"
            R"("sitemap_lastmod":"2026-01-01","canonical":"/x"})"
            "\n");
}

/// ASCII with every control: what survives a round trip exactly.
std::string HostileText() {
  return *rc::gen::container<std::string>(
      rc::gen::map(rc::gen::inRange(0, 128), [](int c) { return static_cast<char>(c); }));
}

TEST(SkipLog, AnyRecordReadsBackAsWritten) {
  EXPECT_TRUE(rc::check([] {
    SkipRecord record;
    record.time = Millis(*rc::gen::inRange<std::int64_t>(0, 4'000'000'000'000));
    record.url = HostileText();
    record.final_url = HostileText();
    record.kind = *rc::gen::element(Kind::kExactBytes, Kind::kExactText, Kind::kNear);
    record.distance = *rc::gen::inRange(0, 65);
    record.k = *rc::gen::inRange(0, 11);
    record.fingerprint = *rc::gen::arbitrary<std::uint64_t>();
    record.original_fingerprint = *rc::gen::arbitrary<std::uint64_t>();
    for (std::uint8_t& byte : record.digest.bytes) byte = *rc::gen::arbitrary<std::uint8_t>();
    record.original_url = HostileText();
    record.original_time = Millis(*rc::gen::inRange<std::int64_t>(0, 4'000'000'000'000));
    record.referrer = HostileText();
    record.depth = *rc::gen::arbitrary<std::uint32_t>();
    record.body_bytes = *rc::gen::arbitrary<std::uint32_t>();
    record.links_not_followed = *rc::gen::arbitrary<std::uint32_t>();
    record.title = HostileText();
    record.text_id = *rc::gen::inRange<std::uint64_t>(0, 1ULL << 62);
    record.original_text_id = *rc::gen::inRange<std::uint64_t>(0, 1ULL << 62);

    std::string line = LogLine(record);
    RC_ASSERT(line.find('\n') == line.size() - 1);
    SkipRecord back;
    FieldReader reader(line);
    VisitFields(reader, back);
    RC_ASSERT(reader.fault() == "");
    RC_ASSERT(back == record);
  }));
}

TEST(PageLog, ARecordReadsBackAsWritten) {
  PageRecord record;
  record.time = Millis(1'767'225'600'123);
  record.url = record.final_url = "http://a.example/";
  record.status = 200;
  record.title = "漢字 \xe2\x80\xae";
  record.digest.bytes.fill(7);
  record.fingerprint = 1;
  record.referrer = "";
  record.depth = 3;
  record.body_bytes = 1'000;
  record.links_found = 20;
  record.links_queued = 10;
  record.fetch_time = std::chrono::microseconds(1'500);
  record.parse_time = std::chrono::microseconds(300);
  record.check_time = std::chrono::microseconds(40);
  record.text_id = 9;
  PageRecord back;
  std::string line = LogLine(record);
  FieldReader reader(line);
  VisitFields(reader, back);
  EXPECT_EQ(reader.fault(), "");
  EXPECT_EQ(back, record);
  EXPECT_NE(line.find("\"fetch_us\":1500"), std::string::npos);
}

TEST(FieldReader, NamesWhatIsWrong) {
  struct Case {
    const char* line;
    const char* fault;
  };
  for (const Case& c : {
           Case{"", "is not a JSON object"},
           Case{"[]", "is not a JSON object"},
           Case{"{\"url\":", "is not a JSON object"},
           Case{"{\"url\":1}", "\"url\" is not text"},
           Case{"{\"time\":\"yesterday\"}", "\"time\" is not an RFC 3339 time"},
           Case{"{\"kind\":\"other\"}", "\"kind\" is not a kind of verdict"},
           Case{"{\"depth\":-1}", "\"depth\" is out of range"},
           Case{"{\"depth\":4294967296}", "\"depth\" is out of range"},
           Case{"{\"depth\":1.5}", "\"depth\" is not a whole number that fits"},
           Case{"{\"depth\":18446744073709551615}", "\"depth\" is not a whole number that fits"},
           Case{"{\"depth\":\"1\"}", "\"depth\" is not a whole number that fits"},
           Case{"{\"fingerprint\":\"12\"}", "\"fingerprint\" is not a fingerprint"},
           Case{"{\"digest\":\"xyz\"}", "\"digest\" is not a SHA-256 digest"},
       }) {
    SkipRecord record;
    FieldReader reader(c.line);
    VisitFields(reader, record);
    EXPECT_EQ(reader.fault(), c.fault) << c.line;
  }
}

TEST(FieldReader, AbsentAndUnknownKeysAreNoFault) {
  SkipRecord record;
  FieldReader reader("{\"url\":\"http://a/\",\"added_by_a_later_version\":[1]}");
  VisitFields(reader, record);
  EXPECT_EQ(reader.fault(), "");
  EXPECT_EQ(record.url, "http://a/");
}

TEST(ReadLog, GivesRecordsAndReportsBadLinesByNumber) {
  TempFolder folder;
  WriteFile(folder / "log", LogLine(Example()) + "junk\n" + LogLine(Example()) + "{\"url\":");
  std::vector<std::size_t> lines;
  std::vector<LogFault> faults;
  base::Status status = ReadLog<SkipRecord>(
      folder / "log",
      [&](std::size_t line, const SkipRecord& record) {
        EXPECT_EQ(record, Example());
        lines.push_back(line);
        return true;
      },
      faults);
  EXPECT_TRUE(status);
  EXPECT_EQ(lines, (std::vector<std::size_t>{1, 3}));
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].line, 2u);
  EXPECT_EQ(faults[1].line, 4u);
  EXPECT_EQ(faults[1].reason, "is not a JSON object");
}

TEST(ReadLog, StopsWhenToldTo) {
  TempFolder folder;
  WriteFile(folder / "log", LogLine(Example()) + LogLine(Example()));
  int taken = 0;
  std::vector<LogFault> faults;
  EXPECT_TRUE(ReadLog<SkipRecord>(
      folder / "log", [&](std::size_t, const SkipRecord&) { return ++taken < 1; }, faults));
  EXPECT_EQ(taken, 1);
}

TEST(ReadLog, KeepsABoundedNumberOfFaults) {
  TempFolder folder;
  std::string junk;
  for (int i = 0; i < 500; ++i) junk += "junk\n";
  WriteFile(folder / "log", junk);
  std::vector<LogFault> faults;
  EXPECT_TRUE(ReadLog<PageRecord>(
      folder / "log", [](std::size_t, const PageRecord&) { return true; }, faults));
  EXPECT_EQ(faults.size(), kLogFaultsMax);
}

}  // namespace
}  // namespace crawler
