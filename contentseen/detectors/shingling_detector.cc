#include "contentseen/detectors/shingling_detector.h"

#include "contentseen/detectors/supershingles.h"
#include "contentseen/text/token_hashes.h"

namespace contentseen {

ShinglingDetector::ShinglingDetector(const ContentSeenOptions& options)
    : KeyedDetector(options.features.key),
      key_(options.features.key),
      least_(options.shingling.supershingles_min) {}

bool ShinglingDetector::Sign(const AnalyzedText& text, Signature* signature) const {
  const auto shingles = ShingleHashes(text, kShinglingWords, key_);
  if (shingles.empty()) return false;
  const Supershingles supershingles = SupershinglesOf(shingles);
  signature->assign(1, text.fingerprint());
  signature->insert(signature->end(), supershingles.begin(), supershingles.end());
  return true;
}

Evidence ShinglingDetector::Weigh(Words a, Words b) const {
  return {.first = {"supershingles", EqualWords(a.subspan(1), b.subspan(1)), kSupershingles}};
}

bool ShinglingDetector::IsSimilar(Words a, Words b) const {
  return EqualWords(a.subspan(1), b.subspan(1)) >= least_;
}

std::vector<std::uint64_t> ShinglingDetector::Keys(Words signature) const {
  return SupershingleKeys(signature.subspan(1), least_);
}

}  // namespace contentseen
