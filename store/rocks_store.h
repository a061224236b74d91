#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "base/result.h"
#include "store/store.h"

namespace store {

struct RocksStoreOptions {
  /// For changes not yet in sorted files, and for blocks read back, together. From 8 MiB.
  std::size_t memory_bytes = std::size_t{64} << 20;
};

/// A store in a directory, in RocksDB: a column family for each table, and one log of batches
/// (of which a torn tail is cut off on opening, and any other damage refuses to open). When it is
/// closed it is sealed: after that, any damage to that log or to the lists of files is refused. An
/// open that fails, for want of descriptors say, leaves it sealed if that can be written.
///
///     auto store = OpenRocksStore(data / "store", {});
///     if (!store) return base::Fail(store.error().message);
///
/// Makes the directory. Fails when another process has it open, or when it is damaged.
/// Cost: a write of one page's changes (about 3 KB) takes some 5 microseconds; an open reads the
/// log of batches, at most a few times memory_bytes.
base::Result<std::unique_ptr<Store>> OpenRocksStore(const std::filesystem::path& directory,
                                                    const RocksStoreOptions& options);

/// What the store holds at this moment, also while another process writes it; Write() fails.
/// Nothing in the directory is changed. Of a store that is still being made, or whose maker died
/// before it was whole, an empty one.
base::Result<std::unique_ptr<Store>> OpenRocksStoreForReading(
    const std::filesystem::path& directory);

}  // namespace store
