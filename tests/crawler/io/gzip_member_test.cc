#include "crawler/io/gzip_member.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "crawler/io/gzip_file.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using tests::TempFolder;
using tests::WriteFile;

// What zlib makes of the members, each for itself.
std::vector<std::string> Members(const std::string& bytes) {
  TempFolder folder;
  WriteFile(folder / "bytes.gz", bytes);
  auto file = GzipFile::Open(folder / "bytes.gz");
  EXPECT_TRUE(file);
  std::vector<std::string> members(1);
  while ((*file)->Read(members.back())) {
    if ((*file)->member_ended()) members.emplace_back();
  }
  EXPECT_EQ((*file)->damage(), "");
  members.pop_back();
  return members;
}

std::string Noise(std::size_t size) {
  std::mt19937 random(1);
  std::string noise(size, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  return noise;
}

// Nothing, one byte, what hardly fits, what gets smaller by much and what by nothing.
TEST(GzipMember, AnyBytesComeBackAtEachLevelOneMemberEach) {
  std::string words;
  while (words.size() < 3'000'000) words += "word" + std::to_string(words.size() % 977) + " ";
  std::vector<std::string> texts = {"",
                                    "a",
                                    std::string(70'000, 'x'),
                                    Noise(1000),
                                    Noise(65'536),
                                    Noise(1'500'000),
                                    words,
                                    Noise(40'000) + words};
  for (int level = 0; level <= 9; ++level) {
    std::string file;
    for (const std::string& text : texts) file += GzipMember(text, level);
    EXPECT_TRUE(Members(file) == texts) << "level " << level;
  }
}

TEST(GzipMember, IsTheSameWhateverWasCompressedBefore) {
  const std::string text = "<p>a page</p><p>another page</p>";
  for (int level = 0; level <= 9; ++level) {
    const std::string first = GzipMember(text, level);
    GzipMember(Noise(200'000), level);
    EXPECT_EQ(GzipMember(text, level), first) << "level " << level;
  }
}

TEST(GzipMember, HigherLevelsAreNoLarger) {
  std::string words;
  for (int i = 0; i < 20'000; ++i) words += "item " + std::to_string(i * 7919 % 1009) + ", ";
  EXPECT_GT(GzipMember(words, 0).size(), words.size());
  EXPECT_LT(GzipMember(words, 1).size(), words.size() / 2);
  EXPECT_LE(GzipMember(words, 9).size(), GzipMember(words, 1).size());
}

}  // namespace
}  // namespace crawler
