#include "crawler/warc/warc_reader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "crawler/io/gzip_member.h"
#include "crawler/warc/warc_http.h"
#include "crawler/warc/warc_record.h"
#include "tests/shared_files.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

std::string RecordText(const std::string& url, const std::string& block) {
  WarcRecord record("resource", base::WallTime{});
  record.Add("WARC-Target-URI", url);
  record.SetBlock("text/plain", block, WarcDigest::kSha1);
  return record.text();
}

struct Seen {
  std::vector<std::string> urls;
  std::vector<WarcReadRecord> records;
  std::uint64_t faults = 0;
};

Seen ReadAll(const std::filesystem::path& path, const WarcReaderOptions& options = {}) {
  Seen seen;
  auto reader = WarcReader::Open(path, options);
  EXPECT_TRUE(reader);
  while (auto record = (*reader)->Next()) {
    seen.urls.emplace_back(record->Field("warc-target-uri"));
    seen.records.push_back(std::move(*record));
  }
  EXPECT_TRUE((*reader)->status());
  seen.faults = (*reader)->faults();
  return seen;
}

class WarcReaderTest : public ::testing::Test {
 protected:
  Seen Read(const std::string& bytes, const WarcReaderOptions& options = {}) {
    tests::WriteFile(folder_ / "file", bytes);
    return ReadAll(folder_ / "file", options);
  }
  tests::TempFolder folder_;
};

using Urls = std::vector<std::string>;

TEST_F(WarcReaderTest, ReadsTheSameInPiecesOfAnySize) {
  std::mt19937 random(7);
  std::string bytes;
  for (int i = 0; i < 40; ++i) {
    std::string block(random() % 20'000, '\0');
    for (char& c : block) c = static_cast<char>('a' + random() % 26);
    bytes += GzipMember(RecordText(std::to_string(i), block), i % 3);
  }
  const Seen whole = Read(bytes);
  ASSERT_EQ(whole.records.size(), 40u);
  for (const std::size_t piece : {std::size_t{1} << 10, std::size_t{4} << 10, std::size_t{5000}}) {
    const Seen seen = Read(bytes, {.piece_bytes = piece});
    ASSERT_EQ(seen.urls, whole.urls);
    EXPECT_EQ(seen.faults, 0u);
    for (std::size_t i = 0; i < whole.records.size(); ++i) {
      EXPECT_EQ(seen.records[i].block, whole.records[i].block);
      EXPECT_EQ(seen.records[i].offset, whole.records[i].offset);
      EXPECT_EQ(seen.records[i].stored_bytes, whole.records[i].stored_bytes);
    }
  }
}

TEST_F(WarcReaderTest, ReadsOnlyAHead) {
  const std::string url(10'000, 'u');
  const std::string first = GzipMember(RecordText("a", std::string(1'000'000, 'x')), 0);
  const std::string bytes = first + GzipMember(RecordText(url, "b"), 6);
  tests::WriteFile(folder_ / "file", bytes);
  for (const auto& [offset, expected] :
       {std::pair(std::size_t{0}, std::string("a")), std::pair(first.size(), url)}) {
    auto reader = WarcReader::Open(folder_ / "file", {.piece_bytes = 4096}, offset);
    ASSERT_TRUE(reader);
    const auto head = (*reader)->OnlyHead();
    ASSERT_TRUE(head);
    EXPECT_EQ(head->Field("WARC-Target-URI"), expected);
    EXPECT_EQ(head->offset, offset);
    EXPECT_LE((*reader)->read_bytes(), offset + 16'384);
  }
  auto none = WarcReader::Open(folder_ / "file", {.piece_bytes = 4096}, bytes.size());
  ASSERT_TRUE(none);
  EXPECT_FALSE((*none)->OnlyHead());
}

TEST_F(WarcReaderTest, SaysWhereEachRecordLies) {
  const std::string a = RecordText("a", "one");
  const std::string b = RecordText("b", std::string(300'000, 'x'));
  const std::string ma = GzipMember(a, 0);
  const std::string mb = GzipMember(b, 6);
  for (const auto& [first, second] : {std::pair(a, b), std::pair(ma, mb)}) {
    const Seen seen = Read(first + second);
    ASSERT_EQ(seen.urls, (Urls{"a", "b"}));
    EXPECT_EQ(seen.faults, 0u);
    EXPECT_EQ(seen.records[0].offset, 0u);
    EXPECT_EQ(seen.records[0].stored_bytes, first.size());
    EXPECT_EQ(seen.records[1].offset, first.size());
    EXPECT_EQ(seen.records[1].stored_bytes, second.size());
    EXPECT_EQ(seen.records[1].block, std::string(300'000, 'x'));
  }
  const Seen together = Read(GzipMember(a + b, 6));  // one member for all
  ASSERT_EQ(together.urls, (Urls{"a", "b"}));
  EXPECT_EQ(together.records[1].stored_bytes, 0u);
}

TEST_F(WarcReaderTest, KeepsOfABlockWhatItMay) {
  const Seen seen = Read(RecordText("a", std::string(1000, 'x')) + RecordText("b", "y"),
                         {.block_bytes_max = 10});
  ASSERT_EQ(seen.urls, (Urls{"a", "b"}));
  EXPECT_TRUE(seen.records[0].block_cut());
  EXPECT_EQ(seen.records[0].block.size(), 10u);
}

TEST_F(WarcReaderTest, GoesOnBehindWhatIsDamaged) {
  const std::string a = GzipMember(RecordText("a", "one"), 6);
  const std::string c = GzipMember(RecordText("c", "three"), 6);
  std::string broken = GzipMember(RecordText("b", "two"), 6);
  broken[broken.size() / 2] ^= 0x55;
  EXPECT_EQ(Read(a + broken + c).urls, (Urls{"a", "c"}));
  EXPECT_GE(Read(a + broken + c).faults, 1u);
  EXPECT_EQ(Read(a + "garbage" + c).urls, (Urls{"a", "c"}));
  EXPECT_EQ(Read(a + broken.substr(0, broken.size() / 2) + c).urls, (Urls{"a", "c"}));
  // A record that claims more than its member holds.
  std::string liar = RecordText("b", "two");
  liar.replace(liar.find("Content-Length: 3"), 17, "Content-Length: 9999");
  EXPECT_EQ(Read(a + GzipMember(liar, 6) + c).urls, (Urls{"a", "c"}));
  // Without gzip.
  EXPECT_EQ(
      Read(RecordText("a", "x") + "WARC/1.1\r\nnonsense\r\n\r\n" + RecordText("c", "z")).urls,
      (Urls{"a", "c"}));
}

TEST_F(WarcReaderTest, TakesTheLooseSpellingsThatOthersWrite) {
  const Seen seen = Read("WARC/0.18\nwarc-type: Resource\nContent-length:3\nX: a\n\tb\n\nabc\n\n");
  ASSERT_EQ(seen.records.size(), 1u);
  EXPECT_EQ(seen.records[0].Type(), "resource");
  EXPECT_EQ(seen.records[0].Field("x"), "a b");
  EXPECT_EQ(seen.records[0].block, "abc");
}

TEST_F(WarcReaderTest, EndsOnAnyBytes) {
  std::mt19937 random(1);
  const std::string plain = RecordText("a", "one") + RecordText("b", "two");
  const std::string gzip = GzipMember(RecordText("a", "one"), 6) + GzipMember(plain, 1);
  for (int round = 0; round < 600; ++round) {
    std::string bytes = round % 2 == 0 ? plain : gzip;
    for (unsigned i = 0; i <= random() % 6; ++i) {
      const std::size_t at = random() % bytes.size();
      if (random() % 3 == 0) {
        bytes.erase(at, random() % 40);
      } else {
        bytes[at] = static_cast<char>(random());
      }
      if (bytes.empty()) bytes = "W";
    }
    EXPECT_LE(Read(bytes).records.size(), 5u);
  }
  EXPECT_TRUE(Read("").records.empty());
  EXPECT_TRUE(Read("WARC/1.1\r\nContent-Length: 18446744073709551615\r\n\r\nabc").records.empty());
  EXPECT_TRUE(Read("WARC/1.1\r\nContent-Length: -1\r\n\r\nabc\r\n\r\n").records.empty());
  EXPECT_TRUE(Read(GzipMember(std::string(40'000'000, 'W'), 6)).records.empty());  // a bomb
}

std::string Repeated(const std::string& text, std::size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += text;
  return all;
}

// Each of these would take hours if what one look found were looked for by the next.
TEST_F(WarcReaderTest, LooksOnceThroughHeadsThatAreNone) {
  const std::string first = RecordText("a", "one");
  const std::string last = RecordText("z", "two");
  for (const std::string line : {"A:WARC/1\n", "A:warc/1\n", "////////\n", "WARC/WAR\n"}) {
    const std::string none = std::string("WARC/1.0\n").append(Repeated(line, 4'000'000));
    const WarcReaderOptions any_head{.head_bytes_max = std::size_t{1} << 30};
    EXPECT_EQ(Read(first + none, any_head).urls, Urls{"a"}) << line;
    EXPECT_EQ(Read(first + none + "\n" + last, any_head).urls, (Urls{"a", "z"})) << line;
    EXPECT_EQ(Read(first + none + "\n\n" + last).urls, (Urls{"a", "z"})) << line;
  }
}

TEST_F(WarcReaderTest, FindsTheHeadWithinATornOne) {
  EXPECT_EQ(Read(RecordText("a", "one") + "WARC/1.1\r\nWARC-Ty" + RecordText("b", "two")).urls,
            (Urls{"a", "b"}));
}

std::string WithLength(std::string record, const std::string& length) {
  const std::size_t at = record.find("Content-Length: ") + 16;
  return record.replace(at, record.find('\r', at) - at, length);
}

TEST_F(WarcReaderTest, OneLengthThatIsTooLargeLosesNoOtherRecord) {
  const std::string a = RecordText("a", std::string(1000, 'x'));
  const std::string liar = WithLength(RecordText("b", "two"), "1000000");
  const std::string c = RecordText("c", std::string(300'000, 'y'));
  const std::string d = RecordText("d", "four");
  const auto packed = [](const std::string& text) { return GzipMember(text, 0); };
  for (const std::string& file :
       {a + liar + c + d, packed(a + liar + c + d), packed(a) + packed(liar + c + d),
        packed(a) + packed(liar + c) + packed(d),
        packed(a + liar.substr(0, 100)) + packed(liar.substr(100) + c) + packed(d)}) {
    for (const std::size_t piece : {std::size_t{1} << 10, GzipFile::kPieceBytes}) {
      const Seen seen = Read(file, {.piece_bytes = piece});
      EXPECT_EQ(seen.urls, (Urls{"a", "c", "d"}));
      EXPECT_EQ(seen.faults, 1u);
      ASSERT_EQ(seen.records.size(), 3u);
      EXPECT_EQ(seen.records[1].block, std::string(300'000, 'y'));
    }
  }
}

// 20,000 times to the end of the file would be many hours.
TEST_F(WarcReaderTest, NothingButLengthsThatAreTooLargeComesToAnEnd) {
  const std::string liar = WithLength(RecordText("a", std::string(500, 'x')), "999999999999");
  const std::string liars = Repeated(liar, 20'000 * liar.size());
  EXPECT_EQ(Read(liars + RecordText("z", "z")).urls, Urls{"z"});
  EXPECT_TRUE(Read(GzipMember(liars, 1)).records.empty());
}

// Others' files: the types that warcio sees in them, in their order.
TEST(WarcReaderSuite, ReadsOthersFilesAsWarcioDoes) {
  auto suite = tests::SharedFolder("suites/warc");
  if (!suite) GTEST_SKIP() << tests::kNoShared;
  tests::TempFolder folder;
  const std::string command = "zstd -dc --long=27 '" + (*suite / "warc-files.tar.zst").string() +
                              "' | tar x -C '" + folder.path().string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << "zstd and tar are needed";
  std::ifstream expected(*suite / "expected.jsonl");
  int compared = 0;
  for (std::string line; std::getline(expected, line);) {
    const auto json = nlohmann::json::parse(line);
    const auto& index = json["warcio_index"];
    const std::string name = json["file"];
    if (name.find(".arc") != std::string::npos || !index["ok"].get<bool>()) continue;
    if (name.find("continuation") != std::string::npos) continue;  // fields folded: warcio errs
    std::vector<std::string> wanted;
    for (const auto& record : index["records"]) {
      std::string id = record["id"].is_string() ? record["id"].get<std::string>() : "";
      std::erase(id, '\t');  // of folded fields
      wanted.push_back(id);
    }
    std::vector<std::string> found;
    for (const WarcReadRecord& record : ReadAll(folder / name).records) {
      found.emplace_back(record.Field("WARC-Record-ID"));
      const auto http = ParseWarcHttp(record.block);
      const std::string_view label = record.Field("WARC-Payload-Digest");
      if (http && record.Type() == "response" && !label.empty() &&
          json["warcio_check_exit"] == 0) {
        EXPECT_NE(DigestMatches(label, http->body), false) << name << " " << label;
      }
    }
    EXPECT_EQ(found, wanted) << name;
    ++compared;
  }
  EXPECT_GE(compared, 12);
}

TEST(WarcHttp, JoinsChunks) {
  EXPECT_EQ(JoinedChunks("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"), "abcde");
  EXPECT_EQ(JoinedChunks("0\r\n\r\n"), "");
  EXPECT_EQ(JoinedChunks("<html>"), std::nullopt);
  EXPECT_EQ(JoinedChunks("ff\r\nabc"), std::nullopt);
  EXPECT_EQ(JoinedChunks("3\r\nabcdef"), std::nullopt);
  EXPECT_EQ(JoinedChunks(""), std::nullopt);
}

// Many archives took the chunks apart and left the header: what begins like a last chunk may be a
// text.
TEST(WarcHttp, BehindTheLastChunkStandFieldsAlone) {
  EXPECT_EQ(JoinedChunks("3\r\nabc\r\n0\r\nExpires: 0\r\nX-Sum: 1:2\r\n\r\n"), "abc");
  EXPECT_EQ(JoinedChunks("3\nabc\n0\n"), "abc");
  EXPECT_EQ(JoinedChunks("3\r\nabc\r\n0\r\n\r\n\r\n"), "abc");
  EXPECT_EQ(JoinedChunks("0\nis the first line of the text\n"), std::nullopt);
  EXPECT_EQ(JoinedChunks("0\r\n<html>"), std::nullopt);
  EXPECT_EQ(JoinedChunks("0\n\nwhat follows"), std::nullopt);
  EXPECT_EQ(JoinedChunks("0\n: no name\n"), std::nullopt);
  EXPECT_EQ(JoinedChunks("3\r\nabc\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n"), std::nullopt);
}

}  // namespace
}  // namespace crawler
