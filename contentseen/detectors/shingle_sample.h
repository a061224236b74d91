#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "contentseen/detectors/host_sketch.h"
#include "contentseen/evidence.h"
#include "contentseen/text/analyzed_text.h"

namespace contentseen {

/// What is kept of a document's shingles to compare it with others: those whose hash is under a
/// bound (a bottom-k sample: Broder 1997; Cohen, Kaplan, PODC 2007), told apart in four kinds.
/// All documents hash alike, so what two texts have in common is in both samples, as far up as
/// both reach.
///
///     ShingleSample a = SampleShingles(text, host, key);
///     if (Containment(a.view(), b.view()) > .9) ...        // nearly all of a stands in b
///
/// *Main* shingles are what a text is compared by: those of its content that were not common on
/// the host when the sample was drawn. *Doubtful* ones speak against a resemblance and never for
/// one: lists of links, the same on all pages of a site, or all that tells one page from another.
/// *Unlikely* ones are of the navigation within main, and of what is marked as the site's where
/// the host is known and does not repeat it: the site's menu, or the list that a page is there
/// for. *Other* ones are the rest of the boilerplate's, and what the host repeats: they tell a
/// template. Where too few are main, more is taken for it step by step (`basis` and `widest` say
/// which): first the doubtful, then what the host repeats (`repeated` says how much that is), then
/// the unlikely, then all.
struct ShingleSample {
  struct View {
    std::span<const std::uint32_t> main;
    std::span<const std::uint32_t> doubtful;
    std::span<const std::uint32_t> unlikely;
    std::span<const std::uint32_t> other;
    std::uint32_t bound = 0;
    std::uint32_t main_bound = 0;
  };
  View view() const { return {main, doubtful, unlikely, other, bound, main_bound}; }

  /// Ascending, each once: the upper half of the hashes of 3-token shingles.
  std::vector<std::uint32_t> main;
  std::vector<std::uint32_t> doubtful;
  std::vector<std::uint32_t> unlikely;
  std::vector<std::uint32_t> other;
  /// All main shingles under `main_bound` were taken, all others under `bound`, as low as they
  /// must be for the limits below. Where little is main, of the boilerplate's only those under
  /// the limit of all; where more is known of the page than of its host, what may be either's is
  /// doubtful from `main_bound` on.
  std::uint32_t bound = 0;
  std::uint32_t main_bound = 0;
  Basis basis = Basis::kWholeText;
  /// The most doubtful kind of text that main shingles were taken from.
  TextKind widest = TextKind::kContent;
  /// How many of a hundred main shingles the host is known to repeat on page after page.
  std::uint32_t repeated = 0;
};

inline constexpr std::size_t kSampleWords = 3;
/// A sample ends with the so-manieth main shingle, or shingle of any kind.
inline constexpr std::size_t kSampleMain = 96;
inline constexpr std::size_t kSampleAll = 256;
/// Where fewer main ones than these were met it goes on with so many more of those that may be
/// main. Of what is left beside the host's template as many are asked for: a copy of the
/// template's page may differ by its date alone.
inline constexpr std::size_t kSampleOwnMin = 24;
inline constexpr std::size_t kSampleMore = 64;
/// The least of a sample that tells something.
inline constexpr std::size_t kSampleMainMin = 8;
/// The least that is taken for the words of a page beside its menu: a title and a price. What has
/// fewer than kSampleMainMin is compared with care.
inline constexpr std::size_t kSampleFewMin = 3;

/// Draws the sample of a text. Empty when the text has no shingle. Cost: 10 ns a token.
ShingleSample SampleShingles(const AnalyzedText& text, const HostSketch::Reader& host,
                             std::uint64_t key);

/// What two samples tell of each other.
struct Overlap {
  /// Of the main shingles of one of them.
  struct Side {
    std::uint32_t main = 0;
    /// Those that stand in the other one, main or not.
    std::uint32_t found = 0;
    /// Of the kinds beside them those that do not: as many as there would be up to where the main
    /// ones reach.
    std::uint32_t doubtful_lacking = 0;
    std::uint32_t unlikely_lacking = 0;
    std::uint32_t other_lacking = 0;  // none where they may be of a date at the menu's edge
    /// Other ones, and those that stand in the other sample.
    std::uint32_t other = 0;
    std::uint32_t other_found = 0;
  };
  Side a;
  Side b;
};
Overlap OverlapOf(const ShingleSample::View& a, const ShingleSample::View& b);

}  // namespace contentseen
