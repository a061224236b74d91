#include "crawler/data/text_store.h"

#include <gtest/gtest.h>

#include "store/memory_store.h"
#include "store/rocks_store.h"
#include "tests/temp_folder.h"

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
    auto store = std::make_unique<store::MemoryStore>();
    store::Batch batch;
    PutText(1, text, 4, batch);
    ASSERT_TRUE(store->Write(batch, store::Durability::kProcess));
    EXPECT_EQ(TextStore(std::move(store)).Get(1).value(), kept);
  }
}

// A record is read by what it says of itself, whatever that is.
TEST(TextStore, DamageIsFoundAndHarmless) {
  store::Batch whole;
  std::string text;
  for (int i = 0; i < 200; ++i) text += "a page of words and words ";
  PutText(1, text, 1 << 20, whole);
  std::string record;
  whole.ForEach([&](store::Table, std::string_view, std::string_view value) { record = value; },
                [](store::Table, std::string_view) { FAIL(); });
  EXPECT_LT(record.size(), text.size() / 2);
  int refused = 0;
  for (std::size_t at = 0; at < record.size(); ++at) {
    for (const char flip : {'\x01', '\x80'}) {
      std::string damaged = record;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      auto store = std::make_unique<store::MemoryStore>();
      store::Batch batch;
      batch.Put(store::Table::kTexts, DocumentKey(1), damaged);
      ASSERT_TRUE(store->Write(batch, store::Durability::kProcess));
      const auto got = TextStore(std::move(store)).Get(1);
      if (!got) ++refused;
    }
  }
  EXPECT_GT(refused, 0);
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
