#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "base/mutex.h"

namespace contentseen {

/// Memory for what stays until the end, handed out piece after piece, so that what is counted is
/// what is taken. (Of an allocator 64 bytes that begin with a cache line take 192.)
///
/// Thread safety: all methods, at once. Ownership: owns what it handed out. Cost: an addition; a
/// lock for each megabyte.
class HammingArena {
 public:
  static constexpr std::size_t kLine = 64;
  /// Largest piece.
  static constexpr std::size_t kPieceMax = std::size_t{64} << 10;

  HammingArena() = default;
  HammingArena(const HammingArena&) = delete;
  HammingArena& operator=(const HammingArena&) = delete;

  /// A piece that begins with a line. REQUIRES: whole lines, at most kPieceMax.
  void* Take(std::size_t bytes);

  /// What is handed out, with what at the end of a block was too little for the next piece.
  std::uint64_t bytes() const;

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

  struct Delete {
    void operator()(std::byte* memory) const {
      ::operator delete (memory, std::align_val_t{kLine});
    }
  };
  // Becomes memory page by page, as it is touched.
  struct Block {
    Block();
    // Nothing when so many are not left.
    std::byte* Take(std::size_t bytes);

    const std::unique_ptr<std::byte, Delete> memory;
    // Above kBlockBytes once some asked in vain.
    std::atomic<std::size_t> used{0};
  };

  // The last of blocks_. Released when that is complete.
  std::atomic<Block*> newest_{nullptr};
  mutable base::Mutex mutex_;
  std::vector<std::unique_ptr<Block>> blocks_ GUARDED_BY(mutex_);
};

}  // namespace contentseen
