#include "contentseen/detectors/simhash_detector.h"

#include <vector>

#include "base/check.h"
#include "contentseen/options.h"

namespace contentseen {
namespace {

Evidence EvidenceOf(int distance) {
  return {.first = {"bits", static_cast<std::uint32_t>(kFingerprintBits - distance),
                    static_cast<std::uint32_t>(kFingerprintBits)}};
}

}  // namespace

base::Result<std::unique_ptr<SimHashDetector>> SimHashDetector::Create(
    int k, std::uint64_t documents_expected) {
  CHECK(k >= 0 && k <= kDistanceMax);
  auto index =
      FingerprintIndex::Create({.k = static_cast<unsigned>(k), .expected_n = documents_expected});
  if (!index) return base::Fail(std::move(index.error().message));
  return std::unique_ptr<SimHashDetector>(new SimHashDetector(k, std::move(*index)));
}

bool SimHashDetector::Sign(const AnalyzedText& text, Signature* signature) const {
  signature->assign(1, text.fingerprint());
  return text.features().distinct > 0;
}

bool SimHashDetector::Similar(const Signature& a, const Signature& b) const {
  return Distance(a.front(), b.front()) <= k_;
}

Evidence SimHashDetector::Compare(const Signature& a, const Signature& b) const {
  return EvidenceOf(Distance(a.front(), b.front()));
}

Evidence SimHashDetector::Least() const { return EvidenceOf(k_); }

std::optional<Match> SimHashDetector::Find(const Signature& signature) const {
  const auto nearest = index_->FindNearest(signature.front());
  if (!nearest) return std::nullopt;
  return Match{nearest->document, nearest->distance, nearest->fingerprint,
               EvidenceOf(nearest->distance)};
}

void SimHashDetector::Insert(const Signature& signature, DocumentId document) {
  index_->Insert(signature.front(), document);
}

void SimHashDetector::InsertBatch(std::span<const SignedDocument> documents) {
  std::vector<FingerprintIndex::Entry> entries;
  entries.reserve(documents.size());
  for (const SignedDocument& each : documents) {
    entries.push_back({each.signature->front(), each.document});
  }
  index_->InsertBatch(entries);
}

}  // namespace contentseen
