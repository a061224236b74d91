#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "contentseen/image.h"
#include "contentseen/reserved_memory.h"

namespace contentseen {

/// On how many of a host's documents does a shingle stand? A count-min sketch (Cormode,
/// Muthukrishnan, J. Algorithms 2005) of bounded size, filled from samples. Both counters of a
/// hash are in one cache line, as in a blocked Bloom filter (Putze, Sanders, Singler, WEA 2007).
///
/// A document is known by a sample of its shingles: those whose 32-bit hash is under a bound of
/// its own (a short document's sample reaches further up). So what is counted of a hash is related
/// to the number of those documents whose samples reached it.
///
///     sketch.Add(host, sample, bound);                 // a document was admitted, or teaches
///     HostSketch::Reader host(sketch, key);            // while the next is signed
///     if (host.IsCommon(hash)) ...                     // the template's, not the page's
///
/// Forgets: two generations of counters; when the younger one is full the older is emptied and
/// becomes the younger. So what counts are the latest documents: in 16 MiB one to two million
/// hashes, which are 7,600 to 15,000 documents of 136 hashes, half as many of 256. For a host to
/// be known, four of its documents must be among these.
///
/// Promises: used by one thread its answers depend on nothing but the calls before. Counts err
/// upwards only (collisions), but for increments that threads lose to one another; an answer is a
/// weight, never a verdict.
///
/// Thread safety: all methods, at once, without locks. Cost: a cache miss a hash. Memory: as
/// given.
class HostSketch {
 public:
  /// REQUIRES: bytes is a power of two, at least kBytesMin. `seed` is a secret of the crawl.
  /// Throws std::bad_alloc where the system refuses the memory.
  HostSketch(std::size_t bytes, std::uint64_t seed);

  static constexpr std::size_t kBytesMin = std::size_t{1} << 12;
  /// Common is what stands on at least this many documents, and on one in kShareMin, of a host
  /// with at least kDocumentsMin. Counting ends at 255, of documents too: on a larger host what
  /// stands on 26 is common.
  static constexpr std::uint32_t kCommonMin = 3;
  static constexpr std::uint32_t kShareMin = 10;
  static constexpr std::uint32_t kDocumentsMin = 4;

  /// The bound of a sample that is all there is.
  static constexpr std::uint32_t kNoBound = std::numeric_limits<std::uint32_t>::max();

  /// Counts a document of `host`: `sample` are its hashes under `bound`, each once.
  void Add(std::uint64_t host, std::span<const std::uint32_t> sample, std::uint32_t bound);

  /// Counts the words of a page's title, each once; be the page admitted or not.
  void AddTitle(std::uint64_t host, std::span<const std::uint32_t> words);

  /// Whether a title with this word was counted, as far back as is remembered; seldom said of one
  /// that was not.
  bool KnowsTitleWord(std::uint64_t host, std::uint32_t word) const;

  /// What is known of one host at this moment. Thread safety: one thread at a time.
  class Reader {
   public:
    Reader(const HostSketch& sketch, std::uint64_t host);
    /// Too few documents to tell: nothing is common.
    bool knows_nothing() const { return documents_.empty(); }
    bool IsCommon(std::uint32_t hash) const;
    /// The same of words, on titles.
    bool knows_titles() const { return titles_ >= kDocumentsMin; }
    bool IsCommonInTitles(std::uint32_t word) const;
    /// Asks for what IsCommon() will read.
    void Prefetch(std::uint32_t hash) const;
    /// Of hashes from here on too few documents tell: none of them is common.
    std::uint32_t known_end() const;

   private:
    std::uint64_t KeyOf(std::uint64_t what) const;
    bool IsCommonOf(std::uint32_t documents, std::uint64_t what) const;

    const HostSketch& sketch_;
    const std::uint64_t host_;
    // documents_[i]: those whose bound lies above level i; empty where too few are known.
    std::vector<std::uint32_t> documents_;
    const std::uint32_t titles_;
  };

  void Save(ImageWriter& image) const;
  /// Takes back what a sketch of the same size and seed saved; false where that cannot be.
  /// REQUIRES: nothing was added, and nobody else knows it.
  bool Load(ImageReader& image);

  std::size_t memory_bytes() const { return memory_.size(); }

 private:
  static constexpr std::size_t kRows = 2;
  static constexpr std::size_t kRowCells = 16;
  static constexpr std::size_t kGenerations = 2;
  // Relaxed: each counter stands for itself, and nothing is published through it.
  using Counter = std::atomic<std::uint8_t>;
  // Both generations side by side.
  struct Cell {
    std::array<Counter, kGenerations> counts;
  };
  // A hash has one cell in each row.
  struct alignas(64) Line {
    std::array<std::array<Cell, kRowCells>, kRows> rows;
  };
  static_assert(sizeof(Line) == 64 && Counter::is_always_lock_free);
  struct Place {
    Line& line;
    std::array<std::size_t, kRows> cells;
  };

  // Hashes and bounds on a scale of half octaves.
  static constexpr std::uint32_t kLevels = 66;
  static std::uint32_t LevelOf(std::uint32_t hash);
  // The least hash of a level, or the greatest of all where it has none.
  static std::uint32_t LevelBegin(std::uint32_t level);

  Place PlaceOf(std::uint64_t key) const;
  void Prefetch(std::uint64_t key) const { __builtin_prefetch(&PlaceOf(key).line); }
  void Count(std::uint64_t key);
  std::uint32_t Estimate(std::uint64_t key) const;
  void Age();

  const ReservedMemory memory_;
  const std::span<Line> lines_;  // a power of two
  const std::uint64_t seed_;
  // Relaxed: who draws the turning number turns.
  std::atomic<std::uint64_t> counted_{0};
  std::atomic<std::uint32_t> young_{0};
};

}  // namespace contentseen
