#include "contentseen/simhash_detector.h"

#include "base/check.h"
#include "contentseen/options.h"
#include "contentseen/simhash.h"

namespace contentseen {

SimHashDetector::SimHashDetector(int k) : k_(k) { CHECK(k >= 0 && k <= kDistanceMax); }

bool SimHashDetector::Sign(const AnalyzedText& text, Signature* signature) const {
  signature->assign(1, SimHashOf(text.features()));
  return text.features().distinct > 0;
}

bool SimHashDetector::Similar(const Signature& a, const Signature& b) const {
  return Distance(a.front(), b.front()) <= k_;
}

std::optional<Match> SimHashDetector::Find(const Signature& signature) const {
  const auto nearest = index_.FindNearest(signature.front(), k_);
  if (!nearest) return std::nullopt;
  return Match{nearest->document, nearest->distance, nearest->fingerprint};
}

void SimHashDetector::Insert(const Signature& signature, DocumentId document) {
  index_.Insert(signature.front(), document);
}

}  // namespace contentseen
