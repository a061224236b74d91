#include "contentseen/hamming/hamming_bag.h"

#include <algorithm>
#include <new>

namespace contentseen {
namespace {

constexpr std::size_t kLine = 64;

}  // namespace

HammingBag::~HammingBag() {
  Chunk* chunk = newest_.load(std::memory_order_acquire);
  while (chunk != nullptr) {
    Chunk* older = chunk->older;
    ::operator delete (chunk, std::align_val_t{kLine});
    chunk = older;
  }
}

std::size_t HammingBag::Append(std::uint64_t fingerprint) {
  Chunk* chunk = newest_.load(std::memory_order_relaxed);
  std::size_t taken = 0;
  if (chunk == nullptr || chunk->count.load(std::memory_order_relaxed) == chunk->capacity) {
    taken = kLine;
    if (chunk != nullptr) {
      std::size_t bytes = sizeof(Chunk) + chunk->capacity * sizeof(std::uint64_t);
      taken = std::min(2 * bytes, kChunkBytesMax);
    }
    void* memory = ::operator new (taken, std::align_val_t{kLine});
    auto capacity = static_cast<std::uint32_t>((taken - sizeof(Chunk)) / sizeof(std::uint64_t));
    chunk = new (memory) Chunk{chunk, capacity, {0}};
    newest_.store(chunk, std::memory_order_release);
  }
  std::uint32_t count = chunk->count.load(std::memory_order_relaxed);
  new (chunk->words() + count) std::uint64_t(fingerprint);
  chunk->count.store(count + 1, std::memory_order_release);
  return taken;
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
