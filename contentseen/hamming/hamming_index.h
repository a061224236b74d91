#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "contentseen/fingerprint.h"
#include "contentseen/hamming/hamming_plan.h"
#include "contentseen/hamming/visitor.h"
#include "contentseen/image.h"

namespace contentseen {

/// What the tables have room for. An index of more stays exact, but what finds no room any more
/// lies in lists, some 200 bytes a list and most with one fingerprint, and lookups read them too.
inline constexpr std::uint64_t kHammingFingerprintsMax = 1'500'000'000;

/// The instructions that look through the index; every choice gives the same answers.
enum class HammingKernel : int { kBest, kScalar, kAvx2, kAvx512 };

struct HammingIndexOptions {
  /// Radius: largest Hamming distance that counts as near, in bits, 0..10.
  unsigned k = 3;
  /// How many fingerprints are expected, at most kHammingFingerprintsMax; 0 where unknown. A hint
  /// only: it chooses the plan and the first size. The index grows past it, and to a smaller
  /// number it is only too roomy.
  std::uint64_t expected_n = 0;
  /// Ask the kernel for 2 MB pages: on large tables 1.3 to 1.7 times the lookups a second.
  bool huge_pages = true;
  /// For tests; kBest takes what the processor offers.
  HammingKernel kernel = HammingKernel::kBest;
};

/// A set of 64-bit fingerprints that answers, online and exactly: is one within Hamming distance k
/// of this, and which? Recall 1, no false match, at any time, from any thread.
///
///     auto index = HammingIndex::Create({.k = 3, .expected_n = 100'000'000});
///     if (!index) return base::Fail(index.error().message);
///     if (auto near = (*index)->FindWithin(fingerprint)) ...   // stored, at most 3 bits away
///     (*index)->Insert(fingerprint);                           // false: it was there already
///
/// Method: the general pigeonhole principle (Qin et al., GPH, ICDE 2018) over halves, each half in
/// a table whose buckets are cells of the perfect [31,26] Hamming code; see docs/hamming-index.md.
///
/// Promises: a lookup that begins after Insert(x) returned (true or false) finds x. Equal
/// fingerprints are stored once. What a lookup returns was inserted. A lookup and an insert are
/// two steps: who needs them as one (a detector) orders its calls itself. Memory refused to an
/// insert ends the process: others may be reading the lines it was rewriting. Create(), Of(),
/// Rebuilt() and Load(), whose index nobody else knows yet, fail instead; a lookup throws
/// std::bad_alloc and changes nothing.
///
/// Thread safety: all methods, at once. Readers take no lock and never wait for each other; a
/// reader that meets the few lines being rewritten by growth at this moment tries again, and after
/// some tries waits for that rewriting (up to a millisecond). Ownership: owns its memory. Cost, k
/// = 3: 15 bytes a fingerprint from 600,000 on (a floor of 9 MB below), and with huge pages up to
/// 12 MB more, since their last pages are taken as a whole; a miss reads 32 to 38 lines of 64
/// bytes by their number, a hit from 1 on; growth is some thousand lines at a time, within Insert.
class HammingIndex {
 public:
  using Options = HammingIndexOptions;

  /// REQUIRES: k <= 10. Fails when address space or memory is refused, or more are expected than
  /// there is room for.
  static base::Result<std::unique_ptr<HammingIndex>> Create(const Options& options = {});
  /// The same with these fingerprints in it.
  static base::Result<std::unique_ptr<HammingIndex>> Of(std::span<const Fingerprint> fingerprints,
                                                        const Options& options);
  ~HammingIndex();
  HammingIndex(const HammingIndex&) = delete;
  HammingIndex& operator=(const HammingIndex&) = delete;

  /// Some stored fingerprint within distance k of `query`, or nothing when there is none.
  std::optional<Fingerprint> FindWithin(Fingerprint query) const;

  /// The stored fingerprint nearest to `query` if within k; of several the smallest number.
  std::optional<Fingerprint> FindNearest(Fingerprint query) const;

  /// FindWithin for each query: found[i] answers queries[i]. About twice as fast as one by one.
  /// REQUIRES: found.size() == queries.size().
  void FindBatch(std::span<const Fingerprint> queries,
                 std::span<std::optional<Fingerprint>> found) const;

  /// Calls `visit(Fingerprint)` once for every stored fingerprint within k, in no order; ends
  /// early when it returns false (a visitor returning void sees all). Of what is inserted
  /// meanwhile it may see any part; where rewriting by growth meets the query, it may see one
  /// twice.
  template <class Visit>
  void ForEachWithin(Fingerprint query, Visit&& visit) const {
    auto* target = std::addressof(visit);
    VisitWithin(query, &target, &CallVisitor<std::remove_reference_t<Visit>, Fingerprint>);
  }

  /// Remembers `fingerprint`; false when it was there already.
  bool Insert(Fingerprint fingerprint) noexcept;

  /// Insert for each; returns how many were new. Faster than one by one, and from a million on
  /// much faster: then it makes room for all of them first (for duplicates too) and orders them,
  /// with up to 340 MB to work in. Of a hundred million, threads do best to take a part each.
  std::uint64_t InsertBatch(std::span<const Fingerprint> fingerprints) noexcept;

  /// Calls `visit(Fingerprint)` for every fingerprint that was stored before, in no order; ends
  /// early as above. Once each, but those that growth moves meanwhile maybe twice; what is
  /// inserted meanwhile may be seen or not. No lock is held while a visitor runs: it may take its
  /// time, and call this index too. For copying to an index with another k: see Rebuilt().
  template <class Visit>
  void ForEach(Visit&& visit) const {
    auto* target = std::addressof(visit);
    VisitAll(&target, &CallVisitor<std::remove_reference_t<Visit>, Fingerprint>);
  }

  /// A new index with other options and the same fingerprints. Fails as Create().
  base::Result<std::unique_ptr<HammingIndex>> Rebuilt(const Options& options) const;

  /// Writes the index as it lies in memory. REQUIRES: nobody inserts meanwhile.
  void Save(ImageWriter& image) const;
  /// An index that was saved with the same k; it has the plan it had. Fails for anything else, and
  /// when memory is refused. Cost: that of reading: 15 bytes a fingerprint.
  static base::Result<std::unique_ptr<HammingIndex>> Load(ImageReader& image,
                                                          const Options& options);

  /// Cache lines that FindBatch asks for to answer `query` (for k > 3 the plan's estimate of a
  /// miss): by them a lookup's time can be compared with the memory's.
  std::uint64_t LinesRead(Fingerprint query) const;

  /// Distinct fingerprints stored.
  std::uint64_t size() const;
  /// Bytes of memory in use by the tables and what belongs to them, by whole pages: with huge
  /// pages up to 12 MB more than without.
  std::uint64_t bytes() const;
  unsigned k() const;
  const HammingPlan& plan() const;
  /// "avx512", "avx2" or "scalar".
  std::string kernel_name() const;

 private:
  class Impl;
  using Visitor = bool (*)(void* context, Fingerprint);

  explicit HammingIndex(std::unique_ptr<Impl> impl);
  template <class Fill>
  static base::Result<std::unique_ptr<HammingIndex>> Filled(const Options& options,
                                                            std::uint64_t size, Fill fill);
  void VisitWithin(Fingerprint query, void* context, Visitor visit) const;
  void VisitAll(void* context, Visitor visit) const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace contentseen
