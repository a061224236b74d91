#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "crawler/data/journal.h"
#include "store/store.h"

namespace crawler {

/// How texts are kept.
struct TextStoreOptions {
  /// Keep them at all.
  bool keep = true;
  /// Bytes kept of one text; 1 KiB to 64 MiB.
  std::uint64_t text_bytes_max = std::uint64_t{1} << 20;
};
inline constexpr std::uint64_t kTextBytesMax = std::uint64_t{64} << 20;

/// The key of a document in the tables that go by document.
std::string DocumentKey(std::uint64_t id);

/// Keeps the beginning of a page's text, whole characters, up to `text_bytes_max` (at most
/// kTextBytesMax), packed with LZ4: what goes through the store's log and tables is then less than
/// half, for 2 ns a byte here, and the tables need not be compressed. Thread safety: pure.
void PutText(std::uint64_t id, std::string_view text, std::uint64_t text_bytes_max,
             store::Batch& batch);

/// The extracted texts of judged pages by number, so that a skipped page can be shown beside its
/// original.
///
///     auto texts = OpenTextStoreForReading(data / kTextStoreName);  // also while a crawl writes
///     base::Result<std::optional<std::string>> text = (*texts)->Get(id);
///
/// Thread safety: all methods.
class TextStore {
 public:
  explicit TextStore(std::unique_ptr<store::Store> store) : store_(std::move(store)) {}
  /// Nothing when no text has that number. Fails also when what is there is damaged.
  base::Result<std::optional<std::string>> Get(std::uint64_t id) const;
  /// How many bytes of `log` counted at that moment: the pages that they name have their texts
  /// here, and later ones have not, though the log may have grown. All, where nothing is noted.
  base::Result<std::uint64_t> LogBytes(Log log) const;

 private:
  const std::unique_ptr<store::Store> store_;
};

/// The texts there are at this moment. Nothing in the directory is changed.
base::Result<std::unique_ptr<TextStore>> OpenTextStoreForReading(
    const std::filesystem::path& directory);

/// Name of the store in a data directory.
inline constexpr char kTextStoreName[] = "store";

}  // namespace crawler
