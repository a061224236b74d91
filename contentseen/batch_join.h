#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "contentseen/fingerprint.h"
#include "contentseen/hamming_index.h"

namespace contentseen {

/// Batch queries (Manku, Jain, Das Sarma, WWW 2007, section 3.3): the tables are built over the
/// queries, which fit in memory, and the existing fingerprints, which need not, stream past them.
///
/// For k <= 3 one of four blocks of 16 bits is without error: a line of 64 bytes for each value of
/// each block holds the next block of up to 31 queries with that value, which one vector
/// comparison reduces to those within k there; only these are looked at whole.
///
/// Thread safety: constant after construction. Cost: four lines read a fingerprint; 16 MB and 32
/// bytes a query. REQUIRES: k <= 3.
class JoinTable {
 public:
  JoinTable(std::span<const Fingerprint> queries, unsigned k,
            HammingKernel kernel = HammingKernel::kBest);

  /// visit(existing, query) for every pair within k, once for each of `existing` and each distinct
  /// query.
  template <class Visit>
  void ForEachPair(std::span<const Fingerprint> existing, Visit&& visit) const {
    constexpr std::size_t kAhead = 12;
    for (std::size_t i = 0; i < existing.size(); ++i) {
      if (i + kAhead < existing.size()) Prefetch(existing[i + kAhead]);
      std::uint32_t near[kBlocks];
      if (!Scan(existing[i], near)) continue;
      for (unsigned b = 0; b < kBlocks; ++b) {
        if (near[b] == 0) continue;
        VisitList(existing[i], b, near[b], visit);
      }
    }
  }

 private:
  static constexpr unsigned kBlocks = 4;
  static constexpr unsigned kValues = 1U << 16;
  static constexpr unsigned kSlots = 31;
  // Of a line with more than 31 queries: its list is looked at whole.
  static constexpr std::uint16_t kFull = 0xffff;

  struct alignas(64) Line {
    std::uint16_t next[kSlots];
    std::uint16_t count;
  };

  static std::uint16_t Block(Fingerprint x, unsigned b) {
    return static_cast<std::uint16_t>(x >> (16 * (b % kBlocks)));
  }
  void Prefetch(Fingerprint x) const {
    for (unsigned b = 0; b < kBlocks; ++b) __builtin_prefetch(&lines_[b][Block(x, b)]);
  }
  /// near[b]: the slots of the line for block b that may be near; false if none are.
  bool Scan(Fingerprint x, std::uint32_t (&near)[kBlocks]) const;
  template <class Visit>
  void VisitList(Fingerprint x, unsigned b, std::uint32_t near, Visit&& visit) const {
    std::uint32_t begin = starts_[b][Block(x, b)];
    std::uint32_t end = starts_[b][Block(x, b) + 1U];
    for (std::uint32_t i = begin; i < end; ++i) {
      if (end - begin <= kSlots && (near >> (i - begin) & 1) == 0) continue;
      Fingerprint query = lists_[b][i];
      if (static_cast<unsigned>(Distance(x, query)) > k_) continue;
      bool earlier = false;
      for (unsigned a = 0; a < b; ++a) earlier = earlier || Block(x, a) == Block(query, a);
      if (!earlier) visit(x, query);
    }
  }

  unsigned k_;
  std::uint32_t (*near16_)(const std::uint16_t* words, std::uint16_t word, unsigned k);
  std::vector<Line> lines_[kBlocks];
  // The queries by each block, and where each value's begin.
  std::vector<std::uint32_t> starts_[kBlocks];
  std::vector<Fingerprint> lists_[kBlocks];
};

/// Files of fingerprints: eight bytes each, little-endian, or lines of 16 hex digits.
enum class FingerprintFormat { kByName, kBinary, kHex };

struct JoinOptions {
  /// Largest distance, 0..10.
  unsigned k = 3;
  /// kByName: .hex and .txt are text.
  FingerprintFormat existing = FingerprintFormat::kByName;
  FingerprintFormat queries = FingerprintFormat::kByName;
  /// Pairs as `existing query` a line in hex, or as two times eight bytes.
  FingerprintFormat output = FingerprintFormat::kByName;
  /// Queries in memory at a time; for more the existing file is read again.
  std::uint64_t queries_at_a_time = 2'000'000;
};

struct JoinTotals {
  std::uint64_t existing = 0;
  /// Distinct ones.
  std::uint64_t queries = 0;
  std::uint64_t pairs = 0;
};

/// Writes every pair (existing, query) within k to `output`, ordered by neither. The existing file
/// is streamed and may be larger than memory; for k > 3 the queries are put in a HammingIndex.
base::Result<JoinTotals> JoinFiles(const std::string& existing, const std::string& queries,
                                   const std::string& output, const JoinOptions& options = {});

/// Calls `take` with one piece of the file after the other.
base::Status ReadFingerprints(const std::string& path, FingerprintFormat format,
                              const std::function<void(std::span<const Fingerprint>)>& take);

}  // namespace contentseen
