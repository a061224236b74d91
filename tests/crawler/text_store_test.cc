#include "crawler/text_store.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/crawler/temp_folder.h"

namespace crawler {
namespace {

using tests::TempFolder;
using Text = std::optional<std::string>;

Text Got(const TextStore& store, std::uint64_t id) {
  base::Result<Text> text = store.Get(id);
  EXPECT_TRUE(text) << text.error().message;
  return text ? *text : std::nullopt;
}

TEST(MemoryTextStore, GivesBackWhatWasPut) {
  MemoryTextStore store;
  EXPECT_TRUE(store.Put(1, "one"));
  EXPECT_TRUE(store.Put(1, "uno"));
  EXPECT_EQ(Got(store, 1), "uno");
  EXPECT_EQ(Got(store, 2), std::nullopt);
}

TEST(MemoryTextStore, CutsAtACharacter) {
  MemoryTextStore store({.text_bytes_max = 4});
  EXPECT_TRUE(store.Put(1, "漢字"));
  EXPECT_EQ(Got(store, 1), "漢");
  EXPECT_TRUE(store.Put(2, "abcd"));
  EXPECT_EQ(Got(store, 2), "abcd");
  EXPECT_TRUE(store.Put(3, "abcdé"));
  EXPECT_EQ(Got(store, 3), "abcd");
}

TEST(TextStore, SurvivesItsProcess) {
  TempFolder folder;
  std::string binary("\0\xff\n", 3);
  {
    auto store = OpenTextStore(folder / "a/texts", {});
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_TRUE((*store)->Put(7, "seven"));
    EXPECT_TRUE((*store)->Put(UINT64_MAX, binary));
    EXPECT_TRUE((*store)->Put(8, ""));
    EXPECT_TRUE((*store)->Sync());
  }
  auto store = OpenTextStore(folder / "a/texts", {});
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ(Got(**store, 7), "seven");
  EXPECT_EQ(Got(**store, UINT64_MAX), binary);
  EXPECT_EQ(Got(**store, 8), "");
  EXPECT_EQ(Got(**store, 9), std::nullopt);
}

TEST(TextStore, IsReadableWhileACrawlWritesIt) {
  TempFolder folder;
  // A small buffer, so that files are written and merged beneath the readers.
  auto writer = OpenTextStore(folder / "texts", {.write_buffer_bytes = 64 * 1024});
  ASSERT_TRUE(writer) << writer.error().message;
  for (std::uint64_t id = 1; id <= 400; ++id) {
    std::string text =
        "text " + std::to_string(id) + std::string(2'000, static_cast<char>('a' + id % 26));
    ASSERT_TRUE((*writer)->Put(id, text));
    if (id % 100 != 0) continue;
    auto reader = OpenTextStoreForReading(folder / "texts");
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ(Got(**reader, id), text) << "what was just put";
    ASSERT_TRUE(Got(**reader, 1).has_value());
    EXPECT_TRUE(Got(**reader, 1)->starts_with("text 1a") ||
                Got(**reader, 1)->starts_with("text 1b"));
    EXPECT_FALSE((*reader)->Put(1, "x")) << "a reader does not write";
  }
}

TEST(TextStore, RefusesASecondWriter) {
  TempFolder folder;
  auto first = OpenTextStore(folder / "texts", {});
  ASSERT_TRUE(first);
  auto second = OpenTextStore(folder / "texts", {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("cannot open the text store"), std::string::npos);
}

TEST(TextStore, NamesWhatIsMissing) {
  TempFolder folder;
  auto reader = OpenTextStoreForReading(folder / "none");
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().message.find((folder / "none").string()), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "none")) << "reading makes nothing";

  tests::WriteFile(folder / "file", "x");
  EXPECT_FALSE(OpenTextStore(folder / "file", {}));
}

TEST(TextStore, TakesTextsFromManyThreads) {
  TempFolder folder;
  auto store = OpenTextStore(folder / "texts", {});
  ASSERT_TRUE(store);
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 50; ++i) {
        EXPECT_TRUE((*store)->Put(t * 50 + i, std::to_string(t * 50 + i)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint64_t id = 0; id < 200; ++id) EXPECT_EQ(Got(**store, id), std::to_string(id));
}

TEST(TextStore, CompressesOnDisk) {
  TempFolder folder;
  std::string text;
  for (int i = 0; text.size() < 200'000; ++i) text += "word" + std::to_string(i % 1000) + " ";
  auto store = OpenTextStore(folder / "texts", {.write_buffer_bytes = 64 * 1024});
  ASSERT_TRUE(store);
  for (std::uint64_t id = 0; id < 20; ++id) ASSERT_TRUE((*store)->Put(id, text));
  store->reset();
  // Opening again turns the log into a file.
  store = OpenTextStore(folder / "texts", {});
  ASSERT_TRUE(store);
  store->reset();
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "texts")) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  EXPECT_LT(bytes, 20 * text.size() / 3);
}

}  // namespace
}  // namespace crawler
