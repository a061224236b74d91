#include "contentseen/detectors/combined_detector.h"

#include "contentseen/detectors/projection.h"
#include "contentseen/detectors/supershingles.h"
#include "contentseen/text/shingle_hash.h"
#include "contentseen/text/token_hashes.h"

namespace contentseen {
namespace {

using Words = KeyedDetector::Words;

Words SupershinglesIn(Words signature) { return signature.subspan(1, kSupershingles); }
Words ProjectionIn(Words signature) { return signature.subspan(1 + kSupershingles); }

}  // namespace

CombinedDetector::CombinedDetector(const ContentSeenOptions& options)
    : KeyedDetector(options.features.key),
      key_(options.features.key),
      supershingles_least_(options.shingling.supershingles_min),
      bits_least_(options.projection.combined_equal_bits_min) {}

bool CombinedDetector::Sign(const AnalyzedText& text, Signature* signature) const {
  const std::vector<std::uint64_t> tokens = TokenHashes(text, key_);
  if (tokens.size() < kShinglingWords) return false;
  std::vector<std::uint64_t> shingles(tokens.size() - kShinglingWords + 1);
  HashShingles(tokens, kShinglingWords, shingles.data());
  const Supershingles supershingles = SupershinglesOf(shingles);
  const Projection projection = ProjectionOf(tokens);
  signature->assign(1, text.fingerprint());
  signature->insert(signature->end(), supershingles.begin(), supershingles.end());
  signature->insert(signature->end(), projection.begin(), projection.end());
  return true;
}

Evidence CombinedDetector::Weigh(Words a, Words b) const {
  return {.first = {"supershingles", EqualWords(SupershinglesIn(a), SupershinglesIn(b)),
                    kSupershingles},
          .second = {"bits", EqualBits(ProjectionIn(a), ProjectionIn(b)), kProjectionBits}};
}

bool CombinedDetector::IsSimilar(Words a, Words b) const {
  const Evidence evidence = Weigh(a, b);
  return evidence.first.equal >= supershingles_least_ && evidence.second.equal >= bits_least_;
}

std::vector<std::uint64_t> CombinedDetector::Keys(Words signature) const {
  return SupershingleKeys(SupershinglesIn(signature), supershingles_least_);
}

}  // namespace contentseen
