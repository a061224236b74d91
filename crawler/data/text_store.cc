#include "crawler/data/text_store.h"

#include <lz4.h>

#include <filesystem>
#include <limits>
#include <system_error>

#include "base/bytes.h"
#include "base/check.h"
#include "crawler/data/data_format.h"
#include "crawler/io/utf8.h"
#include "store/rocks_store.h"

namespace crawler {

std::string DocumentKey(std::uint64_t id) {
  std::string key;
  base::AppendBigEndian(id, key);
  return key;
}

void PutText(std::uint64_t id, std::string_view text, std::uint64_t text_bytes_max,
             store::Batch& batch) {
  const std::string_view kept = Beginning(text, text_bytes_max);
  CHECK(kept.size() <= kTextBytesMax);
  const auto size = static_cast<int>(kept.size());
  std::string record;
  base::AppendVarint(kept.size(), record);
  const std::size_t head = record.size();
  record.resize(head + static_cast<std::size_t>(LZ4_compressBound(size)));
  const int packed = LZ4_compress_default(kept.data(), record.data() + head, size,
                                          static_cast<int>(record.size() - head));
  record.resize(head + static_cast<std::size_t>(packed));
  batch.Put(store::Table::kTexts, DocumentKey(id), record);
}

base::Result<std::optional<std::string>> TextStore::Get(std::uint64_t id) const {
  auto record = store_->Get(store::Table::kTexts, DocumentKey(id));
  if (!record || !*record) return record;
  base::ByteReader reader(**record);
  const std::uint64_t size = reader.Varint();
  const std::string_view packed = reader.rest();
  if (reader.ok() && size <= kTextBytesMax && packed.size() <= kTextBytesMax + kTextBytesMax / 8) {
    std::string text(size, '\0');
    const int got = LZ4_decompress_safe(packed.data(), text.data(),
                                        static_cast<int>(packed.size()), static_cast<int>(size));
    if (got == static_cast<int>(size)) return text;
  }
  return base::Fail("the text of page " + std::to_string(id) + " is damaged");
}

base::Result<std::uint64_t> TextStore::LogBytes(Log log) const {
  auto parts = CommittedParts(*store_, log);
  if (!parts) return base::Fail(parts.error().message);
  if (parts->empty()) return std::numeric_limits<std::uint64_t>::max();
  std::uint64_t bytes = 0;
  for (const LogPart& part : *parts) bytes += part.bytes;
  return bytes;
}

base::Result<std::unique_ptr<TextStore>> OpenTextStoreForReading(
    const std::filesystem::path& directory) {
  std::error_code error;
  if (!std::filesystem::exists(directory, error)) {
    return base::Fail(directory.string() + " is not there: " + directory.parent_path().string() +
                      " holds no crawl");
  }
  auto store = store::OpenRocksStoreForReading(directory);
  if (!store) return base::Fail(store.error().message);
  auto begun = HasBegun(directory.parent_path().string(), **store);
  if (!begun) return base::Fail(begun.error().message);
  return std::make_unique<TextStore>(std::move(*store));
}

}  // namespace crawler
