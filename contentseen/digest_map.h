#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "contentseen/digest.h"
#include "contentseen/mix.h"

namespace contentseen {

/// A growing map from keys of 128 (or 64) bits to small values; entries are never removed or
/// changed.
///
///     DigestMap<DocumentId> texts(seed);
///     texts.Insert(digest.Key(), id);
///     std::optional<DocumentId> original = texts.Find(digest.Key());
///
/// Open addressing in 64 shards, each under a mutex of its own; slots hold 32-bit positions in an
/// entry list, so growing moves positions only. Slots are chosen under a secret seed: who cannot
/// see it cannot aim keys at one slot.
///
/// Thread safety: all methods, at once; each is atomic.
/// Cost: a cache miss or two. Memory: the entry and about 9 bytes.
template <class Value, class Key = Key128>
class DigestMap {
 public:
  explicit DigestMap(std::uint64_t seed) : seed_(seed) {}

  std::optional<Value> Find(const Key& key) const {
    const std::uint64_t hash = Hash(key);
    const Shard& shard = shards_[hash % kShards];
    base::MutexLock lock(shard.mutex);
    if (shard.slots.empty()) return std::nullopt;
    const std::uint32_t position = shard.slots[shard.SlotOf(key, hash)];
    if (position == kFree) return std::nullopt;
    return shard.entries[position].value;
  }

  /// False, and nothing changed, when the key is there already.
  bool Insert(const Key& key, const Value& value) {
    const std::uint64_t hash = Hash(key);
    Shard& shard = shards_[hash % kShards];
    base::MutexLock lock(shard.mutex);
    if (shard.entries.size() + 1 > shard.slots.size() / 4 * 3) Grow(shard);
    const std::size_t slot = shard.SlotOf(key, hash);
    if (shard.slots[slot] != kFree) return false;
    CHECK(shard.entries.size() < kFree);
    shard.slots[slot] = static_cast<std::uint32_t>(shard.entries.size());
    shard.entries.push_back({key, value});
    return true;
  }

  std::size_t size() const {
    std::size_t sum = 0;
    for (const Shard& shard : shards_) {
      base::MutexLock lock(shard.mutex);
      sum += shard.entries.size();
    }
    return sum;
  }

  std::size_t memory_bytes() const {
    std::size_t sum = sizeof *this;
    for (const Shard& shard : shards_) {
      base::MutexLock lock(shard.mutex);
      sum += shard.entries.size() * sizeof(Entry) + shard.slots.capacity() * sizeof(std::uint32_t);
    }
    return sum;
  }

 private:
  static constexpr std::size_t kShards = 64;
  static constexpr std::size_t kSlotsMin = 16;
  static constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

  struct Entry {
    Key key;
    Value value;
  };

  struct Shard {
    // The slot that holds `key`, or the free one where it belongs. Slots are a power of two.
    std::size_t SlotOf(const Key& key, std::uint64_t hash) const REQUIRES(mutex) {
      const std::size_t mask = slots.size() - 1;
      std::size_t slot = (hash / kShards) & mask;
      while (slots[slot] != kFree && entries[slots[slot]].key != key) slot = (slot + 1) & mask;
      return slot;
    }

    mutable base::Mutex mutex;
    std::vector<std::uint32_t> slots GUARDED_BY(mutex);
    std::deque<Entry> entries GUARDED_BY(mutex);
  };

  std::uint64_t Hash(const Key& key) const {
    if constexpr (std::is_same_v<Key, Key128>) {
      return Mix64(Mix64(key.low ^ seed_) + key.high);
    } else {
      return Mix64(Mix64(key ^ seed_));
    }
  }

  void Grow(Shard& shard) REQUIRES(shard.mutex) {
    shard.slots.assign(shard.slots.empty() ? kSlotsMin : shard.slots.size() * 2, kFree);
    for (std::size_t i = 0; i < shard.entries.size(); ++i) {
      const Key& key = shard.entries[i].key;
      shard.slots[shard.SlotOf(key, Hash(key))] = static_cast<std::uint32_t>(i);
    }
  }

  const std::uint64_t seed_;
  std::array<Shard, kShards> shards_;
};

}  // namespace contentseen
