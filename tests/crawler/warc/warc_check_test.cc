#include "crawler/warc/warc_check.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <memory>
#include <string>

#include "crawler/io/gzip_member.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tests::ReadFile;
using tests::WriteFile;

class WarcCheckTest : public ::testing::Test {
 protected:
  WarcCheckTest() {
    auto opened =
        WarcWriter::Open({.directory = folder_.path(), .file_bytes_max = 1 << 20}, clock_);
    if (opened) writer_ = std::move(*opened);
  }
  std::string Text(const std::string& block) const {
    WarcRecord record("metadata", clock_.WallNow());
    record.SetBlock("text/plain", block, WarcDigest::kSha1);
    return record.text();
  }
  void Append(const std::string& text) {
    ASSERT_TRUE(writer_->Append({WarcMember{GzipMember(text, 1)}}, false));
  }
  std::vector<std::string> Damage() const {
    return FindWarcDamage(folder_.path(), writer_->position());
  }
  fs::path File(const std::string& ending) const {
    return folder_ / ("contentseen-20260101000000-00001.warc.gz" + ending);
  }

  fs::path Index() const { return folder_ / "contentseen-20260101000000-00001.cdxj"; }

  tests::TempFolder folder_;
  base::FakeClock clock_;
  std::unique_ptr<WarcWriter> writer_;
};

TEST_F(WarcCheckTest, FindsNothingInWhatWasWritten) {
  EXPECT_THAT(FindWarcDamage(folder_ / "none", {}), IsEmpty());
  EXPECT_THAT(Damage(), IsEmpty());
  for (int i = 0; i < 20; ++i) Append(Text("block " + std::to_string(i)));
  EXPECT_THAT(Damage(), IsEmpty());
  ASSERT_TRUE(writer_->Close());
  EXPECT_THAT(Damage(), IsEmpty());
}

TEST_F(WarcCheckTest, FindsEveryByteThatFlipped) {
  Append(Text("the first"));
  const auto begin = static_cast<std::size_t>(writer_->position().bytes);
  Append(Text("the second"));
  const std::string whole = ReadFile(File(".open"));
  // But for the member's time and system (RFC 1952 section 2.3.1), and the bits that fill up its
  // last byte before checksum and length: nobody reads them.
  for (std::size_t i = begin + 10; i < whole.size(); ++i) {
    if (i + 9 == whole.size()) continue;
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    WriteFile(File(".open"), bytes);
    EXPECT_THAT(Damage(), ElementsAre(HasSubstr(".open: byte " + std::to_string(begin)))) << i;
  }
}

TEST_F(WarcCheckTest, HoldsEachBlockAgainstItsDigest) {
  std::string text = Text("what was received");
  text.replace(text.find("received"), 8, "invented");
  Append(text);
  EXPECT_THAT(Damage(), ElementsAre(HasSubstr("the record's digest is not that of its block")));
}

TEST_F(WarcCheckTest, WhatDoesNotCountMayBeTorn) {
  Append(Text("the first"));
  const WarcPosition position = writer_->position();
  Append(Text("the second"));
  const std::string whole = ReadFile(File(".open"));
  for (std::size_t size = position.bytes; size < whole.size(); ++size) {
    WriteFile(File(".open"), whole.substr(0, size));
    EXPECT_THAT(FindWarcDamage(folder_.path(), position), IsEmpty()) << size;
  }
  WriteFile(File(".open"), whole.substr(0, position.bytes - 1));
  EXPECT_EQ(FindWarcDamage(folder_.path(), position).size(), 1u);
}

// Between two records nothing in the file itself says that more was there.
TEST_F(WarcCheckTest, HoldsAFinishedFileAgainstItsIndex) {
  Append(Text("the first"));
  const auto begin = static_cast<std::size_t>(writer_->position().bytes);
  WarcMember second{GzipMember(Text("the second"), 1), CdxjEntry()};
  second.entry->url = "http://a.test/";
  ASSERT_TRUE(writer_->Append({second}, false));
  ASSERT_TRUE(writer_->Close());
  Append(Text("of the next file"));
  const std::string whole = ReadFile(File(""));
  EXPECT_THAT(Damage(), IsEmpty());
  WriteFile(File(""), whole.substr(0, begin));
  EXPECT_THAT(Damage(), ElementsAre(HasSubstr("byte " + std::to_string(begin) +
                                              ": the file is shorter than the crawl left it")));
  for (const bool indexed : {true, false}) {
    if (!indexed) fs::remove(Index());
    WriteFile(File(""), "");
    EXPECT_THAT(Damage(), ElementsAre(HasSubstr("byte 0: the file is shorter")));
  }
}

TEST_F(WarcCheckTest, MissesAFileThatIsIndexedAndTheLast) {
  Append(Text("one"));
  ASSERT_TRUE(writer_->Close());
  Append(Text("two"));
  ASSERT_TRUE(writer_->Close());
  fs::rename(File(""), folder_ / "moved");
  EXPECT_THAT(Damage(), ElementsAre(HasSubstr("00001.warc.gz is gone")));
  fs::rename(Index(), folder_ / "moved too");
  EXPECT_THAT(Damage(), IsEmpty());
  for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove(entry.path());
  EXPECT_THAT(Damage(), ElementsAre(HasSubstr("lacks WARC file number 2")));
}

}  // namespace
}  // namespace crawler
