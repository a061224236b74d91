#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contentseen/fingerprint.h"

namespace contentseen {

/// A way to move blocks of bits to the front: which table of Manku's a fingerprint is sorted in.
/// Constant after construction; thread safety: all methods.
class BitPermutation {
 public:
  /// Bits [shift, shift + width) of the source.
  struct Piece {
    unsigned shift;
    unsigned width;
    friend bool operator==(const Piece&, const Piece&) = default;
  };
  /// The pieces, the one that becomes the top bits first. REQUIRES: they cover 64 bits once.
  explicit BitPermutation(std::vector<Piece> pieces);

  Fingerprint Apply(Fingerprint fingerprint) const;
  Fingerprint Invert(Fingerprint permuted) const;
  const std::vector<Piece>& pieces() const { return pieces_; }
  friend bool operator==(const BitPermutation&, const BitPermutation&) = default;

 private:
  std::vector<Piece> pieces_;
};

/// Which tables to keep (Manku, Jain, Das Sarma, WWW 2007, section 3.1): the bits are cut into
/// blocks, and for every choice of blocks.size() - k of them there is a table in which these lead;
/// with k errors some choice is without. The remaining bits may be cut and chosen from again.
struct MankuDesign {
  struct Table {
    BitPermutation permutation;
    /// Leading bits that a candidate shares with the query.
    unsigned prefix;
    friend bool operator==(const Table&, const Table&) = default;
  };
  unsigned k = 3;
  std::vector<unsigned> blocks;
  std::vector<Table> tables;
  friend bool operator==(const MankuDesign&, const MankuDesign&) = default;

  /// `blocks`: the number of blocks at each level, each > k. For k = 3, {4} are 4 tables, {5} 10,
  /// {4, 4} 16 and {6} 20. REQUIRES: k <= 10, at most 12 blocks a level, bits enough for them.
  static MankuDesign Make(unsigned k, const std::vector<unsigned>& blocks);

  /// How many tables Make() would make, without making any; at most 2^64 - 1. For k = 6 three
  /// levels of 12 blocks are 789 million. REQUIRES: each of `blocks` > k, at most 12.
  static std::uint64_t TablesOf(unsigned k, std::span<const unsigned> blocks);

  /// The fewest tables of which one has at most `candidates_max` candidates on average among `n`:
  /// the recursion X(f, k, d) of the paper. Nothing where three levels of twelve blocks do not
  /// reach so few (k = 10 and 300 million, say).
  static std::optional<MankuDesign> Choose(unsigned k, std::uint64_t n, double candidates_max);
};

/// Sorted tables of permuted fingerprints, as the paper has them: static, exact.
///
///     MankuTables tables(MankuDesign::Make(3, {5}), fingerprints);
///     tables.FindWithin(query);
///
/// Thread safety: constant after construction. Cost: 8 bytes a fingerprint and table; a lookup
/// finds the query's prefix in each table by interpolation and compares all that share it.
class MankuTables {
 public:
  MankuTables(MankuDesign design, std::span<const Fingerprint> fingerprints);

  std::optional<Fingerprint> FindWithin(Fingerprint query) const;
  const MankuDesign& design() const { return design_; }
  std::uint64_t bytes() const;

 private:
  MankuDesign design_;
  // sorted_[t]: all fingerprints as permuted by table t, ascending.
  std::vector<std::vector<Fingerprint>> sorted_;
};

/// Index of the first of `sorted` that is not below `key`: interpolation search, for values that
/// are about uniform; binary search from where that leads astray.
std::size_t InterpolationLowerBound(std::span<const Fingerprint> sorted, Fingerprint key);

}  // namespace contentseen
