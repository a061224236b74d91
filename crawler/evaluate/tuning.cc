#include "crawler/evaluate/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "contentseen/hamming/hamming_index.h"
#include "contentseen/text/analyzed_text.h"
#include "contentseen/text/token_hashes.h"
#include "crawler/io/word_diff.h"

namespace crawler {
namespace {

using contentseen::Fingerprint;

constexpr std::size_t kShingleWords = 3;
constexpr std::size_t kExampleWordsMax = 12;
constexpr std::size_t kContextWords = 3;

using Random = std::mt19937_64;

/// Evenly from 0 .. n - 1, but for a bias below 2^-40 for any number of pages.
std::size_t Draw(Random& random, std::size_t n) { return random() % n; }

struct PagePair {
  std::size_t a = 0;
  std::size_t b = 0;
};

/// An even choice of what passes by (Vitter's Algorithm R), and how much did. Of pairs that come
/// as a crowd, between two groups of equal fingerprints, at most `room` compete for a place.
class Reservoir {
 public:
  explicit Reservoir(std::size_t room) : room_(room) {}

  /// `count` pairs, of which `pair(i)` gives the i-th.
  template <class PairAt>
  void Add(std::uint64_t count, Random& random, const PairAt& pair) {
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, room_); ++i) {
      const std::uint64_t number = count <= room_ ? i : Draw(random, count);
      ++met_;
      if (pairs_.size() < room_) {
        pairs_.push_back(pair(number));
      } else if (const std::size_t place = Draw(random, met_); place < room_) {
        pairs_[place] = pair(number);
      }
    }
    count_ += count;
  }

  std::uint64_t count() const { return count_; }
  const std::vector<PagePair>& pairs() const { return pairs_; }

 private:
  const std::size_t room_;
  std::uint64_t met_ = 0;
  std::uint64_t count_ = 0;
  std::vector<PagePair> pairs_;
};

/// The i-th pair of 0 .. n - 1: (1, 0), (2, 0), (2, 1), (3, 0) ...
PagePair TrianglePair(std::uint64_t i) {
  auto a = static_cast<std::uint64_t>((1 + std::sqrt(1 + 8 * static_cast<double>(i))) / 2);
  while (a * (a - 1) / 2 > i) --a;  // the root is rounded
  while (a * (a + 1) / 2 <= i) ++a;
  return {a, i - a * (a - 1) / 2};
}

/// Numbers of the pages looked at, by their fingerprints.
using Groups = std::map<Fingerprint, std::vector<std::size_t>>;

Groups GroupsOf(std::span<const TunedPage> pages, std::size_t pages_max, Random& random) {
  std::vector<std::size_t> numbers(pages.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  const std::size_t taken = std::min(pages.size(), pages_max);
  for (std::size_t i = 0; i < taken; ++i) {
    std::swap(numbers[i], numbers[i + Draw(random, numbers.size() - i)]);
  }
  numbers.resize(taken);
  std::sort(numbers.begin(), numbers.end());
  Groups groups;
  for (const std::size_t number : numbers) groups[pages[number].fingerprint].push_back(number);
  return groups;
}

using NearPairs = std::vector<Reservoir>;  // by distance

/// All pairs within kDistanceMax, each once. Gives how many fingerprints were crowded.
base::Result<std::uint64_t> FindNearPairs(const Groups& groups, Random& random,
                                          NearPairs& reservoirs) {
  auto index = contentseen::HammingIndex::Create(
      {.k = contentseen::kDistanceMax, .expected_n = groups.size()});
  if (!index) return base::Fail(index.error().message);
  std::uint64_t crowded = 0;
  std::vector<Fingerprint> neighbours;
  for (const auto& group : groups) {
    const Fingerprint fingerprint = group.first;
    const std::vector<std::size_t>& members = group.second;
    const std::uint64_t own = members.size();
    reservoirs[0].Add(own * (own - 1) / 2, random, [&](std::uint64_t i) {
      const PagePair places = TrianglePair(i);
      return PagePair{members[places.a], members[places.b]};
    });
    neighbours.clear();
    (*index)->ForEachWithin(fingerprint, [&](Fingerprint neighbour) {
      neighbours.push_back(neighbour);
      return neighbours.size() <= kNeighboursMax;
    });
    if (neighbours.size() > kNeighboursMax) ++crowded;
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    for (const Fingerprint neighbour : neighbours) {
      const std::vector<std::size_t>& others = groups.at(neighbour);
      const auto distance =
          static_cast<std::size_t>(contentseen::Distance(fingerprint, neighbour));
      reservoirs[distance].Add(own * others.size(), random, [&](std::uint64_t i) {
        return PagePair{others[i / own], members[i % own]};
      });
    }
    (*index)->Insert(fingerprint);
  }
  return crowded;
}

/// What the texts of pairs say.
class Comparer {
 public:
  Comparer(std::span<const TunedPage> pages, const TextById& text, const TuningOptions& options)
      : pages_(pages), text_(text), options_(options), analyzed_(options.judging.features) {}

  /// Fills all of a bin but its distance and its number of pairs.
  base::Status Fill(std::span<const PagePair> pairs, DistanceBin& bin) {
    std::vector<double> all;
    for (const PagePair& pair : pairs) {
      if (base::Status read = Load(pair); !read) return read;
      if (!a_.kept || !b_.kept) {
        ++bin.missing;
      } else if (a_.too_short || b_.too_short) {
        ++bin.too_short;
      } else {
        all.push_back(Resemblance());
        if (bin.examples.size() < options_.examples) AddExample(pair, all.back(), bin);
      }
    }
    bin.compared = all.size();
    if (all.empty()) return {};
    bin.mean_resemblance =
        std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
    // Of an even number the lower one in the middle: half of the pairs resemble at least so much.
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
    std::nth_element(all.begin(), middle, all.end());
    bin.median_resemblance = *middle;
    return {};
  }

 private:
  struct Side {
    bool kept = false;
    bool too_short = false;
    std::string text;
    std::vector<std::uint64_t> shingles;  // a set, in order
  };

  base::Status Load(const PagePair& pair) {
    for (const auto& [number, side] : {std::pair(pair.a, &a_), std::pair(pair.b, &b_)}) {
      auto text = text_(pages_[number].text_id);
      if (!text) return base::Fail(text.error().message);
      side->kept = text->has_value();
      if (!side->kept) continue;
      side->text = std::move(**text);
      analyzed_.Assign(side->text);
      side->too_short = analyzed_.features().distinct < options_.judging.features_min;
      side->shingles =
          contentseen::ShingleHashes(analyzed_, kShingleWords, options_.judging.features.key);
      std::sort(side->shingles.begin(), side->shingles.end());
      side->shingles.erase(std::unique(side->shingles.begin(), side->shingles.end()),
                           side->shingles.end());
      analyzed_.Release();
    }
    return {};
  }

  double Resemblance() const {
    std::vector<std::uint64_t> both;
    std::set_intersection(a_.shingles.begin(), a_.shingles.end(), b_.shingles.begin(),
                          b_.shingles.end(), std::back_inserter(both));
    const std::size_t either = a_.shingles.size() + b_.shingles.size() - both.size();
    // Neither has three words: too short for a comparison, unless the crawl had no minimum.
    if (either == 0) return a_.text == b_.text ? 1 : 0;
    return static_cast<double>(both.size()) / static_cast<double>(either);
  }

  void AddExample(const PagePair& pair, double resemblance, DistanceBin& bin) const {
    const std::string& url_a = pages_[pair.a].url;
    const std::string& url_b = pages_[pair.b].url;
    for (const TuningExample& shown : bin.examples) {
      if (std::minmax(shown.url_a, shown.url_b) == std::minmax(url_a, url_b)) return;
    }
    const WordDiff diff = DiffWords(a_.text, b_.text);
    WordDiff first;
    std::size_t words = 0;
    for (const DiffRun& run : diff.runs) {
      if (words == kExampleWordsMax) break;
      first.runs.push_back(run);
      if (run.kind == DiffRun::Kind::kSame) continue;
      const std::size_t taken = std::min(run.words.size(), kExampleWordsMax - words);
      first.runs.back().words.resize(taken);
      words += taken;
    }
    if (words == 0) first.runs.clear();
    std::string difference = DiffText(first, kContextWords, /*colours=*/false);
    difference.erase(difference.find_last_not_of(" \n") + 1);
    bin.examples.push_back({url_a, url_b, resemblance, std::move(difference)});
  }

  const std::span<const TunedPage> pages_;
  const TextById& text_;
  const TuningOptions& options_;
  contentseen::AnalyzedText analyzed_;
  Side a_;
  Side b_;
};

base::Status AddRandomPairs(std::span<const TunedPage> pages, const Groups& groups,
                            const TuningOptions& options, Random& random, Comparer& comparer,
                            Tuning& tuning) {
  std::vector<std::size_t> sampled;
  for (const auto& group : groups) {
    sampled.insert(sampled.end(), group.second.begin(), group.second.end());
  }
  if (sampled.size() < 2) return {};
  std::map<int, Reservoir> by_distance;
  for (std::size_t i = 0; i < options.random_pairs; ++i) {
    const std::size_t a = Draw(random, sampled.size());
    const std::size_t b = Draw(random, sampled.size() - 1);
    const PagePair pair{sampled[a], sampled[b < a ? b : b + 1]};
    const int distance =
        contentseen::Distance(pages[pair.a].fingerprint, pages[pair.b].fingerprint);
    by_distance.try_emplace(distance, options.pairs_per_distance)
        .first->second.Add(1, random, [&](std::uint64_t) { return pair; });
  }
  for (const auto& [distance, reservoir] : by_distance) {
    DistanceBin& bin = tuning.random.emplace_back();
    bin.distance = distance;
    bin.pairs = reservoir.count();
    if (base::Status filled = comparer.Fill(reservoir.pairs(), bin); !filled) return filled;
  }
  return {};
}

}  // namespace

base::Result<Tuning> Tune(std::span<const TunedPage> pages, const TextById& text,
                          const TuningOptions& options) {
  CHECK(options.pages_max >= 2 && options.pairs_per_distance >= 1);
  Random random(options.seed);
  const Groups groups = GroupsOf(pages, options.pages_max, random);
  Tuning tuning;
  tuning.pages = pages.size();
  tuning.pages_sampled = std::min(pages.size(), options.pages_max);
  tuning.fingerprints = groups.size();
  NearPairs reservoirs(contentseen::kDistanceMax + 1, Reservoir(options.pairs_per_distance));
  auto crowded = FindNearPairs(groups, random, reservoirs);
  if (!crowded) return base::Fail(crowded.error().message);
  tuning.crowded = *crowded;
  Comparer comparer(pages, text, options);
  for (int distance = 0; distance <= contentseen::kDistanceMax; ++distance) {
    const Reservoir& reservoir = reservoirs[static_cast<std::size_t>(distance)];
    DistanceBin& bin = tuning.near.emplace_back();
    bin.distance = distance;
    bin.pairs = reservoir.count();
    base::Status filled = comparer.Fill(reservoir.pairs(), bin);
    if (!filled) return base::Fail(filled.error().message);
  }
  base::Status added = AddRandomPairs(pages, groups, options, random, comparer, tuning);
  if (!added) return base::Fail(added.error().message);
  tuning.k = SuggestK(tuning.near, options.resemblance_min, tuning.reason);
  return tuning;
}

std::optional<int> SuggestK(std::span<const DistanceBin> near, double resemblance_min,
                            std::string& reason) {
  const DistanceBin* last = nullptr;
  const auto median_of = [](const DistanceBin& bin) {
    return fmt::format("the median resemblance of {} pairs at distance {} is {:.2f}", bin.compared,
                       bin.distance, bin.median_resemblance);
  };
  for (const DistanceBin& bin : near) {
    if (bin.compared == 0) continue;
    if (bin.median_resemblance < resemblance_min) {
      reason = median_of(bin) + fmt::format(", below {:.2f}", resemblance_min);
      if (last == nullptr) {
        reason += ", and no nearer pair is better: no k can be told from these pages.";
        return std::nullopt;
      }
      reason = median_of(*last) + "; " + reason + ".";
      return last->distance;
    }
    last = &bin;
  }
  if (last == nullptr) {
    const bool any =
        std::ranges::any_of(near, [](const DistanceBin& bin) { return bin.pairs > 0; });
    reason = fmt::format("no two pages with kept texts {} within {} bits: no k can be told.",
                         any ? "could be compared" : "are", contentseen::kDistanceMax);
    return std::nullopt;
  }
  reason = median_of(*last) + fmt::format(
                                  ", and no pairs are worse than {:.2f} up to the largest "
                                  "k there is, {}.",
                                  resemblance_min, contentseen::kDistanceMax);
  return last->distance;
}

}  // namespace crawler
