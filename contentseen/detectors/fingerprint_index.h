#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/result.h"
#include "contentseen/digest_map.h"
#include "contentseen/document_id.h"
#include "contentseen/fingerprint.h"
#include "contentseen/hamming/hamming_index.h"

namespace contentseen {

/// Which document has the fingerprint nearest to this one? HammingIndex finds fingerprints; this
/// knows whose they are.
///
///     auto index = FingerprintIndex::Create({.k = 3});
///     if (!index) return base::Fail(index.error().message);
///     (*index)->Insert(fingerprint, document);
///     if (auto near = (*index)->FindNearest(other)) ...   // near->document, near->distance
///
/// Promises: exact; a lookup that begins after an Insert() returned finds what that inserted. Of
/// equal fingerprints the first one's document is kept.
///
/// Thread safety: all methods, at once. Cost: a HammingIndex lookup, and a table look-up for each
/// fingerprint within k. Memory: 40 bytes a fingerprint from 600,000 on, and with huge pages up to
/// 12 MB more (hamming_index.h).
class FingerprintIndex {
 public:
  struct Neighbor {
    DocumentId document = kNoDocument;
    Fingerprint fingerprint = 0;
    int distance = 0;
  };

  /// REQUIRES: options.k <= 10. Fails when memory is refused.
  static base::Result<std::unique_ptr<FingerprintIndex>> Create(
      const HammingIndexOptions& options);

  void Insert(Fingerprint fingerprint, DocumentId document);

  using Entry = DigestMap<DocumentId, Fingerprint>::Entry;
  /// Insert for each, in a fraction of the time. Of equal fingerprints the smallest id is kept.
  void InsertBatch(std::span<const Entry> entries);

  /// The nearest within k, of equally near ones that of the smallest id.
  std::optional<Neighbor> FindNearest(Fingerprint query) const;

  void Save(ImageWriter& image) const;
  /// Takes back what an index with the same k saved; says why where that cannot be, and is then of
  /// no use. REQUIRES: an empty index, of which nobody else knows.
  base::Status Load(ImageReader& image);

  /// Different fingerprints.
  std::size_t size() const { return index_->size(); }
  std::size_t memory_bytes() const { return index_->bytes() + documents_.memory_bytes(); }

 private:
  FingerprintIndex(std::unique_ptr<HammingIndex> index, std::uint64_t expected)
      : index_(std::move(index)), documents_(/*seed=*/0, expected) {}

  std::unique_ptr<HammingIndex> index_;  // constant but for Load()
  // Filled before `index_`, so that what is found there has a document.
  DigestMap<DocumentId, Fingerprint> documents_;
};

}  // namespace contentseen
