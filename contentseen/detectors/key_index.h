#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "base/mutex.h"
#include "contentseen/image.h"

namespace contentseen {

/// A growing map from 64-bit keys to lists of 32-bit values: which documents share a key?
///
///     index.Insert(key, place);
///     index.Find(key, &places);   // appended
///
/// Open addressing in 64 shards, each under a mutex of its own. Slots are chosen under a secret
/// seed. A list of one, which nearly all are, takes no memory of its own. A list keeps its first
/// `values_max` values and no more: what everybody shares tells nobody from another.
///
/// Thread safety: all methods, at once; each is atomic. Cost: a cache miss or two, then one a
/// value. Memory: about 25 bytes a key, and 8 a value where a key has several.
class KeyIndex {
 public:
  static constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();

  /// REQUIRES: values_max > 0.
  explicit KeyIndex(std::uint64_t seed, std::uint32_t values_max = kUnbounded)
      : seed_(seed), values_max_(values_max) {}

  /// A value may be inserted again; it is then found twice. Does nothing where the list is full.
  void Insert(std::uint64_t key, std::uint32_t value);
  /// Appends the values of `key` to `values`, in no order.
  void Find(std::uint64_t key, std::vector<std::uint32_t>* values) const;
  /// How many values Find() would append.
  std::size_t Count(std::uint64_t key) const;

  void Save(ImageWriter& image) const;
  /// Takes back what an index with the same seed saved; false where that cannot be. REQUIRES: an
  /// empty index, of which nobody else knows.
  bool Load(ImageReader& image);

  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kShards = 64;
  static constexpr std::size_t kSlotsMin = 16;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct List {
    std::uint64_t key;
    std::uint32_t count;
    // The value where there is one, else the position of the newest link.
    std::uint32_t front;
  };
  struct Link {
    std::uint32_t value;
    std::uint32_t older;  // kNone at the end
  };

  struct Shard {
    // The slot that holds `key`, or the free one where it belongs. Slots are a power of two.
    std::size_t SlotOf(std::uint64_t key, std::uint64_t hash) const REQUIRES(mutex);
    // Nothing when no value has this key.
    const List* ListOf(std::uint64_t key, std::uint64_t hash) const REQUIRES(mutex);
    std::uint32_t NewLink(Link link) REQUIRES(mutex);

    mutable base::Mutex mutex;
    std::vector<std::uint32_t> slots GUARDED_BY(mutex);
    std::deque<List> lists GUARDED_BY(mutex);
    std::deque<Link> links GUARDED_BY(mutex);
  };

  std::uint64_t Hash(std::uint64_t key) const;
  void Grow(Shard& shard) REQUIRES(shard.mutex);

  const std::uint64_t seed_;
  const std::uint32_t values_max_;
  std::array<Shard, kShards> shards_;
};

}  // namespace contentseen
