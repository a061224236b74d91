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
/// bound (a bottom-k sample: Broder 1997; Cohen, Kaplan, PODC 2007), told apart in two kinds. All
/// documents hash alike, so what two texts have in common is in both samples, as far up as both
/// reach.
///
///     ShingleSample a = SampleShingles(text, host, key);
///     if (Containment(a.view(), b.view()) > .9) ...        // nearly all of a stands in b
///
/// *Main* shingles stand in the main text and were not common on the host when the sample was
/// drawn; the *other* ones are the boilerplate's. Where too few are main, more are taken for it:
/// first the common ones, then all. `basis` says which it was.
struct ShingleSample {
  struct View {
    std::span<const std::uint32_t> main;
    std::span<const std::uint32_t> other;
    std::uint32_t bound = 0;
  };
  View view() const { return {main, other, bound}; }

  /// Ascending, each once: the upper half of the hashes of 3-token shingles.
  std::vector<std::uint32_t> main;
  std::vector<std::uint32_t> other;
  /// All under it were taken. As low as it must be for the limits below.
  std::uint32_t bound = 0;
  Basis basis = Basis::kWholeText;
};

inline constexpr std::size_t kSampleWords = 3;
/// A sample ends with the so-manieth main shingle, or shingle of either kind.
inline constexpr std::size_t kSampleMain = 96;
inline constexpr std::size_t kSampleAll = 256;
/// The least that counts as a main text.
inline constexpr std::size_t kSampleMainMin = 24;

/// Draws the sample of a text. Empty when the text has no shingle. Cost: 10 ns a token.
ShingleSample SampleShingles(const AnalyzedText& text, const HostSketch::Reader& host,
                             std::uint64_t key);

/// What two samples tell of each other: of `a` main shingles of the one, `a_in_b` stand in the
/// other, main or not.
struct Overlap {
  std::uint32_t a = 0;
  std::uint32_t a_in_b = 0;
  std::uint32_t b = 0;
  std::uint32_t b_in_a = 0;
  /// Main in both.
  std::uint32_t shared = 0;
};
Overlap OverlapOf(const ShingleSample::View& a, const ShingleSample::View& b);

}  // namespace contentseen
