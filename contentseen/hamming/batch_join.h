#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "contentseen/fingerprint.h"
#include "contentseen/hamming/hamming_index.h"
#include "contentseen/hamming/visitor.h"
#include "contentseen/reserved_memory.h"

namespace contentseen {

struct HammingJoinLine;
struct HammingKernels;

/// Batch queries (Manku, Jain, Das Sarma, WWW 2007, section 3.3): the tables are built over the
/// queries, which fit in memory, and the existing fingerprints, which need not, stream past them.
///
/// For k <= 3 one of four blocks of 16 bits is without error. A line for each value of each block
/// holds the two blocks that follow of up to 31 queries with that value; one vector comparison
/// finds whether one of them is within k there, which a fingerprint without a partner passes once
/// in ten thousand times, and only then are the queries looked at whole.
///
/// The lines, 32 MB of them, are too many for the caches near the processor; so many fingerprints
/// at a time are first put in order of the block's leading bits, one block after the other, and
/// meet the lines piece by piece.
///
/// Thread safety: constant after construction. Cost: 32 MB and 32 bytes a query; ForEachPair takes
/// 12 MB.
class JoinTable {  // NOLINT(bugprone-reserved-identifier): clang's own loop over an array
 public:
  /// Fails when memory is refused. REQUIRES: k <= 3.
  static base::Result<JoinTable> Create(std::span<const Fingerprint> queries, unsigned k,
                                        HammingKernel kernel = HammingKernel::kBest);

  /// visit(existing, query) for every pair within k, once for each of `existing` and each distinct
  /// query; ends early when it returns false (a visitor returning void sees all). The more of
  /// `existing` at a time, the faster; from a million on no more.
  template <class Visit>
  void ForEachPair(std::span<const Fingerprint> existing, Visit&& visit) const {
    auto* target = std::addressof(visit);
    VisitPairs(existing, &target,
               &CallVisitor<std::remove_reference_t<Visit>, Fingerprint, Fingerprint>);
  }

 private:
  JoinTable(std::span<const Fingerprint> distinct, unsigned k, const HammingKernels& kernels,
            ReservedMemory memory);

  using Visitor = bool (*)(void* context, Fingerprint existing, Fingerprint query);

  static constexpr unsigned kBlocks = 4;
  static constexpr unsigned kValues = 1U << 16;
  // Pieces by the block's eight leading bits: 32 KB of lines each.
  static constexpr unsigned kPieceBits = 8;
  static constexpr unsigned kPieces = 1U << kPieceBits;
  static constexpr std::size_t kBatch = std::size_t{1} << 20;

  /// What ForEachPair needs beside the table.
  struct Workplace {
    // In memory with 2 MB pages: written in 256 places at a time.
    ReservedMemory memory;
    std::span<Fingerprint> ordered;
    std::vector<std::uint32_t> near;
    std::size_t start[kBlocks][kPieces + 1];
  };

  static std::uint16_t Block(Fingerprint x, unsigned b) {
    return static_cast<std::uint16_t>(x >> (16 * (b % kBlocks)));
  }
  static unsigned PieceOf(Fingerprint x, unsigned b) { return Block(x, b) >> (16 - kPieceBits); }

  void VisitPairs(std::span<const Fingerprint> existing, void* context, Visitor visit) const;
  static void CountPieces(std::span<const Fingerprint> batch, Workplace& work);
  /// Whether more is wanted.
  bool VisitPiece(unsigned b, std::span<const Fingerprint> piece, Workplace& work, void* context,
                  Visitor visit) const;
  /// Whether they are within k, and in none of the blocks before `b` equal (there they are a pair
  /// already).
  bool IsPair(Fingerprint existing, Fingerprint query, unsigned b) const;

  unsigned k_;
  const HammingKernels* kernels_;
  ReservedMemory memory_;
  HammingJoinLine* lines_[kBlocks];  // one for each value of a block
  // The queries by each block, and where each value's begin.
  std::vector<std::uint32_t> starts_[kBlocks];
  std::span<Fingerprint> lists_[kBlocks];
};

/// Files of fingerprints: eight bytes each, little-endian, or lines of 16 hex digits.
enum class FingerprintFormat { kByName, kBinary, kHex };

/// kHex where the name ends in .hex or .txt, else kBinary.
FingerprintFormat FormatByName(std::string_view path);

struct JoinOptions {
  /// Largest distance, 0..10.
  unsigned k = 3;
  /// kByName: .hex and .txt are text, and any other that begins as text does is refused.
  FingerprintFormat existing = FingerprintFormat::kByName;
  FingerprintFormat queries = FingerprintFormat::kByName;
  /// Pairs as `existing query` a line in hex, or as two times eight bytes.
  FingerprintFormat output = FingerprintFormat::kByName;
  /// Queries in tables at a time (32 bytes each); for more the existing file is read again. All of
  /// them take 8 bytes each, and up to 24 while they are read.
  std::uint64_t queries_at_a_time = 2'000'000;
};

struct JoinTotals {
  /// Read, up to the end or to where no more pairs were wanted.
  std::uint64_t existing = 0;
  /// Distinct ones.
  std::uint64_t queries = 0;
  std::uint64_t pairs = 0;
};

/// Writes every pair (existing, query) within k to the file `output`, ordered by neither. The
/// existing file is streamed and may be larger than memory; for k > 3 the queries are put in a
/// HammingIndex. Fails when a file cannot be read or written, the output is a file that is read,
/// or memory is refused. What the output held is lost once the queries are read, also where the
/// join then fails: who wants it kept gives a sink that writes elsewhere.
base::Result<JoinTotals> JoinFiles(const std::string& existing, const std::string& queries,
                                   const std::string& output, const JoinOptions& options = {});

/// Takes some whole pairs; false where it wants no more.
using JoinSink = std::function<bool(std::string_view pairs)>;

/// The same for `put`, which gets text where `options.output` is not kBinary. Once it wants no
/// more nothing is read or joined any more, and the totals are of what was: `put` got that many
/// pairs.
base::Result<JoinTotals> JoinFiles(const std::string& existing, const std::string& queries,
                                   const JoinSink& put, const JoinOptions& options = {});

/// Calls `take` with one piece of the file after the other.
base::Status ReadFingerprints(const std::string& path, FingerprintFormat format,
                              const std::function<void(std::span<const Fingerprint>)>& take);

}  // namespace contentseen
