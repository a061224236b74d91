#include "contentseen/detectors/detectors.h"

#include <array>
#include <string>
#include <utility>

#include "contentseen/detectors/combined_detector.h"
#include "contentseen/detectors/i_match_detector.h"
#include "contentseen/detectors/minhash_detector.h"
#include "contentseen/detectors/projection_detector.h"
#include "contentseen/detectors/shingling_detector.h"
#include "contentseen/detectors/simhash_detector.h"
#include "contentseen/detectors/spotsigs_detector.h"
#include "contentseen/detectors/text_profile_detector.h"
#include "contentseen/detectors/verified_detector.h"
#include "contentseen/digest.h"

namespace contentseen {
namespace {

using Made = base::Result<std::unique_ptr<Detector>>;

template <class D>
Made New(const ContentSeenOptions& options) {
  return std::make_unique<D>(options);
}

template <class D>
Made AsDetector(base::Result<std::unique_ptr<D>> made) {
  if (!made) return base::Fail(std::move(made.error().message));
  return std::unique_ptr<Detector>(std::move(*made));
}

template <class D>
Made Create(const ContentSeenOptions& options) {
  return AsDetector(D::Create(options));
}

Made CreateSimHash(const ContentSeenOptions& options) {
  return AsDetector(SimHashDetector::Create(options.k, options.documents_expected));
}

struct Method {
  std::string_view name;
  Made (*make)(const ContentSeenOptions& options);
  // What it digests with, beside the SHA-256 of every text.
  const char* digest = "SHA256";
};

constexpr std::array kMethods = {
    Method{"verified", Create<VerifiedDetector>},
    Method{"simhash", CreateSimHash},
    Method{"shingling", New<ShinglingDetector>},
    Method{"random-projection", New<ProjectionDetector>},
    Method{"combined", New<CombinedDetector>},
    Method{"i-match", Create<IMatchDetector>, "SHA1"},
    Method{"spotsigs", New<SpotSigsDetector>},
    Method{"minhash", New<MinHashDetector>},
    Method{"text-profile", New<TextProfileDetector>, "MD5"},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kMethods.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kMethods[i].name;
  return names;
}();

}  // namespace

std::span<const std::string_view> DetectorNames() { return kNames; }

Made MakeDetector(std::string_view name, const ContentSeenOptions& options) {
  for (const Method& method : kMethods) {
    if (method.name != name) continue;
    for (const char* digest : {"SHA256", method.digest}) {
      if (base::Status offered = OffersDigest(digest); !offered) {
        return base::Fail("the detector \"" + std::string(name) +
                          "\" cannot be had: " + offered.error().message);
      }
    }
    return method.make(options);
  }
  return base::Fail("there is no detector \"" + std::string(name) + "\"");
}

}  // namespace contentseen
