#include "base/entries_of.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/temp_folder.h"

namespace base {
namespace {

TEST(EntriesOf, AreAllThereIsInOrder) {
  const tests::TempFolder folder;
  EXPECT_TRUE(EntriesOf(folder.path())->empty());
  std::filesystem::create_directory(folder / "b");
  std::ofstream(folder / "c") << "c";
  std::ofstream(folder / ".a") << "a";
  const auto paths = EntriesOf(folder.path());
  ASSERT_TRUE(paths);
  EXPECT_EQ(*paths, (std::vector{folder / ".a", folder / "b", folder / "c"}));
}

TEST(EntriesOf, WhatIsNoFolderIsSaidByName) {
  const tests::TempFolder folder;
  std::ofstream(folder / "file") << "x";
  for (const char* name : {"file", "nothing"}) {
    const auto paths = EntriesOf(folder / name);
    ASSERT_FALSE(paths);
    EXPECT_TRUE(paths.error().message.starts_with((folder / name).string() + ": cannot be read: "))
        << paths.error().message;
  }
}

}  // namespace
}  // namespace base
