#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "contentseen/document_id.h"
#include "contentseen/fingerprint.h"

namespace contentseen {

/// Finds the nearest of many fingerprints within a few bits, exactly.
///
///     BlockIndex index;
///     index.Insert(fingerprint, document);
///     std::optional<BlockIndex::Neighbor> near = index.FindNearest(query, 3);
///
/// Four tables, one for each 16-bit block of the fingerprint (Manku, Jain, Das Sarma, WWW 2007,
/// section 3: for up to some ten million fingerprints). Two fingerprints at distance <= k agree up
/// to t_i bits in some block i, where t_i = floor((k - 3 + i) / 4), by the general pigeonhole
/// principle (Qin et al., ICDE 2018); so block i is looked up under every value within t_i bits.
///
/// Thread safety: all methods, at once; what was inserted before a call began is found by it.
/// Cost: a query is 4 look-ups at k = 3, 308 at k = 10, and reads N / 2^14 entries at k = 3.
/// Memory: 64 bytes a fingerprint and more.
class BlockIndex {
 public:
  struct Neighbor {
    DocumentId document = kNoDocument;
    Fingerprint fingerprint = 0;
    int distance = 0;
  };

  void Insert(Fingerprint fingerprint, DocumentId document);

  /// The nearest at distance <= k, of equally near ones the smallest id. REQUIRES: 0 <= k <= 10.
  std::optional<Neighbor> FindNearest(Fingerprint query, int k) const;

  std::size_t size() const;
  std::size_t memory_bytes() const;

 private:
  static constexpr int kBlocks = 4;
  static constexpr int kBlockBits = 16;
  static constexpr std::size_t kShards = 64;

  struct Entry {
    Fingerprint fingerprint;
    DocumentId document;
  };
  struct Shard {
    mutable base::Mutex mutex;
    std::unordered_map<std::uint16_t, std::vector<Entry>> buckets GUARDED_BY(mutex);
    std::size_t entries GUARDED_BY(mutex) = 0;
  };

  static std::uint16_t BlockOf(Fingerprint fingerprint, int block) {
    return static_cast<std::uint16_t>(fingerprint >> (block * kBlockBits));
  }
  Shard& ShardOf(int block, std::uint16_t value) {
    return shards_[static_cast<std::size_t>(block)][value % kShards];
  }
  const Shard& ShardOf(int block, std::uint16_t value) const {
    return shards_[static_cast<std::size_t>(block)][value % kShards];
  }
  // Looks through the bucket of `value`, then those of values that differ from it in up to `flips`
  // more bits, all at or above `lowest_bit`.
  void Probe(int block, std::uint16_t value, int lowest_bit, int flips, Fingerprint query, int k,
             std::optional<Neighbor>& best) const;

  std::array<std::array<Shard, kShards>, kBlocks> shards_;
};

}  // namespace contentseen
