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

// A signature: SimHash, host, counts, bounds, then hashes of 32 bits, two a word: keys, words of
// the title, main shingles, doubtful ones, unlikely ones, other ones.
constexpr std::size_t kHostWord = 1;
constexpr std::size_t kCountsWord = 2;
constexpr std::size_t kBoundsWord = 3;
constexpr std::size_t kHeadWords = 4;

constexpr std::size_t kHashesMax =
    VerifiedDetector::kKeys + kTitleWordsMax + kSampleAll + kSampleMore;
// What is asked of texts compared with menus and lists of links in them: two pages of a site have
// most of these in common.
constexpr std::uint32_t kWithDoubtfulMinPercent = 95;
// And of two pages of a site that call themselves otherwise: the notice that all pages of a
// section have may be most of each.
constexpr std::uint32_t kTitlesApartMinPercent = 95;
// Main shingles that a page's original lacks, from which on it is more than a copy with another
// number or name in it (each touches three of them, and may stand in four places).
constexpr std::size_t kTellingMin = 12;

// In the counts, from the lowest bit on: main, doubtful, unlikely and other shingles, words of the
// title, keys, basis, widest, repeated.
constexpr unsigned kShinglesBits = 10;
constexpr unsigned kDoubtfulShift = 10;
constexpr unsigned kUnlikelyShift = 20;
constexpr unsigned kOtherShift = 30;
constexpr unsigned kTitleShift = 40;
constexpr unsigned kKeysShift = 44;
constexpr unsigned kBasisShift = 48;
constexpr unsigned kWidestShift = 52;
constexpr unsigned kRepeatedShift = 56;
static_assert(kSampleAll + kSampleMore < 1U << kShinglesBits && kTitleWordsMax < 16);
constexpr unsigned kMainBoundShift = 32;

// A signature read. A value, so that what was stored by somebody else is read by its bounds: as
// nothing at all where it is none.
class Reading {
 public:
  explicit Reading(Words signature) {
    if (signature.size() < kHeadWords) return;
    const std::uint64_t counts = signature[kCountsWord];
    const auto shingles = [counts](unsigned shift) {
      return counts >> shift & ((std::uint64_t{1} << kShinglesBits) - 1);
    };
    const std::size_t main = shingles(0);
    const std::size_t doubtful = shingles(kDoubtfulShift);
    const std::size_t unlikely = shingles(kUnlikelyShift);
    const std::size_t other = shingles(kOtherShift);
    const std::size_t title = counts >> kTitleShift & 0xF;
    const std::size_t keys = counts >> kKeysShift & 0xF;
    const std::uint64_t basis = counts >> kBasisShift & 0xF;
    const std::uint64_t widest = counts >> kWidestShift & 0xF;
    const std::uint64_t repeated = counts >> kRepeatedShift;
    const std::size_t all = main + doubtful + unlikely + other;
    const std::size_t hashes = keys + title + all;
    sound_ = main <= kSampleMain && all <= kSampleAll + kSampleMore && title <= kTitleWordsMax &&
             keys == std::min(VerifiedDetector::kKeys, main) &&
             basis <= static_cast<std::uint64_t>(Basis::kOwnText) &&
             widest <= static_cast<std::uint64_t>(TextKind::kBoilerplate) && repeated <= 100 &&
             signature.size() == kHeadWords + (hashes + 1) / 2;
    if (!sound_) return;
    host_ = signature[kHostWord];
    basis_ = static_cast<Basis>(basis);
    widest_ = static_cast<TextKind>(widest);
    repeated_ = static_cast<std::uint32_t>(repeated);
    keys_ = keys;
    for (std::size_t i = 0; i < hashes; ++i) {
      hashes_[i] = static_cast<std::uint32_t>(signature[kHeadWords + i / 2] >> i % 2 * 32);
    }
    title_ = std::span(hashes_).subspan(keys, title);
    all_ = std::span(hashes_).subspan(keys + title, all);
    sample_ = {all_.first(main),
               all_.subspan(main, doubtful),
               all_.subspan(main + doubtful, unlikely),
               all_.last(other),
               static_cast<std::uint32_t>(signature[kBoundsWord]),
               static_cast<std::uint32_t>(signature[kBoundsWord] >> kMainBoundShift)};
  }
  Reading(const Reading&) = delete;  // views itself
  Reading& operator=(const Reading&) = delete;

  // Whether it has the shape of what Pack() makes.
  bool sound() const { return sound_; }

  std::uint64_t host() const { return host_; }
  std::span<const std::uint32_t> keys() const { return std::span(hashes_).first(keys_); }
  const ShingleSample::View& sample() const { return sample_; }
  std::span<const TitleWord> title() const { return title_; }
  // Shingles of any kind.
  std::span<const std::uint32_t> all() const { return all_; }
  Basis basis() const { return basis_; }
  // In hundredths of the main shingles.
  std::uint32_t repeated() const { return repeated_; }
  // Next to nothing stands beside the menu.
  bool has_few() const { return sample_.main.size() < kSampleMainMin; }
  // Compared with menus and lists of links in it, from which the host's other pages may have taken
  // what they repeat.
  bool with_doubtful() const { return widest_ != TextKind::kContent && basis_ != Basis::kOwnText; }

 private:
  std::array<std::uint32_t, kHashesMax> hashes_;
  std::uint64_t host_ = 0;
  std::size_t keys_ = 0;
  std::span<const TitleWord> title_;
  std::span<const std::uint32_t> all_;
  ShingleSample::View sample_;
  Basis basis_ = Basis::kWholeText;
  TextKind widest_ = TextKind::kContent;
  std::uint32_t repeated_ = 0;
  bool sound_ = false;
};

Signature Pack(const AnalyzedText& text, const ShingleSample& sample,
               std::span<const std::uint32_t> keys, std::span<const TitleWord> title) {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  Signature signature = {
      text.fingerprint(), text.host(),
      number(sample.main.size()) | number(sample.doubtful.size()) << kDoubtfulShift |
          number(sample.unlikely.size()) << kUnlikelyShift |
          number(sample.other.size()) << kOtherShift | number(title.size()) << kTitleShift |
          number(keys.size()) << kKeysShift | number(sample.basis) << kBasisShift |
          number(sample.widest) << kWidestShift | number(sample.repeated) << kRepeatedShift,
      number(sample.bound) | number(sample.main_bound) << kMainBoundShift};
  std::size_t i = 0;
  for (const auto& hashes : {keys, title, std::span<const std::uint32_t>(sample.main),
                             std::span<const std::uint32_t>(sample.doubtful),
                             std::span<const std::uint32_t>(sample.unlikely),
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

void LearnText(const Reading& page, HostSketch* sketch) {
  sketch->Add(page.host(), page.all(), std::max(page.sample().bound, page.sample().main_bound));
}

bool OfOneHost(const Reading& a, const Reading& b) {
  return a.host() == b.host() && a.host() != 0;
}

// The smallest ones, of those that the host repeats as few as can be: everybody has them.
std::vector<std::uint32_t> KeysOf(std::span<const std::uint32_t> main,
                                  const HostSketch::Reader& host) {
  const std::size_t count = std::min(VerifiedDetector::kKeys, main.size());
  std::vector<std::uint32_t> keys;
  std::vector<std::uint32_t> common;
  for (auto next = main.begin(); next != main.end() && keys.size() < count; ++next) {
    (host.IsCommon(*next) ? common : keys).push_back(*next);
  }
  for (std::size_t i = 0; keys.size() < count; ++i) keys.push_back(common[i]);
  return keys;
}

// `found` of `all`, in hundredths; of nothing none is found.
std::uint32_t Part(std::uint32_t found, std::uint32_t all) {
  return all == 0 ? 0 : 100 * found / all;
}

// Most of what is surely the site's stands on both pages: then what else differs is no other
// template's. A menu within main says nothing here, be it the site's or a list of the page's own;
// nor does next to nothing, as where that menu is all that the site has.
bool OfOneTemplate(const Overlap& overlap) {
  return std::ranges::all_of(std::array{overlap.a, overlap.b}, [](const Overlap::Side& side) {
    return side.other >= kSampleMainMin && 3 * side.other_found >= 2 * side.other;
  });
}

// Those of two hosts tell nothing.
Titles TitlesOf(const Reading& a, const Reading& b) {
  return OfOneHost(a, b) ? CompareTitles(a.title(), b.title()) : Titles::kUnclear;
}

// The lesser of both containments, in hundredths; nothing where a text is too small to tell. As
// far as both samples reach one of them has all that it has of main shingles. Of these a copy has
// most, however few, and the same few words are no copy of a long text.
std::optional<std::uint32_t> Resemblance(const Reading& a, const Reading& b, Titles titles) {
  if (a.all().size() < kSampleMainMin || b.all().size() < kSampleMainMin) return std::nullopt;
  const Overlap overlap = OverlapOf(a.sample(), b.sample());
  // Another site has menus of its own, and another template; and beside an article links to others
  // may stand, each time to others. But few words may be everybody's: then all that only one page
  // has tells them apart.
  const bool few = std::min(overlap.a.main, overlap.b.main) < kSampleOwnMin;
  const bool lists_count = few || OfOneHost(a, b);
  const bool all_counts =
      few || (OfOneHost(a, b) && OfOneTemplate(overlap) && titles != Titles::kAlike);
  const auto containment = [&](const Overlap::Side& side) {
    return Part(side.found, side.main + (lists_count ? side.doubtful_lacking : 0) +
                                (all_counts ? side.unlikely_lacking + side.other_lacking : 0));
  };
  return std::min(containment(overlap.a), containment(overlap.b));
}

// What resemblance is asked of two texts.
std::uint32_t Asked(const Reading& a, const Reading& b, Titles titles, bool within_k,
                    const VerifiedOptions& options) {
  std::uint32_t least = OfOneHost(a, b) ? options.resemblance_min_percent_same_host
                                        : options.resemblance_min_percent;
  if (within_k) least = std::min(least, options.resemblance_min_percent_within_k);
  // What the host repeats is on both pages: of the rest as much must be as otherwise of all.
  const std::uint32_t repeated = std::max(a.repeated(), b.repeated());
  least += repeated * (100 - least) / 100;
  if (titles == Titles::kApart) least = std::max(least, kTitlesApartMinPercent);
  const bool with_doubtful = a.with_doubtful() || b.with_doubtful();
  return with_doubtful && !within_k ? std::max(least, kWithDoubtfulMinPercent) : least;
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
  *signature = Pack(text, sample, KeysOf(sample.main, host), TitleWords(text, host, key_));
  return text.features().distinct > 0;
}

bool VerifiedDetector::Takes(const Signature& signature) const {
  return Reading(signature).sound();
}

Evidence VerifiedDetector::Weigh(Words a, Words b) const {
  const int distance = Distance(a.front(), b.front());
  const Reading left(a);
  const Reading right(b);
  const auto resemblance = Resemblance(left, right, TitlesOf(left, right));
  return {.first = {"shingles", resemblance.value_or(0), 100},
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

Evidence VerifiedDetector::LeastOf(const Signature& a, const Signature& b) const {
  const bool within_k = Distance(a.front(), b.front()) <= k_;
  const Reading left(a);
  const Reading right(b);
  const Agreement within = {"bits", static_cast<std::uint32_t>(kFingerprintBits - k_),
                            static_cast<std::uint32_t>(kFingerprintBits)};
  const Titles titles = TitlesOf(left, right);
  if (!Resemblance(left, right, titles)) return {.second = within};
  const bool few = left.has_few() || right.has_few();
  return {.first = {"shingles", Asked(left, right, titles, within_k || few, options_), 100},
          .second = few ? within : Agreement()};
}

bool VerifiedDetector::IsSimilar(Words a, Words b) const {
  const bool within_k = Distance(a.front(), b.front()) <= k_;
  const Reading left(a);
  const Reading right(b);
  if (!within_k && !ShareKey(left.keys(), right.keys())) return false;
  const Titles titles = TitlesOf(left, right);
  const std::optional<std::uint32_t> resemblance = Resemblance(left, right, titles);
  if (!resemblance) return within_k;
  if (!within_k && (left.has_few() || right.has_few())) return false;
  return *resemblance >= Asked(left, right, titles, within_k, options_);
}

Basis VerifiedDetector::BasisOf(const Signature& signature) const {
  return Reading(signature).basis();
}

std::vector<std::uint64_t> VerifiedDetector::Keys(Words signature) const {
  std::vector<std::uint64_t> keys = ShingleKeys(signature);
  keys.push_back(signature.front());
  return keys;
}

std::vector<Fingerprint> VerifiedDetector::NearFingerprints(Fingerprint asked) const {
  // Its own first: pages of one text have it, wherever the index would come to it.
  std::vector<Fingerprint> near = {asked};
  fingerprints_->ForEachWithin(asked, [&near, asked](Fingerprint found) {
    if (found != asked) near.push_back(found);
    return near.size() < kFingerprintsMax;
  });
  std::ranges::sort(near, {}, [asked](Fingerprint x) { return std::pair(Distance(x, asked), x); });
  return near;
}

std::vector<std::uint64_t> VerifiedDetector::KeysToAsk(Words signature) const {
  std::vector<std::uint64_t> keys = ShingleKeys(signature);
  std::size_t documents = 0;
  for (const Fingerprint near : NearFingerprints(signature.front())) {
    if (documents >= kCandidatesMax) break;
    keys.push_back(near);
    documents += DocumentsUnder(near);
  }
  return keys;
}

bool VerifiedDetector::KnownOfOneHost(Words a, Words b) const {
  return OfOneHost(Reading(a), Reading(b));
}

void VerifiedDetector::Learn(Words signature) {
  fingerprints_->Insert(signature.front());
  const Reading reading(signature);
  if (reading.host() == 0) return;
  LearnText(reading, &hosts_);
  LearnTitle(reading.host(), reading.title(), &hosts_);
}

// Where a site's first pages are taken for one it is known by their titles all the same. Its text
// is learned of no copies, or a page's own would be what the host repeats: of none that has next
// to nothing that its original lacks (a calendar without entries, a wall that names what it
// hides). But what is near other hosts' documents alone, and the first of its title, is no copy
// within its host: a notice that hosts share would hide all pages of the later ones. Nor is it
// surely one where titles differ by numbers alone, as those of a law's sections: what is common to
// these would hide them.
void VerifiedDetector::Reject(const Signature& signature, const Match& match) {
  const Reading reading(signature);
  if (reading.host() == 0) return;
  const std::size_t lacking_percent = 100 - match.evidence.first.equal;
  const bool differs = reading.sample().main.size() * lacking_percent >= kTellingMin * 100;
  const bool may_be_copy = match.on_own_host && HasOwnWord(reading.title());
  if (differs && !may_be_copy && IsNewTitle(reading.host(), reading.title(), hosts_)) {
    LearnText(reading, &hosts_);
  }
  LearnTitle(reading.host(), reading.title(), &hosts_);
}

bool VerifiedDetector::Save(ImageWriter& image) const {
  if (!KeyedDetector::Save(image)) return false;
  hosts_.Save(image);
  fingerprints_->Save(image);
  return true;
}

base::Status VerifiedDetector::Load(ImageReader& image) {
  fingerprints_.reset();  // or there would be address space for two of them
  if (base::Status loaded = KeyedDetector::Load(image); !loaded) return loaded;
  if (!hosts_.Load(image)) return image.Refusal();
  auto fingerprints = HammingIndex::Load(image, {.k = static_cast<unsigned>(k_)});
  if (!fingerprints) return base::Fail(std::move(fingerprints.error().message));
  fingerprints_ = std::move(*fingerprints);
  return {};
}

std::size_t VerifiedDetector::memory_bytes() const {
  return KeyedDetector::memory_bytes() + hosts_.memory_bytes() + fingerprints_->bytes();
}

}  // namespace contentseen
