#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "contentseen/fingerprint.h"
#include "contentseen/hamming_index.h"
#include "contentseen/hamming_memory.h"
#include "contentseen/hamming_scan.h"

namespace contentseen {

/// Batch queries (Manku, Jain, Das Sarma, WWW 2007, section 3.3): the tables are built over the
/// queries, which fit in memory, and the existing fingerprints, which need not, stream past them.
///
/// For k <= 3 one of four blocks of 16 bits is without error: a line of 64 bytes for each value of
/// each block holds the next block of up to 31 queries with that value, which one vector
/// comparison reduces to those within k there; only these are looked at whole.
///
/// Thread safety: constant after construction. Cost: four lines read a fingerprint; 16 MB and 32
/// bytes a query.
class JoinTable {  // NOLINT(bugprone-reserved-identifier): clang's own loop over an array
 public:
  /// Fails when memory is refused. REQUIRES: k <= 3.
  static base::Result<JoinTable> Create(std::span<const Fingerprint> queries, unsigned k,
                                        HammingKernel kernel = HammingKernel::kBest);

  /// visit(existing, query) for every pair within k, once for each of `existing` and each distinct
  /// query.
  template <class Visit>
  void ForEachPair(std::span<const Fingerprint> existing, Visit&& visit) const {
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < existing.size(); i += kGroup) {
      // The candidates of a group are fetched together before the first is compared.
      candidates.clear();
      FindCandidates(existing.subspan(i, std::min(kGroup, existing.size() - i)),
                     existing.subspan(std::min(i + kGroup, existing.size())), candidates);
      for (const Candidate& candidate : candidates) {
        if (IsPair(candidate)) visit(candidate.existing, *candidate.query);
      }
    }
  }

 private:
  JoinTable(std::span<const Fingerprint> distinct, unsigned k, const HammingKernels& kernels,
            ReservedMemory memory);

  static constexpr unsigned kBlocks = 4;
  static constexpr unsigned kValues = 1U << 16;
  static constexpr unsigned kSlots = 31;
  // Of a line with more than 31 queries: its list is looked at whole.
  static constexpr std::uint16_t kFull = 0xffff;

  struct alignas(64) Line {
    std::uint16_t next[kSlots + 1];  // the last is the count
  };

  static std::uint16_t Block(Fingerprint x, unsigned b) {
    return static_cast<std::uint16_t>(x >> (16 * (b % kBlocks)));
  }
  struct Candidate {
    Fingerprint existing;
    const Fingerprint* query;
    unsigned block;
  };
  static constexpr std::size_t kGroup = 64;

  void Prefetch(Fingerprint x) const {
    for (unsigned b = 0; b < kBlocks; ++b) __builtin_prefetch(&lines_[b][Block(x, b)]);
  }
  /// Adds what may be near one of `group`; asks for the lines of the fingerprints that `follow`.
  void FindCandidates(std::span<const Fingerprint> group, std::span<const Fingerprint> follow,
                      std::vector<Candidate>& candidates) const;
  /// Whether it is within k, and in none of the blocks before equal (there it is a pair already).
  bool IsPair(const Candidate& candidate) const;

  unsigned k_;
  const HammingKernels* kernels_;
  // Whether some line has not all queries of its value.
  bool any_full_ = false;
  ReservedMemory memory_;
  std::span<Line> lines_[kBlocks];
  // The queries by each block, and where each value's begin.
  std::vector<std::uint32_t> starts_[kBlocks];
  std::span<Fingerprint> lists_[kBlocks];
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
