#include "contentseen/detectors/i_match_detector.h"

#include <algorithm>
#include <string>
#include <utility>

#include "contentseen/digest.h"
#include "contentseen/mix.h"

namespace contentseen {
namespace {

// The terms of the text that the lexicon has, in the order of bytes.
std::vector<std::string_view> TermsOf(const AnalyzedText& text, const Lexicon& lexicon) {
  std::vector<std::string_view> terms;
  for (const Token& token : text.tokens()) {
    const std::string_view term = token.In(text.normalized());
    if (lexicon.Contains(term)) terms.push_back(term);
  }
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

// Lexicon 0 has every term; the others leave out that part of them, by a hash under the key.
bool IsIn(std::uint64_t term, std::uint32_t lexicon, std::uint32_t dropped_percent) {
  return lexicon == 0 || Mix64(term + lexicon * kGoldenStep) % 100 >= dropped_percent;
}

}  // namespace

std::array<std::uint8_t, 20> IMatchDigest(std::span<const std::string_view> terms) {
  std::string joined;
  for (const std::string_view term : terms) {
    if (!joined.empty()) joined += '\n';
    joined += term;
  }
  return Sha1(joined);
}

base::Result<std::unique_ptr<IMatchDetector>> IMatchDetector::Create(
    const ContentSeenOptions& options) {
  if (options.i_match.lexicon.empty()) {
    return base::Fail(
        "the detector \"i-match\" needs a lexicon, but its option lexicon names none: make one "
        "with `contentseen lexicon`");
  }
  auto lexicon = Lexicon::Read(options.i_match.lexicon);
  if (!lexicon) return base::Fail(std::move(lexicon.error().message));
  return std::make_unique<IMatchDetector>(options, std::move(*lexicon));
}

IMatchDetector::IMatchDetector(const ContentSeenOptions& options, Lexicon lexicon)
    : KeyedDetector(options.features.key),
      key_(options.features.key),
      options_(options.i_match),
      lexicon_(std::move(lexicon)) {}

bool IMatchDetector::Save(ImageWriter& image) const {
  image.Put(Xxh3Key(lexicon_.version()).low);
  return KeyedDetector::Save(image);
}

base::Status IMatchDetector::Load(ImageReader& image) {
  std::uint64_t version = 0;
  if (!image.Take(version)) return image.Refusal();
  if (version != Xxh3Key(lexicon_.version()).low) {
    return base::Fail("the image was saved with another lexicon than " + options_.lexicon);
  }
  return KeyedDetector::Load(image);
}

bool IMatchDetector::Sign(const AnalyzedText& text, Signature* signature) const {
  const std::vector<std::string_view> terms = TermsOf(text, lexicon_);
  if (terms.size() < options_.terms_min) return false;
  std::vector<std::uint64_t> hashes;
  for (const std::string_view term : terms) hashes.push_back(Xxh3Key(term, key_).low);
  signature->assign(1, text.fingerprint());
  std::vector<std::string_view> kept;
  for (std::uint32_t lexicon = 0; lexicon <= options_.random_lexicons; ++lexicon) {
    kept.clear();
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (IsIn(hashes[i], lexicon, options_.dropped_percent)) kept.push_back(terms[i]);
    }
    const Key128 digest = kept.size() < options_.terms_min ? Key128{} : KeyOf(IMatchDigest(kept));
    signature->insert(signature->end(), {digest.high, digest.low});
  }
  return true;
}

std::uint32_t IMatchDetector::EqualLexicons(Words a, Words b) {
  std::uint32_t equal = 0;
  for (std::size_t i = 1; i < a.size(); i += 2) {
    const bool none = a[i] == 0 && a[i + 1] == 0;
    equal += !none && a[i] == b[i] && a[i + 1] == b[i + 1] ? 1 : 0;
  }
  return equal;
}

Evidence IMatchDetector::Weigh(Words a, Words b) const {
  return {.first = {"lexicons", EqualLexicons(a, b), options_.random_lexicons + 1}};
}

bool IMatchDetector::IsSimilar(Words a, Words b) const { return EqualLexicons(a, b) > 0; }

std::vector<std::uint64_t> IMatchDetector::Keys(Words signature) const {
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 1; i < signature.size(); i += 2) {
    const bool none = signature[i] == 0 && signature[i + 1] == 0;
    if (!none) keys.push_back(Mix64(signature[i]) + i);
  }
  return keys;
}

}  // namespace contentseen
