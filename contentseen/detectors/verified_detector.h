#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contentseen/detectors/host_sketch.h"
#include "contentseen/detectors/keyed_detector.h"
#include "contentseen/detectors/shingle_sample.h"
#include "contentseen/detectors/title_words.h"
#include "contentseen/hamming/hamming_index.h"
#include "contentseen/options.h"

namespace contentseen {

/// Near means what a reader means: the main text of each of the two pages stands, nearly all of
/// it, in the other one. Template twins are not near, and a page in a new template is.
///
///     auto detector = VerifiedDetector::Create(options);
///     if (!detector) return base::Fail(detector.error().message);
///
/// * A page's shingles are sampled, and those of its main text told from the rest
///   (shingle_sample.h): by the page's structure, and by what its host repeats on page after page
///   (host_sketch.h; what near pages teach of that, Reject() says). It is settled when the page is
///   signed, and is part of the signature.
/// * Candidates share one of their six smallest main shingles, those first that the host does not
///   repeat (pages of resemblance .5 do with probability .98), or have SimHash fingerprints within
///   k bits. Of either kind there is a limit: the first 128 documents of a shingle (what more of
///   them share belongs to the language or to the web's furniture, and pages alike have five
///   others), and the documents of the nearest fingerprints until 128 are met. Where more than
///   1,024 fingerprints are within k, which is so in a site that is nearly all template, these are
///   the nearest of 1,024.
/// * They are near when the lesser of the two containments of main shingles reaches the threshold:
///   a part that one page has and the other has not counts against both. On one host lists of
///   links that only one has do, too (a menu is on both; what is not may be all that a listing has
///   of its own), in one template or beside a few words everything that only one has, and the
///   threshold is higher; within k bits it is lower, for there the whole
///   texts agree. Where so little is content that lists or menus were compared, they must agree
///   nearly all; where the host's template was, as much of the rest as otherwise of all; and of
///   two pages of a host whose titles have no word of their own in common nearly all as well: a
///   section's notice may be most of each of its pages (title_words.h). (Where the titles are
///   alike what differs in boilerplate tells nothing.) A page of less than eight shingles beside
///   its menu is near within k alone, and a text of less than eight wherever that holds.
///
/// Signature: SimHash of the whole text, host, bounds, keys, title, sample: at most 1.4 KB, 0.6 KB
/// on average. Evidence: main shingles, as a part of 100; then bits of the SimHash. Thread safety:
/// all methods, at once. Cost: signing 20 ns a token. Find(): a look-up in the Hamming index, for
/// k of 4 and 5 some 2 ns for each fingerprint within k besides (it gathers them before it shows
/// one; for k <= 3 there are no more than 43,745), and 0.3 us for each candidate: few on most
/// pages, 1,023 at most. A document takes its signature and 7 keys, 0.8 KB.
class VerifiedDetector final : public KeyedDetector {
 public:
  /// REQUIRES: valid options. Fails when memory is refused.
  static base::Result<std::unique_ptr<VerifiedDetector>> Create(const ContentSeenOptions& options);

  std::string_view name() const override { return "verified"; }
  bool Sign(const AnalyzedText& text, Signature* signature) const override;
  bool Takes(const Signature& signature) const override;
  Evidence Least() const override;
  Evidence LeastOf(const Signature& a, const Signature& b) const override;
  Basis BasisOf(const Signature& signature) const override;
  void Reject(const Signature& signature, const Match& match) override;
  bool Save(ImageWriter& image) const override;
  base::Status Load(ImageReader& image) override;
  std::size_t memory_bytes() const override;

  static constexpr std::size_t kKeys = 6;
  /// Documents of one key that are candidates, and of fingerprints within k.
  static constexpr std::uint32_t kCandidatesMax = 128;
  /// Fingerprints within k of which those of the candidates are the nearest.
  static constexpr std::size_t kFingerprintsMax = 1'024;

  /// `asked` itself, admitted or not, and those admitted within k of it, the nearest first;
  /// kFingerprintsMax at most, of more the first that the index comes to. Find() looks at their
  /// documents until there are kCandidatesMax.
  std::vector<Fingerprint> NearFingerprints(Fingerprint asked) const;

 protected:
  Evidence Weigh(Words a, Words b) const override;
  bool IsSimilar(Words a, Words b) const override;
  std::vector<std::uint64_t> Keys(Words signature) const override;
  std::vector<std::uint64_t> KeysToAsk(Words signature) const override;
  bool KnownOfOneHost(Words a, Words b) const override;
  void Learn(Words signature) override;

 private:
  VerifiedDetector(const ContentSeenOptions& options, std::unique_ptr<HammingIndex> fingerprints);

  const std::uint64_t key_;
  const int k_;
  const VerifiedOptions options_;
  HostSketch hosts_;
  // Those of the documents inserted; each is a key as well.
  std::unique_ptr<HammingIndex> fingerprints_;  // constant but for Load()
};

}  // namespace contentseen
