#include "contentseen/block_index.h"

#include "base/check.h"

namespace contentseen {

void BlockIndex::Insert(Fingerprint fingerprint, DocumentId document) {
  for (int block = 0; block < kBlocks; ++block) {
    const std::uint16_t value = BlockOf(fingerprint, block);
    Shard& shard = ShardOf(block, value);
    base::MutexLock lock(shard.mutex);
    shard.buckets[value].push_back({fingerprint, document});
    ++shard.entries;
  }
}

std::optional<BlockIndex::Neighbor> BlockIndex::FindNearest(Fingerprint query, int k) const {
  CHECK(k >= 0 && k <= 10);
  std::optional<Neighbor> best;
  for (int block = 0; block < kBlocks; ++block) {
    // Rounded down, also below zero: then the block need not be looked at.
    const int numerator = k - kBlocks + 1 + block;
    if (numerator < 0) continue;
    Probe(block, BlockOf(query, block), 0, numerator / kBlocks, query, k, best);
  }
  return best;
}

void BlockIndex::Probe(int block, std::uint16_t value, int lowest_bit, int flips,
                       Fingerprint query, int k, std::optional<Neighbor>& best) const {
  {
    const Shard& shard = ShardOf(block, value);
    base::MutexLock lock(shard.mutex);
    const auto bucket = shard.buckets.find(value);
    if (bucket != shard.buckets.end()) {
      for (const Entry& entry : bucket->second) {
        const int distance = Distance(query, entry.fingerprint);
        if (distance > k) continue;
        if (!best || distance < best->distance ||
            (distance == best->distance && entry.document < best->document)) {
          best = Neighbor{entry.document, entry.fingerprint, distance};
        }
      }
    }
  }
  if (flips == 0) return;
  for (int bit = lowest_bit; bit < kBlockBits; ++bit) {
    const auto flipped = static_cast<std::uint16_t>(value ^ 1u << bit);
    Probe(block, flipped, bit + 1, flips - 1, query, k, best);
  }
}

std::size_t BlockIndex::size() const {
  std::size_t sum = 0;
  for (const Shard& shard : shards_[0]) {
    base::MutexLock lock(shard.mutex);
    sum += shard.entries;
  }
  return sum;
}

std::size_t BlockIndex::memory_bytes() const {
  std::size_t sum = sizeof *this;
  for (const auto& block : shards_) {
    for (const Shard& shard : block) {
      base::MutexLock lock(shard.mutex);
      for (const auto& [value, entries] : shard.buckets) {
        sum += entries.capacity() * sizeof(Entry) + 64;  // and a map node
      }
    }
  }
  return sum;
}

}  // namespace contentseen
