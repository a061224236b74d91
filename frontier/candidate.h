#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frontier/url.h"

namespace frontier {

/// What a URL is expected to lead to.
enum class CandidateRole : std::uint8_t {
  kPage = 0,
  /// Named by the user, by a robots.txt (its referrer then), or by an index of sitemaps.
  kSitemap = 1,
  /// Nothing at all: asked for to see how its host says so. It goes ahead of what waits at its
  /// origin, but for a seed, and no limit of URLs leaves it out.
  kProbe = 3,
};

/// A URL that someone proposes to crawl, with what is known of how it was found.
struct Candidate {
  Url url;
  /// The page that links here, if any.
  std::optional<Url> referrer = std::nullopt;
  /// The first URL of the chain of redirects that led here, if any did.
  std::optional<Url> asked = std::nullopt;
  /// Links from a seed; of a sitemap, the indexes above it.
  std::uint32_t depth = 0;
  /// Redirects followed so far to come here from `asked`.
  std::uint32_t redirects = 0;
  /// Attempts that failed before this one.
  std::uint32_t attempt = 0;
  /// Named by the user, or the target of such a one's redirect: widens the scope.
  bool seed = false;
  CandidateRole role = CandidateRole::kPage;
  /// When it last changed, as a sitemap says and in its words (W3C date or RFC 822); at most 64
  /// bytes, empty where none says so.
  std::string modified = {};

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

}  // namespace frontier
