#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "contentseen/detectors/detector.h"
#include "contentseen/detectors/key_index.h"
#include "contentseen/detectors/signature_store.h"
#include "contentseen/options.h"

namespace contentseen {

/// Near means: the multisets of spots resemble each other, sum of smaller over sum of larger
/// counts, by 0.44 or more (Theobald, Siddharth, Paepcke, SIGIR 2008). Spots sit in prose, so
/// navigation and other furniture of a page hardly takes part.
///
///     auto detector = std::make_unique<SpotSigsDetector>(options);
///
/// Documents lie in partitions by their number of spots, such that a partner is at most one
/// partition away; in each an inverted index is gone through from the rarest of the query's spots
/// on, and left as soon as what remains of the query cannot reach the threshold. All in whole
/// numbers: a pair exactly at the threshold is found.
///
/// Found exactly within two limits: candidates are the first 128 documents of a spot in a
/// partition, and a text is compared with 1,024 of them, those first that share its rarest spots,
/// of its own partition and then of the two beside it. A spot that more pages have belongs to
/// their template; a copy is lost when it shares no other with its original.
///
/// Signature: SimHash, number of spots, then each different spot's hash and count, by hash. A text
/// of fewer than 4 spots has none; of one with more than kSpotsMax the first are taken. Evidence:
/// spots, of their union.
/// Thread safety: all methods, at once. Cost: Find() asks for at most 128 documents of each
/// different spot in three partitions, and compares with at most 1,024; a comparison is linear in
/// the spots of both. Memory of 16 bytes and a key for each spot.
class SpotSigsDetector final : public Detector {
 public:
  /// REQUIRES: valid options.
  explicit SpotSigsDetector(const ContentSeenOptions& options);

  std::string_view name() const override { return "spotsigs"; }
  bool Sign(const AnalyzedText& text, Signature* signature) const override;
  bool Takes(const Signature& signature) const override;
  bool Similar(const Signature& a, const Signature& b) const override;
  Evidence Compare(const Signature& a, const Signature& b) const override;
  Evidence Least() const override {
    return {.first = {"spots", options_.resemblance_min_percent, 100}};
  }
  std::optional<Match> Find(const Signature& signature) const override;
  void Insert(const Signature& signature, DocumentId document) override;
  bool Save(ImageWriter& image) const override {
    signatures_.Save(image);
    index_.Save(image);
    return true;
  }
  base::Status Load(ImageReader& image) override {
    if (!signatures_.Load(image) || !index_.Load(image)) return image.Refusal();
    return {};
  }
  std::size_t size() const override { return signatures_.size(); }
  std::size_t memory_bytes() const override {
    return signatures_.memory_bytes() + index_.memory_bytes();
  }

  /// How many documents Find() compares with.
  std::size_t CandidatesOf(const Signature& signature) const {
    return Candidates(signature).size();
  }

  /// Documents of one spot in a partition that are candidates, and those of one text.
  static constexpr std::uint32_t kDocumentsOfSpotMax = 128;
  static constexpr std::size_t kCandidatesMax = 1024;

  /// The signature of a text with these spots, in any order.
  static Signature SignatureOf(Fingerprint fingerprint, std::vector<std::uint64_t> spots);

 private:
  std::vector<SignatureStore::Place> Candidates(std::span<const std::uint64_t> signature) const;
  void AddCandidates(std::span<const std::uint64_t> signature, std::size_t partition,
                     std::vector<SignatureStore::Place>* candidates) const;
  std::size_t PartitionOf(std::span<const std::uint64_t> signature) const;

  const std::uint64_t key_;
  const SpotSigsOptions options_;
  // The least number of spots in each partition.
  const std::vector<std::uint64_t> partitions_;
  SignatureStore signatures_;
  // By partition and spot. Filled after signatures_.
  KeyIndex index_;
};

/// The least number of spots in each partition: from `spots_min` on, one is closed at the first e
/// with e - least > (1 - resemblance) e, up to kSpotsMax; the last has no end.
std::vector<std::uint64_t> SpotPartitions(std::uint64_t spots_min,
                                          std::uint32_t resemblance_min_percent);

}  // namespace contentseen
