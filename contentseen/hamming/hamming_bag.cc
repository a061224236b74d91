#include "contentseen/hamming/hamming_bag.h"

#include <algorithm>
#include <new>

namespace contentseen {

void HammingBag::Append(std::uint64_t fingerprint, HammingArena& arena) {
  Chunk* chunk = newest_.load(std::memory_order_relaxed);
  if (chunk == nullptr || chunk->count.load(std::memory_order_relaxed) == chunk->capacity) {
    std::size_t bytes = kChunkBytesMin;
    if (chunk != nullptr) {
      bytes = sizeof(Chunk) + chunk->capacity * sizeof(std::uint64_t);
      bytes = std::min(2 * bytes, kChunkBytesMax);
    }
    chunk = new (arena.Take(bytes)) Chunk{chunk, Capacity(bytes), {0}};
    newest_.store(chunk, std::memory_order_release);
  }
  std::uint32_t count = chunk->count.load(std::memory_order_relaxed);
  new (chunk->words() + count) std::uint64_t(fingerprint);
  chunk->count.store(count + 1, std::memory_order_release);
}

std::uint64_t HammingBag::size() const {
  std::uint64_t size = 0;
  for (const Chunk* chunk = newest_.load(std::memory_order_acquire); chunk != nullptr;
       chunk = chunk->older) {
    size += chunk->count.load(std::memory_order_acquire);
  }
  return size;
}

}  // namespace contentseen
