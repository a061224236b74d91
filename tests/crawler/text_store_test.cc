#include "crawler/text_store.h"

#include <gtest/gtest.h>

#include "store/rocks_store.h"
#include "tests/crawler/temp_folder.h"

namespace crawler {
namespace {

TEST(TextStore, GivesTheTextsOfAStoreThatIsBeingWritten) {
  tests::TempFolder folder;
  auto writer = store::OpenRocksStore(folder / kTextStoreName, {});
  ASSERT_TRUE(writer) << writer.error().message;
  for (std::uint64_t id = 1; id <= 20; ++id) {
    store::Batch batch;
    PutText(id, "text " + std::to_string(id), 1024, batch);
    ASSERT_TRUE((*writer)->Write(batch, store::Durability::kProcess));
    auto texts = OpenTextStoreForReading(folder / kTextStoreName);
    ASSERT_TRUE(texts) << texts.error().message;
    EXPECT_EQ((*texts)->Get(id).value(), "text " + std::to_string(id));
    EXPECT_EQ((*texts)->Get(id + 1).value(), std::nullopt);
  }
}

TEST(TextStore, CutsAtACharacter) {
  for (const auto& [text, kept] : {std::pair("漢字", "漢"), {"abcd", "abcd"}, {"abcdé", "abcd"}}) {
    store::Batch batch;
    PutText(1, text, 4, batch);
    std::string found;
    batch.ForEach([&](store::Table, std::string_view, std::string_view value) { found = value; },
                  [](store::Table, std::string_view) { FAIL(); });
    EXPECT_EQ(found, kept);
  }
}

TEST(TextStore, NamesWhatIsMissing) {
  tests::TempFolder folder;
  auto texts = OpenTextStoreForReading(folder / "none");
  ASSERT_FALSE(texts);
  EXPECT_NE(texts.error().message.find((folder / "none").string()), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

}  // namespace
}  // namespace crawler
