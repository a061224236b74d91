#include "contentseen/detectors/text_profile_detector.h"

#include <string>

#include "contentseen/detectors/text_profile.h"
#include "contentseen/digest.h"

namespace contentseen {

TextProfileDetector::TextProfileDetector(const ContentSeenOptions& options)
    : KeyedDetector(options.features.key), options_(options.text_profile) {}

bool TextProfileDetector::Sign(const AnalyzedText& text, Signature* signature) const {
  const std::string profile = TextProfile(text.normalized(), text.tokens(), options_);
  if (profile.empty()) return false;
  const Key128 digest = KeyOf(Md5(profile));
  *signature = {text.fingerprint(), digest.high, digest.low};
  return true;
}

Evidence TextProfileDetector::Weigh(Words a, Words b) const {
  return {.first = {"profiles", IsSimilar(a, b) ? 1u : 0u, 1}};
}

bool TextProfileDetector::IsSimilar(Words a, Words b) const {
  return a[1] == b[1] && a[2] == b[2];
}

std::vector<std::uint64_t> TextProfileDetector::Keys(Words signature) const {
  return {signature[1]};
}

}  // namespace contentseen
