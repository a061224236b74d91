#include "frontier/url_seen.h"

#include <xxhash.h>

#include <algorithm>
#include <atomic>

#include "base/mutex.h"

namespace frontier {
namespace {

constexpr std::size_t kFirstCapacity = 64;
constexpr std::uint64_t kEmpty = 0;

/// Where `hash` belongs in a table of `capacity` places: the high bits of a product, so that any
/// capacity serves, not only powers of two (Lemire 2019, "Fast random integer generation in an
/// interval"). It uses the high bits of the hash; the shard is chosen by the low ones.
std::size_t Home(std::uint64_t hash, std::size_t capacity) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>((Wide{hash} * capacity) >> 64);
}

}  // namespace

/// An open-addressed table with linear probing; 0 marks an empty place. It grows by half when four
/// fifths are full, so that between 8/15 and 4/5 of the places are used: 10 to 15 bytes a hash.
class alignas(64) UrlSeen::Shard {
 public:
  /// Makes it shard `number`; before anything else. Each begins with a capacity of its own, from
  /// kFirstCapacity to half as much again: all have the same number of hashes, give or take a few,
  /// so with one capacity all would grow at the same time, and the whole by half at once.
  void BeginAs(std::size_t number) {
    base::MutexLock lock(mutex_);
    Allocate(kFirstCapacity + kFirstCapacity * number / (2 * kShards));
  }

  bool Insert(std::uint64_t hash) {
    base::MutexLock lock(mutex_);
    std::size_t at = Find(hash);
    if (places_[at] == hash) return false;
    if ((size_ + 1) * 5 > capacity_ * 4) {
      Grow();
      at = Find(hash);
    }
    places_[at] = hash;
    ++size_;
    return true;
  }

  bool Contains(std::uint64_t hash) const {
    base::MutexLock lock(mutex_);
    return places_[Find(hash)] == hash;
  }

  void Prefetch(std::uint64_t hash) const {
    // Relaxed, and perhaps of a table just freed or of mixed generations: a prefetch reads nothing
    // and cannot fault.
    std::uintptr_t places = shown_places_.load(std::memory_order_relaxed);
    std::size_t capacity = shown_capacity_.load(std::memory_order_relaxed);
    // A number, because arithmetic on a pointer to freed memory is undefined.
    std::uintptr_t place = places + Home(hash, capacity) * sizeof(std::uint64_t);
    __builtin_prefetch(reinterpret_cast<const void*>(place), 1);  // NOLINT
  }

  std::size_t size() const {
    base::MutexLock lock(mutex_);
    return size_;
  }
  std::size_t bytes() const {
    base::MutexLock lock(mutex_);
    return capacity_ * sizeof(std::uint64_t);
  }

 private:
  /// The place of `hash`, or the empty one where it would be put.
  std::size_t Find(std::uint64_t hash) const REQUIRES(mutex_) {
    std::size_t at = Home(hash, capacity_);
    while (places_[at] != kEmpty && places_[at] != hash) {
      if (++at == capacity_) at = 0;
    }
    return at;
  }

  void Grow() REQUIRES(mutex_) {
    const std::size_t old_capacity = capacity_;
    const std::unique_ptr<std::uint64_t[]> old = std::move(places_);
    Allocate(old_capacity + old_capacity / 2);
    // In order of place is in order of hash: the new table is written from front to back.
    for (std::size_t i = 0; i < old_capacity; ++i) {
      if (old[i] != kEmpty) places_[Find(old[i])] = old[i];
    }
  }

  void Allocate(std::size_t capacity) REQUIRES(mutex_) {
    capacity_ = capacity;
    places_ = std::make_unique<std::uint64_t[]>(capacity);
    shown_places_.store(reinterpret_cast<std::uintptr_t>(places_.get()),
                        std::memory_order_relaxed);
    shown_capacity_.store(capacity_, std::memory_order_relaxed);
  }

  mutable base::Mutex mutex_;
  std::size_t capacity_ GUARDED_BY(mutex_) = 0;
  std::size_t size_ GUARDED_BY(mutex_) = 0;
  std::unique_ptr<std::uint64_t[]> places_ GUARDED_BY(mutex_);
  // Copies of the two above for Prefetch, which takes no lock; relaxed, see there.
  std::atomic<std::uintptr_t> shown_places_{0};
  std::atomic<std::size_t> shown_capacity_{0};
};

UrlSeen::UrlSeen(std::uint64_t key) : key_(key), shards_(std::make_unique<Shard[]>(kShards)) {
  for (std::size_t i = 0; i < kShards; ++i) shards_[i].BeginAs(i);
}

UrlSeen::~UrlSeen() = default;

std::uint64_t UrlSeen::Hash(const Url& url, As as) const {
  std::uint64_t hash = XXH3_64bits_withSeed(url.text().data(), url.text().size(), key_);
  hash ^= static_cast<std::uint64_t>(as) << 32;  // far from the bits of the shard
  return hash == kEmpty ? 1 : hash;
}

void UrlSeen::Prefetch(std::uint64_t hash) const { shards_[hash % kShards].Prefetch(hash); }

bool UrlSeen::ContainsHash(std::uint64_t hash) const {
  return shards_[hash % kShards].Contains(std::max<std::uint64_t>(hash, 1));
}

bool UrlSeen::InsertHash(std::uint64_t hash) {
  return shards_[hash % kShards].Insert(std::max<std::uint64_t>(hash, 1));
}

std::size_t UrlSeen::size() const {
  std::size_t size = 0;
  for (std::size_t i = 0; i < kShards; ++i) size += shards_[i].size();
  return size;
}

std::size_t UrlSeen::bytes() const {
  std::size_t bytes = sizeof(*this) + kShards * sizeof(Shard);
  for (std::size_t i = 0; i < kShards; ++i) bytes += shards_[i].bytes();
  return bytes;
}

}  // namespace frontier
