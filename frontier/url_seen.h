#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "frontier/url.h"

namespace frontier {

/// Which URLs the crawl has met, as a sharded set of 64-bit keyed hashes.
///
///     UrlSeen seen(random_key);
///     if (seen.Insert(url)) queue.push_back(url);
///
/// Promises: of any number of concurrent Insert calls with one URL exactly one returns true. A URL
/// never met is called seen when its hash collides: n URLs have n²/2^65 such accidents, 0.03 at
/// 10^9. One URL may be met as several things, each remembered by itself. The key keeps pages from
/// aiming at collisions and at long probe chains.
/// Memory: 12 to 13 bytes a URL (from 100,000 URLs on), and a 64th of it more while a shard
/// grows. Thread safety: all methods. Cost: Insert is a hash of the text, one uncontended lock and
/// about one cache miss.
class UrlSeen {
 public:
  /// `key`: random for each crawl, kept with its store.
  explicit UrlSeen(std::uint64_t key);
  ~UrlSeen();
  UrlSeen(const UrlSeen&) = delete;
  UrlSeen& operator=(const UrlSeen&) = delete;

  /// What a URL was met as.
  enum class As : std::uint8_t {
    kPage,
    kSitemap,
    /// What is left of others without their idle parameters; nobody need have met it as a page.
    kForm,
  };

  /// Remembers `url`; true when it was new. One atomic step.
  bool Insert(const Url& url) { return InsertHash(Hash(url)); }

  /// The keyed hash by which `url` is remembered.
  std::uint64_t Hash(const Url& url, As as = As::kPage) const;
  /// Whether it is remembered, by its hash.
  bool ContainsHash(std::uint64_t hash) const;
  /// Asks the memory for the place of `hash`: who looks for it soon after finds it in cache.
  void Prefetch(std::uint64_t hash) const;
  /// Insert for a hash at hand (Hash() of the same key).
  bool InsertHash(std::uint64_t hash);

  /// URLs remembered.
  std::size_t size() const;
  /// Memory held.
  std::size_t bytes() const;

 private:
  class Shard;
  static constexpr std::size_t kShards = 64;

  const std::uint64_t key_;
  const std::unique_ptr<Shard[]> shards_;
};

}  // namespace frontier
