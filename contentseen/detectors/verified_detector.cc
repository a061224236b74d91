#include "contentseen/detectors/verified_detector.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "contentseen/memory_refused.h"

namespace contentseen {
namespace {

using Words = KeyedDetector::Words;

// A signature: SimHash, host, counts and bound, then hashes of 32 bits, two a word: keys, main
// shingles, other shingles.
constexpr std::size_t kHostWord = 1;
constexpr std::size_t kCountsWord = 2;
constexpr std::size_t kHeadWords = 3;

constexpr std::size_t kHashesMax = VerifiedDetector::kKeys + kSampleAll;
// Fewer shingles than this on either side, as far as both samples reach, tell nothing: one text is
// ten times as long as the other, or next to its template nothing is left of a page.
constexpr std::uint32_t kComparedMin = 8;

constexpr unsigned kOtherShift = 12;
constexpr unsigned kKeysShift = 24;
constexpr unsigned kBasisShift = 28;
constexpr unsigned kBoundShift = 32;

// A signature read. A value, so that what was stored by somebody else is read by its bounds: as
// nothing at all where it is none.
class Reading {
 public:
  explicit Reading(Words signature) {
    if (signature.size() < kHeadWords) return;
    const std::uint64_t counts = signature[kCountsWord];
    const std::uint64_t basis = counts >> kBasisShift & 0xF;
    const std::size_t keys = counts >> kKeysShift & 0xF;
    const std::size_t main = counts & 0xFFF;
    const std::size_t other = counts >> kOtherShift & 0xFFF;
    const std::size_t hashes = keys + main + other;
    sound_ = main <= kSampleMain && main + other <= kSampleAll &&
             keys == std::min(VerifiedDetector::kKeys, main) &&
             basis <= static_cast<std::uint64_t>(Basis::kOwnText) &&
             signature.size() == kHeadWords + (hashes + 1) / 2;
    if (!sound_) return;
    host_ = signature[kHostWord];
    basis_ = static_cast<Basis>(basis);
    keys_ = keys;
    main_ = main;
    other_ = other;
    bound_ = static_cast<std::uint32_t>(counts >> kBoundShift);
    for (std::size_t i = 0; i < hashes; ++i) {
      hashes_[i] = static_cast<std::uint32_t>(signature[kHeadWords + i / 2] >> i % 2 * 32);
    }
  }

  // Whether it has the shape of what Pack() makes.
  bool sound() const { return sound_; }

  std::uint64_t host() const { return host_; }
  std::span<const std::uint32_t> keys() const { return std::span(hashes_).first(keys_); }
  ShingleSample::View sample() const {
    return {std::span(hashes_).subspan(keys_, main_),
            std::span(hashes_).subspan(keys_ + main_, other_), bound_};
  }
  // Main and other shingles.
  std::span<const std::uint32_t> all() const {
    return std::span(hashes_).subspan(keys_, main_ + other_);
  }
  std::uint32_t bound() const { return bound_; }
  Basis basis() const { return basis_; }

 private:
  std::array<std::uint32_t, kHashesMax> hashes_;
  std::uint64_t host_ = 0;
  std::size_t keys_ = 0;
  std::size_t main_ = 0;
  std::size_t other_ = 0;
  std::uint32_t bound_ = 0;
  Basis basis_ = Basis::kWholeText;
  bool sound_ = false;
};

Signature Pack(const AnalyzedText& text, const ShingleSample& sample,
               std::span<const std::uint32_t> keys) {
  Signature signature = {text.fingerprint(), text.host(),
                         sample.main.size() | sample.other.size() << kOtherShift |
                             keys.size() << kKeysShift |
                             static_cast<std::uint64_t>(sample.basis) << kBasisShift |
                             std::uint64_t{sample.bound} << kBoundShift};
  std::size_t i = 0;
  for (const auto& hashes : {keys, std::span<const std::uint32_t>(sample.main),
                             std::span<const std::uint32_t>(sample.other)}) {
    for (const std::uint32_t hash : hashes) {
      if (i % 2 == 0) signature.push_back(0);
      signature.back() |= std::uint64_t{hash} << i++ % 2 * 32;
    }
  }
  return signature;
}

bool ShareKey(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

std::vector<std::uint64_t> ShingleKeys(Words signature) {
  const Reading reading(signature);
  return {reading.keys().begin(), reading.keys().end()};
}

// The lesser of both containments, in hundredths; nothing where a text is too small to tell.
std::optional<std::uint32_t> Resemblance(const Reading& a, const Reading& b) {
  if (a.all().size() < kComparedMin || b.all().size() < kComparedMin) return std::nullopt;
  const Overlap overlap = OverlapOf(a.sample(), b.sample());
  if (overlap.a < kComparedMin || overlap.b < kComparedMin) return 0;
  return std::min(100 * overlap.a_in_b / overlap.a, 100 * overlap.b_in_a / overlap.b);
}

}  // namespace

base::Result<std::unique_ptr<VerifiedDetector>> VerifiedDetector::Create(
    const ContentSeenOptions& options) {
  auto fingerprints = HammingIndex::Create(
      {.k = static_cast<unsigned>(options.k), .expected_n = options.documents_expected});
  if (!fingerprints) return base::Fail(std::move(fingerprints.error().message));
  const auto create = [&]() -> base::Result<std::unique_ptr<VerifiedDetector>> {
    return std::unique_ptr<VerifiedDetector>(
        new VerifiedDetector(options, std::move(*fingerprints)));
  };
  return UnlessRefusedMemory(
      create, std::to_string(options.verified.host_sketch_kib) + " KiB of host_sketch_kib",
      "give it less");
}

VerifiedDetector::VerifiedDetector(const ContentSeenOptions& options,
                                   std::unique_ptr<HammingIndex> fingerprints)
    : KeyedDetector(options.features.key, kCandidatesMax),
      key_(options.features.key),
      k_(options.k),
      options_(options.verified),
      hosts_(std::size_t{options.verified.host_sketch_kib} << 10, options.features.key),
      fingerprints_(std::move(fingerprints)) {}

bool VerifiedDetector::Sign(const AnalyzedText& text, Signature* signature) const {
  const HostSketch::Reader host(hosts_, text.host());
  const ShingleSample sample = SampleShingles(text, host, key_);
  const std::span<const std::uint32_t> main = sample.main;
  *signature = Pack(text, sample, main.first(std::min(kKeys, main.size())));
  return text.features().distinct > 0;
}

bool VerifiedDetector::Takes(const Signature& signature) const {
  return Reading(signature).sound();
}

Evidence VerifiedDetector::Weigh(Words a, Words b) const {
  const int distance = Distance(a.front(), b.front());
  return {.first = {"shingles", Resemblance(Reading(a), Reading(b)).value_or(0), 100},
          .second = {"bits", static_cast<std::uint32_t>(kFingerprintBits - distance),
                     static_cast<std::uint32_t>(kFingerprintBits)}};
}

Evidence VerifiedDetector::Least() const {
  return {.first = {"shingles",
                    std::min({options_.resemblance_min_percent,
                              options_.resemblance_min_percent_same_host,
                              options_.resemblance_min_percent_within_k}),
                    100},
          .second = {"bits", 0, static_cast<std::uint32_t>(kFingerprintBits)}};
}

bool VerifiedDetector::IsSimilar(Words a, Words b) const {
  const bool within_k = Distance(a.front(), b.front()) <= k_;
  const Reading left(a);
  const Reading right(b);
  if (!within_k && !ShareKey(left.keys(), right.keys())) return false;
  const std::optional<std::uint32_t> resemblance = Resemblance(left, right);
  if (!resemblance) return within_k;
  const bool same_host = left.host() == right.host() && left.host() != 0;
  std::uint32_t least =
      same_host ? options_.resemblance_min_percent_same_host : options_.resemblance_min_percent;
  if (within_k) least = std::min(least, options_.resemblance_min_percent_within_k);
  return *resemblance >= least;
}

Basis VerifiedDetector::BasisOf(const Signature& signature) const {
  return Reading(signature).basis();
}

std::vector<std::uint64_t> VerifiedDetector::Keys(Words signature) const {
  std::vector<std::uint64_t> keys = ShingleKeys(signature);
  keys.push_back(signature.front());
  return keys;
}

std::vector<std::uint64_t> VerifiedDetector::KeysToAsk(Words signature) const {
  const Fingerprint asked = signature.front();
  std::vector<Fingerprint> near;
  fingerprints_->ForEachWithin(asked, [&near](Fingerprint found) { near.push_back(found); });
  if (near.size() > kCandidatesMax) {
    const auto rank = [asked](Fingerprint x) { return std::pair(Distance(x, asked), x); };
    std::ranges::nth_element(near, near.begin() + kCandidatesMax, {}, rank);
    near.resize(kCandidatesMax);
  }
  std::vector<std::uint64_t> keys = ShingleKeys(signature);
  keys.insert(keys.end(), near.begin(), near.end());
  return keys;
}

void VerifiedDetector::Learn(Words signature) {
  fingerprints_->Insert(signature.front());
  const Reading reading(signature);
  if (reading.host() != 0) hosts_.Add(reading.host(), reading.all(), reading.bound());
}

bool VerifiedDetector::Save(ImageWriter& image) const {
  if (!KeyedDetector::Save(image)) return false;
  hosts_.Save(image);
  fingerprints_->Save(image);
  return true;
}

bool VerifiedDetector::Load(ImageReader& image) {
  if (!KeyedDetector::Load(image) || !hosts_.Load(image)) return false;
  auto fingerprints = HammingIndex::Load(image, {.k = fingerprints_->k()});
  if (!fingerprints) return false;
  fingerprints_ = std::move(*fingerprints);
  return true;
}

std::size_t VerifiedDetector::memory_bytes() const {
  return KeyedDetector::memory_bytes() + hosts_.memory_bytes() + fingerprints_->bytes();
}

}  // namespace contentseen
