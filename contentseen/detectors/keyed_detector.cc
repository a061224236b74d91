#include "contentseen/detectors/keyed_detector.h"

#include <algorithm>

namespace contentseen {

std::optional<Match> KeyedDetector::Find(const Signature& signature) const {
  std::vector<SignatureStore::Place> places;
  for (const std::uint64_t key : KeysToAsk(signature)) index_.Find(key, &places);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::optional<Match> best;
  bool on_own_host = false;
  for (const SignatureStore::Place place : places) {
    const SignatureStore::Entry entry = signatures_.At(place);
    if (!IsSimilar(signature, entry.words)) continue;
    on_own_host = on_own_host || KnownOfOneHost(signature, entry.words);
    const Evidence evidence = Weigh(signature, entry.words);
    const bool better = !best || IsStronger(evidence, best->evidence) ||
                        (!IsStronger(best->evidence, evidence) && entry.document < best->original);
    if (!better) continue;
    best = Match{entry.document, Distance(signature.front(), entry.words.front()),
                 entry.words.front(), evidence};
  }
  if (best) best->on_own_host = on_own_host;
  return best;
}

void KeyedDetector::Insert(const Signature& signature, DocumentId document) {
  const std::optional<SignatureStore::Place> place = signatures_.Add(signature, document);
  if (!place) return;
  for (const std::uint64_t key : Keys(signature)) index_.Insert(key, *place);
  Learn(signature);
}

bool KeyedDetector::Save(ImageWriter& image) const {
  signatures_.Save(image);
  index_.Save(image);
  return true;
}

base::Status KeyedDetector::Load(ImageReader& image) {
  if (!signatures_.Load(image) || !index_.Load(image)) return image.Refusal();
  return {};
}

std::uint32_t EqualWords(KeyedDetector::Words a, KeyedDetector::Words b) {
  std::uint32_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  return equal;
}

}  // namespace contentseen
