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
/// bound (a bottom-k sample: Broder 1997; Cohen, Kaplan, PODC 2007), told apart in three kinds.
/// All documents hash alike, so what two texts have in common is in both samples, as far up as
/// both reach.
///
///     ShingleSample a = SampleShingles(text, host, key);
///     if (Containment(a.view(), b.view()) > .9) ...        // nearly all of a stands in b
///
/// *Main* shingles are what a text is compared by: those of its content that were not common on
/// the host when the sample was drawn. *Doubtful* ones speak against a resemblance and never for
/// one: lists of links, the same on all pages of a site, or all that tells one page from another.
/// *Other* ones are the boilerplate's, and what the host repeats. Where too few are main, more is
/// taken for it step by step (`basis` and `widest` say which): first the doubtful, then what the
/// host repeats (`repeated` says how much that is), then all.
struct ShingleSample {
  struct View {
    std::span<const std::uint32_t> main;
    std::span<const std::uint32_t> doubtful;
    std::span<const std::uint32_t> other;
    std::uint32_t bound = 0;
    std::uint32_t main_bound = 0;
  };
  View view() const { return {main, doubtful, other, bound, main_bound}; }

  /// Ascending, each once: the upper half of the hashes of 3-token shingles.
  std::vector<std::uint32_t> main;
  std::vector<std::uint32_t> doubtful;
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

/// What two samples tell of each other: of `a` main shingles of the one, `a_in_b` stand in the
/// other, main or not; of its doubtful ones `a_more` do not.
struct Overlap {
  std::uint32_t a = 0;
  std::uint32_t a_in_b = 0;
  std::uint32_t a_more = 0;
  std::uint32_t b = 0;
  std::uint32_t b_in_a = 0;
  std::uint32_t b_more = 0;
};
Overlap OverlapOf(const ShingleSample::View& a, const ShingleSample::View& b);

}  // namespace contentseen
