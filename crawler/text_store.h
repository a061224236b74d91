#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "base/result.h"

namespace crawler {

/// How texts are kept.
struct TextStoreOptions {
  /// Keep them at all.
  bool keep = true;
  /// Bytes kept of one text; 1 KiB to 64 MiB.
  std::uint64_t text_bytes_max = std::uint64_t{1} << 20;
  /// Memory for texts not yet on disk; 64 KiB to 1 GiB.
  std::uint64_t write_buffer_bytes = std::uint64_t{16} << 20;
};

/// The extracted texts of judged pages by number, so that a skipped page can be shown beside its
/// original.
///
///     auto store = OpenTextStore(data / "texts", options.texts);
///     (*store)->Put(page.id, page.document.text);
///     auto texts = OpenTextStoreForReading(data / "texts");   // also while a crawl writes it
///     base::Result<std::optional<std::string>> text = (*texts)->Get(id);
///
/// Thread safety: all methods.
class TextStore {
 public:
  virtual ~TextStore() = default;
  /// Keeps the beginning of `text`, whole characters, up to TextStoreOptions::text_bytes_max;
  /// replaces what stood under `id`.
  virtual base::Status Put(std::uint64_t id, std::string_view text) = 0;
  /// Nothing when no text has that number.
  virtual base::Result<std::optional<std::string>> Get(std::uint64_t id) const = 0;
  /// What was put survives a power failure. (A crash of the process alone loses nothing.)
  virtual base::Status Sync() = 0;
};

/// Texts in a directory, compressed (RocksDB, Zstandard). Makes the directory. Fails when another
/// process writes it.
///
/// Cost: a Put is a few microseconds and a write to the log; disk, about a third of the text.
base::Result<std::unique_ptr<TextStore>> OpenTextStore(const std::filesystem::path& directory,
                                                       const TextStoreOptions& options);

/// The texts there are at this moment; Put() and Sync() fail. Nothing in the directory is changed.
base::Result<std::unique_ptr<TextStore>> OpenTextStoreForReading(
    const std::filesystem::path& directory);

/// Texts in memory, for tests.
class MemoryTextStore final : public TextStore {
 public:
  explicit MemoryTextStore(const TextStoreOptions& options = {}) : options_(options) {}
  base::Status Put(std::uint64_t id, std::string_view text) override EXCLUDES(mutex_);
  base::Result<std::optional<std::string>> Get(std::uint64_t id) const override EXCLUDES(mutex_);
  base::Status Sync() override { return {}; }

 private:
  const TextStoreOptions options_;
  mutable base::Mutex mutex_;
  std::unordered_map<std::uint64_t, std::string> texts_ GUARDED_BY(mutex_);
};

/// Name of the store in a data directory.
inline constexpr char kTextStoreName[] = "texts";

}  // namespace crawler
