#include "contentseen/detectors/spotsigs_detector.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "contentseen/detectors/spots.h"
#include "contentseen/fingerprint.h"
#include "contentseen/mix.h"

namespace contentseen {
namespace {

using Words = std::span<const std::uint64_t>;

constexpr std::size_t kHeadWords = 2;

std::uint64_t SpotsIn(Words signature) { return signature[1]; }

// shared / together >= percent / 100.
bool Reaches(std::uint64_t shared, std::uint64_t together, std::uint32_t percent) {
  return shared * 100 >= together * percent;
}

// Sum of the smaller counts.
std::uint64_t Shared(Words a, Words b) {
  std::uint64_t shared = 0;
  std::size_t i = kHeadWords;
  std::size_t j = kHeadWords;
  while (i < a.size() && j < b.size()) {
    if (a[i] == b[j]) shared += std::min(a[i + 1], b[j + 1]);
    const bool step_a = a[i] <= b[j];
    const bool step_b = b[j] <= a[i];
    if (step_a) i += 2;
    if (step_b) j += 2;
  }
  return shared;
}

Evidence EvidenceOf(std::uint64_t shared, Words a, Words b) {
  return {.first = {"spots", static_cast<std::uint32_t>(shared),
                    static_cast<std::uint32_t>(SpotsIn(a) + SpotsIn(b) - shared)}};
}

std::uint64_t KeyFor(std::size_t partition, std::uint64_t spot) {
  return Mix64(spot + (partition + 1) * kGoldenStep);
}

bool IsBetter(const Evidence& evidence, DocumentId document, const std::optional<Match>& best) {
  if (!best || IsStronger(evidence, best->evidence)) return true;
  return !IsStronger(best->evidence, evidence) && document < best->original;
}

}  // namespace

std::vector<std::uint64_t> SpotPartitions(std::uint64_t spots_min,
                                          std::uint32_t resemblance_min_percent) {
  std::vector<std::uint64_t> least = {spots_min};
  for (std::uint64_t end = spots_min; end < kSpotsMax; ++end) {
    const bool closed = (end - least.back()) * 100 > (100 - resemblance_min_percent) * end;
    if (closed) least.push_back(end + 1);
  }
  return least;
}

SpotSigsDetector::SpotSigsDetector(const ContentSeenOptions& options)
    : key_(options.features.key),
      options_(options.spotsigs),
      partitions_(SpotPartitions(options_.spots_min, options_.resemblance_min_percent)),
      index_(options.features.key, kDocumentsOfSpotMax) {}

bool SpotSigsDetector::Sign(const AnalyzedText& text, Signature* signature) const {
  auto spots = SpotHashes(text.normalized(), text.tokens(), options_, key_);
  if (spots.size() < options_.spots_min) return false;
  *signature = SignatureOf(text.fingerprint(), std::move(spots));
  return true;
}

bool SpotSigsDetector::Takes(const Signature& signature) const {
  if (signature.size() % 2 != 0 || signature.size() <= kHeadWords ||
      signature.size() > SignatureStore::kWordsMax) {
    return false;
  }
  std::uint64_t spots = 0;
  for (std::size_t i = kHeadWords; i < signature.size(); i += 2) {
    const bool in_order = i == kHeadWords || signature[i - 2] < signature[i];
    if (!in_order || signature[i + 1] == 0 || signature[i + 1] > SpotsIn(signature)) return false;
    spots += signature[i + 1];
  }
  return spots == SpotsIn(signature) && spots >= options_.spots_min;
}

Signature SpotSigsDetector::SignatureOf(Fingerprint fingerprint,
                                        std::vector<std::uint64_t> spots) {
  std::sort(spots.begin(), spots.end());
  Signature signature = {fingerprint, spots.size()};
  for (const std::uint64_t spot : spots) {
    if (signature.size() > kHeadWords && signature[signature.size() - 2] == spot) {
      ++signature.back();
    } else {
      signature.insert(signature.end(), {spot, 1});
    }
  }
  return signature;
}

Evidence SpotSigsDetector::Compare(const Signature& a, const Signature& b) const {
  return EvidenceOf(Shared(a, b), a, b);
}

bool SpotSigsDetector::Similar(const Signature& a, const Signature& b) const {
  const std::uint64_t smaller = std::min(SpotsIn(a), SpotsIn(b));
  const std::uint64_t larger = std::max(SpotsIn(a), SpotsIn(b));
  if (!Reaches(smaller, larger, options_.resemblance_min_percent)) return false;
  const Evidence evidence = Compare(a, b);
  return Reaches(evidence.first.equal, evidence.first.total, options_.resemblance_min_percent);
}

std::optional<Match> SpotSigsDetector::Find(const Signature& signature) const {
  std::optional<Match> best;
  for (const SignatureStore::Place place : Candidates(signature)) {
    const SignatureStore::Entry entry = signatures_.At(place);
    const std::uint64_t shared = Shared(signature, entry.words);
    const Evidence evidence = EvidenceOf(shared, signature, entry.words);
    if (!Reaches(shared, evidence.first.total, options_.resemblance_min_percent)) continue;
    if (!IsBetter(evidence, entry.document, best)) continue;
    best = Match{entry.document, Distance(signature[0], entry.words[0]), entry.words[0], evidence};
  }
  return best;
}

std::vector<SignatureStore::Place> SpotSigsDetector::Candidates(Words signature) const {
  const std::size_t own = PartitionOf(signature);
  std::vector<SignatureStore::Place> candidates;
  AddCandidates(signature, own, &candidates);
  if (own > 0) AddCandidates(signature, own - 1, &candidates);
  if (own + 1 < partitions_.size()) AddCandidates(signature, own + 1, &candidates);
  return candidates;
}

// A document B that is first met under the query's i-th spot has none of those before whose lists
// have all documents, which stand `passed` times in the query A. So A and B share at most
// min(|A| - passed, |B|), and no B whatever shares more than |A| - passed of at least
// max(|A|, least |B|).
void SpotSigsDetector::AddCandidates(Words signature, std::size_t partition,
                                     std::vector<SignatureStore::Place>* candidates) const {
  struct List {
    std::size_t documents;
    std::uint64_t key;
    std::uint64_t count;  // in the query
  };
  std::vector<List> lists;
  for (std::size_t i = kHeadWords; i < signature.size(); i += 2) {
    const std::uint64_t key = KeyFor(partition, signature[i]);
    lists.push_back({index_.Count(key), key, signature[i + 1]});
  }
  std::sort(lists.begin(), lists.end(), [](const List& a, const List& b) {
    return std::pair(a.documents, a.key) < std::pair(b.documents, b.key);
  });
  const std::uint32_t percent = options_.resemblance_min_percent;
  const std::uint64_t spots = SpotsIn(signature);
  const std::uint64_t together_min = std::max(spots, partitions_[partition]);
  std::unordered_set<SignatureStore::Place> seen;
  std::vector<SignatureStore::Place> places;
  std::uint64_t passed = 0;
  for (const List& list : lists) {
    if (!Reaches(spots - passed, together_min, percent)) return;
    places.clear();
    index_.Find(list.key, &places);
    for (const SignatureStore::Place place : places) {
      if (candidates->size() == kCandidatesMax) return;
      const std::uint64_t theirs = SpotsIn(signatures_.At(place).words);
      const std::uint64_t shared_max = std::min(spots - passed, theirs);
      // What is passed over stays out: the bound only falls.
      if (!Reaches(shared_max, spots + theirs - shared_max, percent)) continue;
      if (seen.insert(place).second) candidates->push_back(place);
    }
    if (list.documents < kDocumentsOfSpotMax) passed += list.count;
  }
}

std::size_t SpotSigsDetector::PartitionOf(Words signature) const {
  const auto after = std::upper_bound(partitions_.begin(), partitions_.end(), SpotsIn(signature));
  return static_cast<std::size_t>(after - partitions_.begin()) - 1;
}

void SpotSigsDetector::Insert(const Signature& signature, DocumentId document) {
  const std::size_t partition = PartitionOf(signature);
  const std::optional<SignatureStore::Place> place = signatures_.Add(signature, document);
  if (!place) return;
  for (std::size_t i = kHeadWords; i < signature.size(); i += 2) {
    index_.Insert(KeyFor(partition, signature[i]), *place);
  }
}

}  // namespace contentseen
