#include "crawler/io/gzip_file.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "crawler/io/gzip_member.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

std::string Repeated(const std::string& text, std::size_t bytes) {
  std::string all;
  all.reserve(bytes + text.size());
  while (all.size() < bytes) all += text;
  return all;
}

class GzipFileTest : public ::testing::Test {
 protected:
  // What of `bytes` can be read, damage passed over. Gives up where more was done than promised.
  std::string Read(const std::string& bytes) {
    tests::WriteFile(folder_ / "file.gz", bytes);
    auto file = GzipFile::Open(folder_ / "file.gz");
    EXPECT_TRUE(file);
    // A piece is read whole where little of it is needed.
    const std::uint64_t most = (GzipFile::kTimesAgain + 1) * bytes.size() +
                               2 * GzipFile::kBytesAgain + GzipFile::kPieceBytes;
    std::string read;
    std::uint64_t given = 0;
    for (std::string piece;; piece.clear()) {
      const bool more = (*file)->Read(piece);
      given += piece.size();
      read += piece.substr(0, 1000);
      EXPECT_LE((*file)->fetched_bytes(), most);
      EXPECT_LE(given, most);
      if (HasFailure()) break;
      if (!more && ((*file)->damage().empty() || !(*file)->SkipDamage())) break;
    }
    return read;
  }
  tests::TempFolder folder_;
};

// A header and a stored block that holds the next ones: each of them reads to the end.
const std::string kNested("\x1f\x8b\x08\0\0\0\0\0\0\xff\0\xfa\xff\x05\0", 15);
// A header that is none, which is known at once.
const std::string kNoHeader("\x1f\x8b\x08\xff", 4);

TEST_F(GzipFileTest, SaysWhatCannotBeOpened) {
  const auto file = GzipFile::Open(folder_ / "none.gz");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message,
            (folder_ / "none.gz").string() + ": cannot be opened: No such file or directory");
}

TEST_F(GzipFileTest, MembersThatHoldOneAnotherCostNoMoreThanPromised) {
  EXPECT_EQ(Read(GzipMember("first", 6) + Repeated(kNested, 3'000'000)).substr(0, 5), "first");
}

TEST_F(GzipFileTest, DamageThatIsKnownAtOnceIsNotReadAgain) {
  const std::string bytes = Repeated(kNoHeader, 1'000'000) + GzipMember("last", 6);
  EXPECT_EQ(Read(bytes), "last");
}

TEST_F(GzipFileTest, FindsWhatADamagedMemberHolds) {
  const std::string first = GzipMember(std::string(100'000, 'x'), 0);
  EXPECT_TRUE(Read(first.substr(0, 50'000) + GzipMember("last", 6)).ends_with("last"));
}

TEST_F(GzipFileTest, GoesBackToAMember) {
  for (const std::size_t size : {std::size_t{10}, std::size_t{1'000'000}}) {
    const std::string text = Repeated("word ", size);
    tests::WriteFile(folder_ / "file.gz", GzipMember("first", 6) + GzipMember(text, 0));
    auto file = GzipFile::Open(folder_ / "file.gz");
    ASSERT_TRUE(file);
    std::string read;
    ASSERT_TRUE((*file)->Read(read));
    const std::uint64_t second = (*file)->member_end();
    while ((*file)->Read(read)) {
    }
    EXPECT_EQ(read, "first" + text);
    ASSERT_TRUE((*file)->GoBack(second));
    read.clear();
    while ((*file)->Read(read)) {
    }
    EXPECT_EQ(read, text);
    EXPECT_EQ((*file)->damage(), "");
  }
}

}  // namespace
}  // namespace crawler
