#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "base/mutex.h"
#include "contentseen/digest.h"
#include "contentseen/image.h"
#include "contentseen/mix.h"

namespace contentseen {

/// How many slots a shard of `slots` of them needs for `entries`: a power of two.
std::size_t DigestMapSlots(std::size_t slots, std::size_t entries);

/// A growing map from keys of 128 (or 64) bits to small values; entries are never removed.
///
///     DigestMap<DocumentId> texts(seed);
///     texts.Insert(digest.Key(), id);
///     std::optional<DocumentId> original = texts.Find(digest.Key());
///
/// Open addressing in 64 shards, each under a mutex of its own. A slot holds the position of an
/// entry in an entry list, so growing moves positions only, and in the bits that positions leave
/// free a part of the hash: on the way to its own slot a key reads hardly any entry of others.
/// Slots are chosen under a secret seed: who cannot see it cannot aim keys at one slot.
///
/// Thread safety: all methods, at once; each is atomic, InsertBatch for each entry.
/// Cost: a cache miss or two; in a batch they overlap. Memory: the entry and about 9 bytes.
template <class Value, class Key = Key128>
class DigestMap {
 public:
  struct Entry {
    Key key;
    Value value;
  };

  /// `expected`: how many entries there will be, 0 where unknown: a hint that saves growing, for
  /// 6 to 12 bytes each from the beginning.
  explicit DigestMap(std::uint64_t seed, std::uint64_t expected = 0) : seed_(seed) {
    if (expected == 0) return;
    for (Shard& shard : shards_) {
      base::MutexLock lock(shard.mutex);
      Reserve(shard, expected / kShards);
    }
  }

  std::optional<Value> Find(const Key& key) const {
    const std::uint64_t hash = Hash(key);
    const Shard& shard = shards_[hash % kShards];
    base::MutexLock lock(shard.mutex);
    if (shard.slots.empty()) return std::nullopt;
    const std::uint32_t slot = shard.slots[shard.SlotOf(key, hash)];
    if (slot == kFree) return std::nullopt;
    return shard.At(slot).value;
  }

  /// False, and nothing changed, when the key is there already.
  bool Insert(const Key& key, const Value& value) {
    const std::uint64_t hash = Hash(key);
    Shard& shard = shards_[hash % kShards];
    base::MutexLock lock(shard.mutex);
    Reserve(shard, shard.entries.size() + 1);
    const std::size_t slot = shard.SlotOf(key, hash);
    if (shard.slots[slot] != kFree) return false;
    shard.Add(slot, hash, {key, value});
    return true;
  }

  /// Insert for each; cache misses overlap from some thousand entries on. Where a key is there
  /// already, its value becomes the new one if `precedes(new value, old value)`: so what is there
  /// at the end does not depend on the order of entries.
  template <class Precedes>
  void InsertBatch(std::span<const Entry> batch, Precedes precedes) {
    const Grouped grouped = GroupByShard(batch);
    for (std::size_t i = 0; i < kShards; ++i) {
      const std::span<const Place> places = grouped.Of(i);
      if (places.empty()) continue;
      Shard& shard = shards_[i];
      base::MutexLock lock(shard.mutex);
      Reserve(shard, shard.entries.size() + places.size());
      for (const Place& place : places) {
        __builtin_prefetch(&shard.slots[shard.HomeOf(place.hash)], 1);
      }
      for (const Place& place : places) {
        const Entry& entry = batch[place.position];
        const std::size_t slot = shard.SlotOf(entry.key, place.hash);
        if (shard.slots[slot] == kFree) {
          shard.Add(slot, place.hash, entry);
        } else if (Value& value = shard.At(shard.slots[slot]).value;
                   precedes(entry.value, value)) {
          value = entry.value;
        }
      }
    }
  }

  /// For entries without padding.
  void Save(ImageWriter& image) const {
    std::vector<Entry> some;
    for (const Shard& shard : shards_) {
      base::MutexLock lock(shard.mutex);
      image.Put(std::uint64_t{shard.entries.size()});
      for (std::size_t i = 0; i < shard.entries.size(); i += some.size()) {
        const auto from = shard.entries.begin() + static_cast<std::ptrdiff_t>(i);
        some.assign(from, from + static_cast<std::ptrdiff_t>(
                                     std::min(kSavedAtOnce, shard.entries.size() - i)));
        image.Put(std::span<const Entry>(some));
      }
    }
  }

  /// Takes back what a map with the same seed saved; false where that cannot be. REQUIRES: an
  /// empty map, of which nobody else knows.
  bool Load(ImageReader& image) {
    std::vector<Entry> some;
    for (Shard& shard : shards_) {
      base::MutexLock lock(shard.mutex);
      std::uint64_t entries = 0;
      if (!image.Take(entries) || entries > kEntriesMax) return false;
      Reserve(shard, entries);
      for (std::size_t i = 0; i < entries; i += some.size()) {
        some.resize(std::min(kSavedAtOnce, entries - i));
        if (!image.Take(std::span(some))) return false;
        shard.entries.insert(shard.entries.end(), some.begin(), some.end());
        PlaceEntries(shard, i);
      }
    }
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
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint64_t kEntriesMax =
      std::uint64_t{std::numeric_limits<std::uint32_t>::max()} / 4 * 3;
  // Entries; small enough for the near caches.
  static constexpr std::size_t kSavedAtOnce = 4'096;

  struct Shard {
    std::size_t Mask() const REQUIRES(mutex) { return slots.size() - 1; }
    std::size_t HomeOf(std::uint64_t hash) const REQUIRES(mutex) {
      return (hash / kShards) & Mask();
    }
    // Bits of a hash that no address is made of, in the place that positions leave free.
    std::uint32_t TagOf(std::uint64_t hash) const REQUIRES(mutex) {
      return static_cast<std::uint32_t>(hash >> 32) & ~static_cast<std::uint32_t>(Mask());
    }
    Entry& At(std::uint32_t slot) REQUIRES(mutex) { return entries[(slot & Mask()) - 1]; }
    const Entry& At(std::uint32_t slot) const REQUIRES(mutex) {
      return entries[(slot & Mask()) - 1];
    }
    // The slot that holds `key`, or the free one where it belongs. Slots are a power of two.
    std::size_t SlotOf(const Key& key, std::uint64_t hash) const REQUIRES(mutex) {
      const std::uint32_t tag = TagOf(hash);
      std::size_t at = HomeOf(hash);
      for (;; at = (at + 1) & Mask()) {
        const std::uint32_t slot = slots[at];
        if (slot == kFree) return at;
        if ((slot & ~static_cast<std::uint32_t>(Mask())) == tag && At(slot).key == key) return at;
      }
    }
    void Add(std::size_t at, std::uint64_t hash, const Entry& entry) REQUIRES(mutex) {
      entries.push_back(entry);
      slots[at] = TagOf(hash) | static_cast<std::uint32_t>(entries.size());
    }

    mutable base::Mutex mutex;
    // Free, or a tag and 1 + the position of an entry: under three quarters of the slots are
    // taken.
    std::vector<std::uint32_t> slots GUARDED_BY(mutex);
    std::deque<Entry> entries GUARDED_BY(mutex);
  };

  // An entry of a batch.
  struct Place {
    std::uint64_t hash = 0;
    std::size_t position = 0;
  };
  // Those of shard i stand from begin[i] to begin[i + 1], in the batch's order.
  struct Grouped {
    std::vector<Place> places;
    std::array<std::size_t, kShards + 1> begin{};

    std::span<const Place> Of(std::size_t shard) const {
      return std::span(places).subspan(begin[shard], begin[shard + 1] - begin[shard]);
    }
  };

  Grouped GroupByShard(std::span<const Entry> batch) const {
    Grouped grouped;
    std::vector<std::uint64_t> hashes(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      hashes[i] = Hash(batch[i].key);
      ++grouped.begin[hashes[i] % kShards + 1];
    }
    std::partial_sum(grouped.begin.begin(), grouped.begin.end(), grouped.begin.begin());
    grouped.places.resize(batch.size());
    auto next = grouped.begin;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      grouped.places[next[hashes[i] % kShards]++] = {hashes[i], i};
    }
    return grouped;
  }

  std::uint64_t Hash(const Key& key) const {
    if constexpr (std::is_same_v<Key, Key128>) {
      return Mix64(Mix64(key.low ^ seed_) + key.high);
    } else {
      return Mix64(Mix64(key ^ seed_));
    }
  }

  // Makes room for `entries` in all.
  void Reserve(Shard& shard, std::size_t entries) REQUIRES(shard.mutex) {
    if (entries <= shard.slots.size() / 4 * 3) return;
    shard.slots.assign(DigestMapSlots(shard.slots.size(), entries), kFree);
    PlaceEntries(shard, 0);
  }

  // Finds slots for the entries from `first` on, which have none and whose keys are all different.
  // Cache misses overlap.
  void PlaceEntries(Shard& shard, std::size_t first) REQUIRES(shard.mutex) {
    std::array<std::uint64_t, 32> hashes;
    for (std::size_t from = first; from < shard.entries.size(); from += hashes.size()) {
      const std::size_t some = std::min(hashes.size(), shard.entries.size() - from);
      for (std::size_t i = 0; i < some; ++i) {
        hashes[i] = Hash(shard.entries[from + i].key);
        __builtin_prefetch(&shard.slots[shard.HomeOf(hashes[i])], 1);
      }
      for (std::size_t i = 0; i < some; ++i) {
        std::size_t at = shard.HomeOf(hashes[i]);
        while (shard.slots[at] != kFree) at = (at + 1) & shard.Mask();
        shard.slots[at] = shard.TagOf(hashes[i]) | static_cast<std::uint32_t>(from + i + 1);
      }
    }
  }

  const std::uint64_t seed_;
  std::array<Shard, kShards> shards_;
};

}  // namespace contentseen
