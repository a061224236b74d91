#include "contentseen/hamming/hamming_arena.h"

#include <algorithm>

#include "base/check.h"

namespace contentseen {

HammingArena::Block::Block()
    : memory(static_cast<std::byte*>(::operator new (kBlockBytes, std::align_val_t{kLine}))) {}

std::byte* HammingArena::Block::Take(std::size_t bytes) {
  const std::size_t at = used.fetch_add(bytes, std::memory_order_relaxed);
  return at + bytes <= kBlockBytes ? memory.get() + at : nullptr;
}

void* HammingArena::Take(std::size_t bytes) {
  CHECK(bytes % kLine == 0 && bytes <= kPieceMax);
  const auto take = [this, bytes] {
    Block* newest = newest_.load(std::memory_order_acquire);
    return newest == nullptr ? nullptr : newest->Take(bytes);
  };
  if (std::byte* piece = take(); piece != nullptr) return piece;
  base::MutexLock lock(mutex_);
  // Another thread may have made a block meanwhile.
  if (std::byte* piece = take(); piece != nullptr) return piece;
  blocks_.push_back(std::make_unique<Block>());
  std::byte* piece = blocks_.back()->Take(bytes);
  newest_.store(blocks_.back().get(), std::memory_order_release);
  return piece;
}

std::uint64_t HammingArena::bytes() const {
  base::MutexLock lock(mutex_);
  if (blocks_.empty()) return 0;
  const std::size_t used = blocks_.back()->used.load(std::memory_order_relaxed);
  return (blocks_.size() - 1) * kBlockBytes + std::min(used, kBlockBytes);
}

}  // namespace contentseen
