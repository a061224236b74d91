#include "contentseen/detectors/fingerprint_index.h"

#include <utility>
#include <vector>

#include "base/check.h"

namespace contentseen {

base::Result<std::unique_ptr<FingerprintIndex>> FingerprintIndex::Create(
    const HammingIndexOptions& options) {
  auto index = HammingIndex::Create(options);
  if (!index) return base::Fail(std::move(index.error().message));
  return std::unique_ptr<FingerprintIndex>(
      new FingerprintIndex(std::move(*index), options.expected_n));
}

void FingerprintIndex::Insert(Fingerprint fingerprint, DocumentId document) {
  documents_.Insert(fingerprint, document);
  index_->Insert(fingerprint);
}

void FingerprintIndex::InsertBatch(std::span<const Entry> entries) {
  documents_.InsertBatch(entries, [](DocumentId a, DocumentId b) { return a < b; });
  std::vector<Fingerprint> fingerprints;
  fingerprints.reserve(entries.size());
  for (const Entry& entry : entries) fingerprints.push_back(entry.key);
  index_->InsertBatch(fingerprints);
}

void FingerprintIndex::Save(ImageWriter& image) const {
  documents_.Save(image);
  index_->Save(image);
}

base::Status FingerprintIndex::Load(ImageReader& image) {
  const unsigned k = index_->k();
  index_.reset();  // or there would be address space for two of them
  if (!documents_.Load(image)) return image.Refusal();
  auto index = HammingIndex::Load(image, {.k = k});
  if (!index) return base::Fail(std::move(index.error().message));
  index_ = std::move(*index);
  return {};
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
