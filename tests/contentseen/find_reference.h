#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "contentseen/detectors/detector.h"

namespace tests {

struct Document {
  contentseen::Signature signature;
  contentseen::DocumentId id = contentseen::kNoDocument;
};

/// What Detector::Find() promises, by comparing with every document: the evidence and the id of
/// the best.
inline std::optional<std::pair<contentseen::DocumentId, contentseen::Evidence>> FindByComparing(
    const contentseen::Detector& detector, const std::vector<Document>& documents,
    const contentseen::Signature& signature) {
  std::optional<std::pair<contentseen::DocumentId, contentseen::Evidence>> best;
  for (const Document& document : documents) {
    if (!detector.Similar(signature, document.signature)) continue;
    const contentseen::Evidence evidence = detector.Compare(signature, document.signature);
    if (best && contentseen::IsStronger(best->second, evidence)) continue;
    if (best && !contentseen::IsStronger(evidence, best->second) && best->first < document.id) {
      continue;
    }
    best = {document.id, evidence};
  }
  return best;
}

}  // namespace tests
