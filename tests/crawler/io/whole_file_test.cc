#include "crawler/io/whole_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/temp_folder.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;
using tests::ReadFile;
using tests::TempFolder;
using tests::WriteFile;

std::size_t FilesIn(const TempFolder& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path())) ++count;
  return count;
}

TEST(WholeFile, MakesAndReplaces) {
  TempFolder folder;
  ASSERT_TRUE(WriteWholeFile(folder / "a", "one, and longer"));
  ASSERT_TRUE(WriteWholeFile(folder / "a", "two"));
  EXPECT_EQ(ReadFile(folder / "a"), "two");
  EXPECT_EQ(FilesIn(folder), 1u);
}

TEST(WholeFile, GivesANewFileTheModeAskedFor) {
  TempFolder folder;
  ASSERT_TRUE(WriteWholeFile(folder / "secret", "x", 0600));
  struct stat found {};
  ASSERT_EQ(::stat((folder / "secret").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST(WholeFile, SparesAFileThatIsNamedLikeADraft) {
  TempFolder folder;
  WriteFile(folder / "a.part", "somebody's");
  ASSERT_TRUE(WriteWholeFile(folder / "a", "new"));
  EXPECT_EQ(ReadFile(folder / "a"), "new");
  EXPECT_EQ(ReadFile(folder / "a.part"), "somebody's");
}

TEST(WholeFile, ALinkStaysALink) {
  TempFolder folder;
  WriteFile(folder / "target", "old");
  fs::create_symlink("target", folder / "link");
  ASSERT_TRUE(WriteWholeFile(folder / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(ReadFile(folder / "target"), "new");
}

TEST(WholeFile, APipeIsWrittenToAndStaysAPipe) {
  TempFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_TRUE(WriteWholeFile(pipe, "through"));
  std::string got(100, '\0');
  got.resize(static_cast<std::size_t>(::read(reader, got.data(), got.size())));
  EXPECT_EQ(got, "through");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(WholeFile, ADeviceThatIsFullIsAFailure) {
  auto written = WriteWholeFile("/dev/full", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "/dev/full: cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(WholeFile, WhatCannotBeReplacedStaysAndNoDraftIsLeft) {
  TempFolder folder;
  EXPECT_FALSE(WriteWholeFile(folder / "none" / "a", "x"));
  EXPECT_FALSE(WriteWholeFile(folder.path(), "x"));
  EXPECT_EQ(FilesIn(folder), 0u);
}

}  // namespace
}  // namespace crawler
