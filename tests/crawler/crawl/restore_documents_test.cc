#include "crawler/crawl/restore_documents.h"

#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "contentseen/document_record.h"
#include "store/memory_store.h"

namespace crawler {
namespace {

using ::testing::HasSubstr;

class RestoreDocumentsTest : public testing::Test {
 protected:
  RestoreDocumentsTest() : seen_(*contentseen::ContentSeen::Create({.detector = "simhash"})) {}

  static contentseen::DocumentRecord Record(std::uint64_t id) {
    const std::string name = std::to_string(id);
    const std::uint64_t fingerprint = contentseen::Xxh3Key(name).low;
    return {.id = id,
            .body = contentseen::Sha256("body " + name),
            .text = contentseen::Sha256("text " + name),
            .fingerprint = fingerprint,
            .features = 100,
            .signature = {fingerprint}};
  }
  void Put(std::uint64_t id, std::string_view bytes, std::string_view after_key = "") {
    std::string key;
    base::AppendBigEndian(id, key);
    store::Batch batch;
    batch.Put(store::Table::kDocuments, key.append(after_key), bytes);
    ASSERT_TRUE(store_.Write(batch, store::Durability::kProcess));
  }

  store::MemoryStore store_;
  const std::unique_ptr<contentseen::ContentSeen> seen_;
};

TEST_F(RestoreDocumentsTest, AnEmptyTableHasNoLastDocument) {
  EXPECT_EQ(RestoreDocuments(store_, *seen_, contentseen::kNoDocument, 3).value(),
            contentseen::kNoDocument);
}

TEST_F(RestoreDocumentsTest, EveryDocumentComesBackWhateverTheThreads) {
  constexpr std::uint64_t kDocuments = 20'000;
  for (std::uint64_t id = 1; id <= kDocuments; ++id) Put(2 * id, Encode(Record(2 * id)));
  for (const std::uint32_t threads : {1U, 2U, 5U}) {
    const auto seen = contentseen::ContentSeen::Create({.detector = "simhash"});
    const auto last = RestoreDocuments(store_, **seen, contentseen::kNoDocument, threads);
    ASSERT_TRUE(last) << last.error().message;
    EXPECT_EQ(*last, 2 * kDocuments);
    EXPECT_EQ((*seen)->counts().documents, kDocuments);
    EXPECT_EQ((*seen)->counts().near, kDocuments);
    for (std::uint64_t id = 2; id <= 2 * kDocuments; id += 998) {
      const auto verdict = (*seen)->FindExact(Record(id).body);
      ASSERT_TRUE(verdict);
      EXPECT_EQ(verdict->original, id);
    }
  }
}

TEST_F(RestoreDocumentsTest, ARecordOrAKeyThatIsNoneIsRefused) {
  Put(1, Encode(Record(1)));
  Put(3, "what is this?");
  auto refused = RestoreDocuments(store_, *seen_, contentseen::kNoDocument, 2);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("a record that is none"));

  Put(3, Encode(Record(3)));
  EXPECT_TRUE(RestoreDocuments(store_, *seen_, contentseen::kNoDocument, 2));
  Put(4, Encode(Record(4)), "x");
  EXPECT_FALSE(RestoreDocuments(store_, *seen_, contentseen::kNoDocument, 2));
}

}  // namespace
}  // namespace crawler
