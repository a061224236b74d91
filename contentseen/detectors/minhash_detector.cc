#include "contentseen/detectors/minhash_detector.h"

#include <cstddef>

#include "contentseen/detectors/minwise.h"
#include "contentseen/mix.h"
#include "contentseen/text/shingle_hash.h"
#include "contentseen/text/token_hashes.h"

namespace contentseen {

std::vector<std::uint64_t> MinHashBands(std::span<const std::uint64_t> shingles,
                                        std::uint32_t bands, std::uint32_t rows) {
  std::vector<std::uint64_t> minima(std::size_t{bands} * rows);
  MinWise(shingles, minima);
  std::vector<std::uint64_t> hashes(bands);
  for (std::size_t i = 0; i < bands; ++i) {
    HashShinglesScalar(std::span(minima).subspan(i * rows, rows), rows, &hashes[i]);
  }
  return hashes;
}

MinHashDetector::MinHashDetector(const ContentSeenOptions& options)
    : KeyedDetector(options.features.key), key_(options.features.key), options_(options.minhash) {}

bool MinHashDetector::Sign(const AnalyzedText& text, Signature* signature) const {
  const auto shingles = ShingleHashes(text, options_.words, key_);
  if (shingles.empty()) return false;
  const auto bands = MinHashBands(shingles, options_.bands, options_.rows);
  signature->assign(1, text.fingerprint());
  signature->insert(signature->end(), bands.begin(), bands.end());
  return true;
}

Evidence MinHashDetector::Weigh(Words a, Words b) const {
  return {.first = {"bands", EqualWords(a.subspan(1), b.subspan(1)), options_.bands}};
}

bool MinHashDetector::IsSimilar(Words a, Words b) const {
  return EqualWords(a.subspan(1), b.subspan(1)) > 0;
}

std::vector<std::uint64_t> MinHashDetector::Keys(Words signature) const {
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 1; i < signature.size(); ++i) keys.push_back(Mix64(signature[i]) + i);
  return keys;
}

}  // namespace contentseen
