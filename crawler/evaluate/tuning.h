#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "contentseen/fingerprint.h"
#include "contentseen/options.h"

namespace crawler {

/// A page that a crawl has judged.
struct TunedPage {
  std::string url;
  contentseen::Fingerprint fingerprint = 0;
  /// Key of its text.
  std::uint64_t text_id = 0;
};

/// How much of a crawl is looked at.
struct TuningOptions {
  /// Of more pages, a random choice of so many; 2 to 100 million.
  std::size_t pages_max = 1'000'000;
  /// Pairs of each distance whose texts are compared; 1 to 10,000.
  std::size_t pairs_per_distance = 50;
  /// Pairs taken without looking at their fingerprints; 0 to 1 million.
  std::size_t random_pairs = 1'000;
  /// Examples kept of each distance; 0 to 100.
  std::size_t examples = 3;
  /// A distance is near enough when half of its pairs resemble each other so much; 0..1.
  double resemblance_min = 0.9;
  std::uint64_t seed = 1;
  /// As the crawl judged: what features are made of, and how many a page must have.
  contentseen::ContentSeenOptions judging{};
};

/// Two pages and how they differ.
struct TuningExample {
  std::string url_a;
  std::string url_b;
  double resemblance = 0;
  /// The first words that differ, as DiffText() writes them; "" for equal words.
  std::string difference;
};

/// The pairs whose fingerprints lie so far apart.
struct DistanceBin {
  int distance = 0;
  /// Of the pages looked at; near ones are counted all (but see Tuning::crowded), others among
  /// the random pairs.
  std::uint64_t pairs = 0;
  /// Pairs whose texts were compared: Jaccard's coefficient of their sets of word 3-shingles.
  std::uint64_t compared = 0;
  double mean_resemblance = 0;
  double median_resemblance = 0;
  /// Pairs that were drawn, but a text was not kept, or is too short for fingerprints to count.
  std::uint64_t missing = 0;
  std::uint64_t too_short = 0;
  std::vector<TuningExample> examples;
};

/// What a crawl's own pages say about the threshold k.
struct Tuning {
  std::size_t pages = 0;  // judged by the crawl
  std::size_t pages_sampled = 0;
  std::size_t fingerprints = 0;  // different ones among the latter
  /// Distance 0 to kDistanceMax: pairs found with the Hamming index.
  std::vector<DistanceBin> near;
  /// Distances of random pairs, those that occur.
  std::vector<DistanceBin> random;
  /// Fingerprints with so many neighbours that not all of their pairs were counted.
  std::uint64_t crowded = 0;
  /// The largest distance up to which every distance is near enough; nothing where even the
  /// nearest pairs are not, or there are none.
  std::optional<int> k;
  /// One sentence.
  std::string reason;
};

/// Neighbours of one fingerprint that are looked at.
inline constexpr std::size_t kNeighboursMax = 4'096;

/// A text by its key; nothing where it was not kept.
using TextById = std::function<base::Result<std::optional<std::string>>(std::uint64_t text_id)>;

/// Measures how much alike the texts of a crawl are at each Hamming distance: the way in which
/// Manku, Jain and Das Sarma chose k = 3 (WWW 2007, section 4), with the resemblance of the texts
/// in the place of people who look at pairs.
///
///     base::Result<Tuning> tuning = Tune(pages, text_by_id, {});
///     Show(tuning->k, tuning->reason);
///
/// Fails when a text cannot be read or memory is refused. REQUIRES: options in their ranges.
/// Thread safety: pure but for `text`. Cost: an index lookup with k = 10 a page; two texts and
/// their shingles a pair that is compared, and a diff an example.
base::Result<Tuning> Tune(std::span<const TunedPage> pages, const TextById& text,
                          const TuningOptions& options);

/// The suggestion that bins of rising distances lead to.
std::optional<int> SuggestK(std::span<const DistanceBin> near, double resemblance_min,
                            std::string& reason);

}  // namespace crawler
