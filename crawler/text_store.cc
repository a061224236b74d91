#include "crawler/text_store.h"

#include "base/bytes.h"
#include "crawler/utf8.h"
#include "store/rocks_store.h"

namespace crawler {

std::string DocumentKey(std::uint64_t id) {
  std::string key;
  base::AppendBigEndian(id, key);
  return key;
}

void PutText(std::uint64_t id, std::string_view text, std::uint64_t text_bytes_max,
             store::Batch& batch) {
  batch.Put(store::Table::kTexts, DocumentKey(id), Beginning(text, text_bytes_max));
}

base::Result<std::optional<std::string>> TextStore::Get(std::uint64_t id) const {
  return store_->Get(store::Table::kTexts, DocumentKey(id));
}

base::Result<std::unique_ptr<TextStore>> OpenTextStoreForReading(
    const std::filesystem::path& directory) {
  auto store = store::OpenRocksStoreForReading(directory);
  if (!store) return base::Fail(store.error().message);
  return std::make_unique<TextStore>(std::move(*store));
}

}  // namespace crawler
