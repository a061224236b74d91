#include "contentseen/detectors/projection_detector.h"

#include "contentseen/text/token_hashes.h"

namespace contentseen {

ProjectionDetector::ProjectionDetector(const ContentSeenOptions& options)
    : KeyedDetector(options.features.key),
      key_(options.features.key),
      least_(options.projection.equal_bits_min),
      parts_(kProjectionBits - least_) {}

bool ProjectionDetector::Sign(const AnalyzedText& text, Signature* signature) const {
  if (text.tokens().empty()) return false;
  const Projection projection = ProjectionOf(TokenHashes(text, key_));
  signature->assign(1, text.fingerprint());
  signature->insert(signature->end(), projection.begin(), projection.end());
  return true;
}

Evidence ProjectionDetector::Weigh(Words a, Words b) const {
  return {.first = {"bits", EqualBits(a.subspan(1), b.subspan(1)), kProjectionBits}};
}

bool ProjectionDetector::IsSimilar(Words a, Words b) const {
  return EqualBits(a.subspan(1), b.subspan(1)) >= least_;
}

std::vector<std::uint64_t> ProjectionDetector::Keys(Words signature) const {
  return parts_.Keys(signature.subspan(1));
}

std::vector<std::uint64_t> ProjectionDetector::KeysToAsk(Words signature) const {
  return parts_.KeysToAsk(signature.subspan(1));
}

}  // namespace contentseen
