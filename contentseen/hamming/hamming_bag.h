#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "contentseen/hamming/hamming_arena.h"
#include "contentseen/hamming/hamming_scan.h"

namespace contentseen {

/// A list of fingerprints that only grows, in chunks of one cache line, two, four, ...
///
/// Thread safety: one thread appends (the caller sees to it), any number read at the same time and
/// never wait. Ownership: its chunks are the arena's. Cost: 64 bytes for one to six fingerprints,
/// 192 for up to twenty, 448 for up to fifty.
class HammingBag {
 public:
  /// A chunk has twice as many bytes as the one before it, two words of them for itself.
  static constexpr std::size_t kChunkBytesMin = HammingArena::kLine;
  static constexpr std::size_t kChunkBytesMax = HammingArena::kPieceMax;
  /// How many fingerprints are in one of so many bytes.
  static constexpr std::uint32_t Capacity(std::size_t chunk_bytes) {
    return static_cast<std::uint32_t>((chunk_bytes - sizeof(Chunk)) / sizeof(std::uint64_t));
  }

  HammingBag() = default;
  HammingBag(const HammingBag&) = delete;
  HammingBag& operator=(const HammingBag&) = delete;

  /// REQUIRES: always the same arena, which outlives it.
  void Append(std::uint64_t fingerprint, HammingArena& arena);

  /// visit(fingerprint) -> bool for each within `k` of `query`; false as soon as a visit is.
  template <class Visit>
  bool VisitWithin(const HammingKernels& kernels, std::uint64_t query, unsigned k,
                   Visit&& visit) const {
    for (const Chunk* chunk = newest_.load(std::memory_order_acquire); chunk != nullptr;
         chunk = chunk->older) {
      std::uint64_t count = chunk->count.load(std::memory_order_acquire);
      const std::uint64_t* words = chunk->words();
      for (std::uint64_t i = 0; i < count; ++i) {
        i += kernels.scan_words(words + i, count - i, query, k);
        if (i < count && !visit(words[i])) return false;
      }
    }
    return true;
  }

  bool Contains(const HammingKernels& kernels, std::uint64_t fingerprint) const {
    return !VisitWithin(kernels, fingerprint, 0, [](std::uint64_t) { return false; });
  }

  /// visit(fingerprint) for each.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    for (const Chunk* chunk = newest_.load(std::memory_order_acquire); chunk != nullptr;
         chunk = chunk->older) {
      std::uint64_t count = chunk->count.load(std::memory_order_acquire);
      for (std::uint64_t i = 0; i < count; ++i) visit(chunk->words()[i]);
    }
  }

  std::uint64_t size() const;
  /// Whether it has come to its largest chunks, beyond some eight thousand fingerprints. At once.
  bool large() const {
    const Chunk* newest = newest_.load(std::memory_order_acquire);
    return newest != nullptr && newest->capacity == Capacity(kChunkBytesMax);
  }

  /// Asks the processor to fetch what a visit reads first.
  void Prefetch() const { __builtin_prefetch(newest_.load(std::memory_order_relaxed)); }

 private:
  struct Chunk {
    Chunk* older;
    std::uint32_t capacity;
    // Released after the word it covers is written; words never change afterwards.
    std::atomic<std::uint32_t> count;
    std::uint64_t* words() { return reinterpret_cast<std::uint64_t*>(this + 1); }
    const std::uint64_t* words() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
  };
  static_assert(sizeof(Chunk) == 16);

  // Released when the chunk is complete.
  std::atomic<Chunk*> newest_{nullptr};
};

}  // namespace contentseen
