#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "contentseen/hamming/hamming_scan.h"
#include "contentseen/hamming/hamming_table.h"

namespace contentseen {

/// Lookups in tables whose radius is at most one, arranged so that the waiting for memory
/// overlaps.
///
/// Thread safety: all methods, at once, also beside inserts. Cost: 16 lines a table, or one where
/// the query's half is a codeword, and one for each filter that says so.
class HammingLookup {
 public:
  /// At most two tables, which must live as long.
  explicit HammingLookup(std::span<const std::unique_ptr<HammingTable>> tables)
      : tables_(tables) {}

  /// Nothing if the tables were rewritten under the lookup; else a fingerprint within k of the
  /// query, or that there is none.
  using Answer = std::optional<std::optional<std::uint64_t>>;
  Answer Find(std::uint64_t query) const;

  /// Writes to `found` the answers to all queries but those whose numbers it returns: for these
  /// Find() would have none. Several times as fast as one at a time.
  std::vector<std::size_t> FindBatch(std::span<const std::uint64_t> queries,
                                     std::span<std::optional<std::uint64_t>> found) const;

  /// How many lines Find(query) asks for.
  std::uint64_t LinesRead(std::uint64_t query) const;

 private:
  // One query on its way through the tables.
  struct Probes {
    std::array<HammingProbe, 2> of;
    std::array<HammingPending, 2> pending;
    std::size_t number = 0;
    // The answer, if it is known without looking at what is pending.
    bool settled = false;
    Answer answer;
  };
  class Batch;

  void Prepare(std::span<const std::uint64_t> queries, Probes* const* probes) const;
  bool NearHomes(const Probes& probes) const;
  Answer IfValid(std::size_t t, const Probes& probes, std::optional<std::uint64_t> found) const;
  Answer AtHomes(const Probes& probes) const;
  void Around(Probes& probes, const Probes* next) const;
  void FetchElsewhere(Probes& probes) const;
  Answer Elsewhere(const Probes& probes) const;

  const std::span<const std::unique_ptr<HammingTable>> tables_;
};

}  // namespace contentseen
