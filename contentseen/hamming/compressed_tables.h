#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "contentseen/fingerprint.h"
#include "contentseen/hamming/manku_tables.h"

namespace contentseen {

/// One sorted table, compressed (Manku, Jain, Das Sarma, WWW 2007, section 3.2): blocks of 1,024
/// bytes, each: how many values (16 bits), the first one whole, and of every next one the position
/// h of the top bit in which it differs from the one before, as one Huffman code for the table,
/// and the h bits below it. An index holds the last value of each block.
///
/// Written as bytes that are read where they lie (a mapped file):
///     count, blocks: u64 each; 64 code lengths: u8; last values: u64 a block; blocks.
/// Numbers are little-endian, bits of a block the highest first.
///
/// Thread safety: constant. Ownership: Compress owns nothing; a view must not outlive its bytes.
/// Cost: about log2(N) - 3.4 of 64 bits saved a value; a lookup decodes the blocks of its prefix.
class CompressedTable {
 public:
  static constexpr std::size_t kBlockBytes = 1024;

  /// REQUIRES: ascending, without equals.
  static std::string Compress(std::span<const Fingerprint> sorted);

  /// Looks at bytes that Compress made; fails when they are not.
  static base::Result<CompressedTable> Open(std::span<const std::byte> bytes);

  std::uint64_t size() const { return count_; }

  /// The first value that differs from `query` only in bits of `below` (a mask of low ones) and in
  /// at most `k` of them; nothing when there is none.
  std::optional<Fingerprint> FindWithin(Fingerprint query, Fingerprint below, unsigned k) const;

 private:
  struct Decoder {
    // Canonical Huffman: of each length the first code, how many there are and where their symbols
    // begin in `symbols`.
    std::array<std::uint64_t, 64> first{};
    std::array<std::uint32_t, 64> codes{};
    std::array<std::uint32_t, 64> begin{};
    std::vector<std::uint8_t> symbols;
  };
  template <class Visit>
  bool DecodeBlock(std::uint64_t block, Visit&& visit) const;
  Fingerprint LastOf(std::uint64_t block) const;

  std::uint64_t count_ = 0;
  std::uint64_t blocks_ = 0;
  const std::byte* last_ = nullptr;
  const std::byte* data_ = nullptr;
  Decoder decoder_;
};

/// Manku's tables, compressed, in one file that is read through a mapping.
///
///     base::Status written = CompressedTables::Write("f.tables", MankuDesign::Make(3, {4}), all);
///     auto tables = CompressedTables::Open("f.tables");
///     if (tables) (*tables)->FindWithin(query);
///
/// Thread safety: constant after Open. Ownership: keeps the file mapped.
class CompressedTables {
 public:
  /// A design of more levels has more tables than anybody wants.
  static constexpr std::size_t kLevelsMax = 3;

  /// Fails for a design of more than kLevelsMax levels, or that MankuDesign::Make() does not make
  /// of its k and blocks (a file holds no more of it), with the system's reason, and when memory
  /// is refused; `path` then stays as it was. It takes the place of the tables that were there
  /// when it is whole, and who has those open reads on in them. Cost: memory for one table at a
  /// time.
  static base::Status Write(const std::string& path, const MankuDesign& design,
                            std::span<const Fingerprint> fingerprints);
  /// Fails with the system's reason, when memory is refused, and for a file that Write() cannot
  /// have written, by its shape. Cost: 1.5 KB of memory a table; reads no values yet.
  static base::Result<std::unique_ptr<CompressedTables>> Open(const std::string& path);
  ~CompressedTables();
  CompressedTables(const CompressedTables&) = delete;
  CompressedTables& operator=(const CompressedTables&) = delete;

  std::optional<Fingerprint> FindWithin(Fingerprint query) const;
  const MankuDesign& design() const { return design_; }
  std::uint64_t bytes() const { return size_; }

 private:
  CompressedTables() = default;
  static base::Status WriteTables(const std::string& path, const MankuDesign& design,
                                  std::span<const Fingerprint> fingerprints);
  static base::Result<std::unique_ptr<CompressedTables>> OpenTables(const std::string& path);
  base::Status Parse(const std::string& path);

  const std::byte* mapped_ = nullptr;
  std::size_t size_ = 0;
  MankuDesign design_;
  std::vector<CompressedTable> tables_;
};

}  // namespace contentseen
