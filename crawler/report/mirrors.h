#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "crawler/web/site_page.h"

namespace crawler {

/// One side of a mirror: all of a site, or what stands below `prefix` on it.
struct MirrorSide {
  std::string site;
  std::string prefix;  // "" or "/a/b", without a slash at its end

  std::string Name() const { return site + prefix; }
  friend auto operator<=>(const MirrorSide&, const MirrorSide&) = default;
};

/// Two sides held against each other: of `tested` paths that stand on at least one of them,
/// `matching` have the same or nearly the same content on both.
struct MirrorPair {
  MirrorSide a;
  MirrorSide b;
  std::uint64_t tested = 0;
  std::uint64_t matching = 0;
  /// At least so large a share of all paths matches (Wilson, 95 %).
  double bound = 0;
  /// Whether `bound` is kMirrorBoundMin or more; else it is only suspected.
  bool certain = false;
  /// Some matching paths, from below the prefixes.
  std::vector<std::string> examples;
};

/// Sides of one content, as the certain pairs join them.
struct MirrorGroup {
  /// The canonical side first (most pages, then the shortest name), then by name.
  std::vector<MirrorSide> sides;
};

struct Mirrors {
  /// Certain ones first, the largest bound first.
  std::vector<MirrorPair> pairs;
  std::vector<MirrorGroup> groups;
};

inline constexpr double kMirrorBoundMin = 0.8;
/// A content on more sites than this (a web server's "It works!") says nothing about two of them.
inline constexpr std::size_t kMirrorSitesMax = 20;
/// What is suspected: at least so many paths match, and a share of kMirrorBoundMin.
inline constexpr std::uint64_t kMirrorMatchingMin = 3;
/// The most candidates that are tested, those with the most contents in common first.
inline constexpr std::size_t kMirrorCandidatesMax = 2'000;

/// Sites, or parts of sites, that mirror each other: Host1/a and Host2/b are mirrors when for
/// (most) paths p the page at Host1/a/p stands at Host2/b/p too (Broder; Bharat and Broder,
/// "Mirror, Mirror on the Web", WWW8 1999).
///
///     Mirrors mirrors = FindMirrors(pages);
///     for (const MirrorPair& pair : mirrors.pairs) Show(pair.a.Name(), pair.b.Name(),
///     pair.bound);
///
/// Candidates are what is left of two URLs of one content on different sites when their longest
/// common path suffix is cut off. A path is tested when the crawl asked for it on both sides and a
/// page was there on at least one. Each content counts once, "/", /robots.txt and /favicon.ico not
/// at all. Two sides are mirrors when Wilson's lower bound of the share of matching paths is
/// kMirrorBoundMin: 16 of 16 and 25 of 26 pass, 5 of 5 does not.
///
/// Thread safety: pure. Cost: n log n for n pages and 40 bytes a page, plus, for each candidate,
/// the pages below its prefix (at most 100,000 are looked at).
Mirrors FindMirrors(std::span<const SitePage> pages);

}  // namespace crawler
