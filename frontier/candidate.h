#pragma once

#include <cstdint>
#include <optional>

#include "frontier/url.h"

namespace frontier {

/// What a URL is expected to lead to.
enum class CandidateRole : std::uint8_t {
  kPage,
  kSitemap,      // named by a robots.txt, which is its referrer
  kSitemapPart,  // named by a sitemap index; its referrer is that robots.txt too
  kProbe,        // nothing at all: asked for to see how its host says so
};

/// A URL that someone proposes to crawl, with what is known of how it was found.
struct Candidate {
  Url url;
  /// The page that links here, if any.
  std::optional<Url> referrer = std::nullopt;
  /// The first URL of the chain of redirects that led here, if any did.
  std::optional<Url> asked = std::nullopt;
  /// Links from a seed.
  std::uint32_t depth = 0;
  /// Redirects followed so far to come here from `asked`.
  std::uint32_t redirects = 0;
  /// Attempts that failed before this one.
  std::uint32_t attempt = 0;
  /// Named by the user, or the target of such a one's redirect: widens the scope.
  bool seed = false;
  CandidateRole role = CandidateRole::kPage;

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

}  // namespace frontier
