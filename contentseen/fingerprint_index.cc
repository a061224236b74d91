#include "contentseen/fingerprint_index.h"

#include <utility>

#include "base/check.h"

namespace contentseen {

base::Result<std::unique_ptr<FingerprintIndex>> FingerprintIndex::Create(
    const HammingIndexOptions& options) {
  auto index = HammingIndex::Create(options);
  if (!index) return base::Fail(std::move(index.error().message));
  return std::unique_ptr<FingerprintIndex>(new FingerprintIndex(std::move(*index)));
}

void FingerprintIndex::Insert(Fingerprint fingerprint, DocumentId document) {
  documents_.Insert(fingerprint, document);
  index_->Insert(fingerprint);
}

std::optional<FingerprintIndex::Neighbor> FingerprintIndex::FindNearest(Fingerprint query) const {
  std::optional<Neighbor> best;
  index_->ForEachWithin(query, [&](Fingerprint found) {
    const int distance = Distance(query, found);
    if (best && distance > best->distance) return;
    const std::optional<DocumentId> document = documents_.Find(found);
    CHECK(document.has_value());
    if (!best || distance < best->distance || *document < best->document) {
      best = Neighbor{*document, found, distance};
    }
  });
  return best;
}

}  // namespace contentseen
