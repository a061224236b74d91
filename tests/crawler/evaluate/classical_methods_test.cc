#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "contentseen/detectors/detectors.h"
#include "contentseen/detectors/spots.h"
#include "contentseen/text/analyzed_text.h"
#include "crawler/evaluate/evaluation.h"
#include "crawler/evaluate/evaluation_pages.h"
#include "crawler/evaluate/labelled_pages.h"
#include "tests/shared_files.h"
#include "tests/temp_folder.h"

// The rules of the literature, computed once more from the tokens alone and with other hash
// functions, for every pair and without any index: what the detectors score on the labelled pages
// is then the method's worth and not a fault of the program's. Hashes are random functions, so
// the two agree up to chance: precision, recall and F1 within two points.
namespace crawler {
namespace {

using contentseen::AnalyzedText;
using Words = std::vector<std::string_view>;

std::uint64_t Finalized(std::uint64_t x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
  return x ^ x >> 33;
}

/// FNV-1a through a finalizer. Every seed is another random function.
std::uint64_t HashOf(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ Finalized(seed);
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return Finalized(hash);
}

/// How often each run of `length` words stands in a text.
std::unordered_map<std::uint64_t, std::uint32_t> ShingleCounts(const Words& words,
                                                               std::size_t length,
                                                               std::uint64_t seed) {
  std::unordered_map<std::uint64_t, std::uint32_t> counts;
  for (std::size_t i = 0; i + length <= words.size(); ++i) {
    std::string joined;
    for (std::size_t j = i; j < i + length; ++j) joined.append(words[j]).push_back('\n');
    ++counts[HashOf(joined, seed)];
  }
  return counts;
}

std::vector<std::uint64_t> ShingleSet(const Words& words, std::size_t length, std::uint64_t seed) {
  std::vector<std::uint64_t> set;
  for (const auto& shingle : ShingleCounts(words, length, seed)) set.push_back(shingle.first);
  std::sort(set.begin(), set.end());
  return set;
}

/// Jaccard's coefficient; 0 for an empty set, which has no minimum.
double Jaccard(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::vector<std::uint64_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  const std::size_t either = a.size() + b.size() - both.size();
  return both.empty() ? 0 : static_cast<double>(both.size()) / static_cast<double>(either);
}

/// Of 6 groups of 14 minima 2 or more agree, where one minimum does with probability `jaccard`.
double TwoOfSix(double jaccard) {
  const double p = std::pow(jaccard, 14);
  return 1 - std::pow(1 - p, 6) - 6 * p * std::pow(1 - p, 5);
}

/// Of 14 bands of 8 minima one agrees.
double OneOfFourteen(double jaccard) { return 1 - std::pow(1 - std::pow(jaccard, 8), 14); }

constexpr std::size_t kProjected = 384;
using Signs = std::array<bool, kProjected>;

Signs Projected(const Words& words, std::uint64_t seed) {
  std::array<std::int64_t, kProjected> sums{};
  for (const auto& [word, count] : ShingleCounts(words, 1, seed)) {
    for (std::size_t begin = 0; begin < kProjected; begin += 64) {
      const std::uint64_t row = Finalized(word + begin);
      for (std::size_t i = 0; i < 64; ++i) {
        sums[begin + i] += (row >> i & 1) != 0 ? std::int64_t{count} : -std::int64_t{count};
      }
    }
  }
  Signs signs{};
  for (std::size_t bit = 0; bit < kProjected; ++bit) signs[bit] = sums[bit] > 0;
  return signs;
}

std::size_t EqualSigns(const Signs& a, const Signs& b) {
  std::size_t equal = 0;
  for (std::size_t bit = 0; bit < kProjected; ++bit) equal += a[bit] == b[bit] ? 1 : 0;
  return equal;
}

/// Words weigh 3 and runs of three 2, times 1 + floor(log2 n), n at most 128.
std::uint64_t SimHashed(const Words& words, std::uint64_t seed, std::size_t& features) {
  std::array<std::int64_t, 64> sums{};
  features = 0;
  for (const auto& [length, weight] : {std::pair<std::size_t, int>{1, 3}, {3, 2}}) {
    for (const auto& [shingle, count] : ShingleCounts(words, length, seed)) {
      ++features;
      const int damped = weight * std::bit_width(std::min(count, 128U));
      for (std::size_t i = 0; i < 64; ++i) sums[i] += (shingle >> i & 1) != 0 ? damped : -damped;
    }
  }
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < 64; ++i) hash |= std::uint64_t{sums[i] > 0} << i;
  return hash;
}

/// SpotSigs with chains of two neighbours: a multiset of "antecedent word word". The lists of
/// antecedents and stop-words are the detector's: they are its input.
std::map<std::string, std::uint64_t> SpotsOf(const Words& words) {
  using contentseen::SpotRole;
  std::map<std::string, std::uint64_t> spots;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (contentseen::RoleOf(words[i]) != SpotRole::kAntecedent) continue;
    // Of a Chinese or Japanese bigram the first character is the antecedent.
    const bool bigram = static_cast<unsigned char>(words[i][0]) >= 0xe3;
    std::string spot(bigram ? words[i].substr(0, 3) : words[i]);
    int left = 2;
    for (std::size_t j = i + 1; j < words.size() && left > 0; ++j) {
      if (contentseen::RoleOf(words[j]) != SpotRole::kContent) continue;
      spot.append(":").append(words[j]);
      --left;
    }
    if (left == 0) ++spots[spot];
  }
  return spots;
}

std::uint64_t SizeOf(const std::map<std::string, std::uint64_t>& spots) {
  std::uint64_t size = 0;
  for (const auto& spot : spots) size += spot.second;
  return size;
}

bool SpotsAgree(const std::map<std::string, std::uint64_t>& a,
                const std::map<std::string, std::uint64_t>& b) {
  if (SizeOf(a) < 4 || SizeOf(b) < 4) return false;
  std::uint64_t shared = 0;
  for (const auto& [spot, count] : a) {
    const auto other = b.find(spot);
    if (other != b.end()) shared += std::min(count, other->second);
  }
  return static_cast<double>(shared) / static_cast<double>(SizeOf(a) + SizeOf(b) - shared) >= 0.44;
}

/// Scripts whose tokens are pieces of words, not words: their length says nothing.
bool IsPiece(std::string_view word) {
  const auto lead = static_cast<unsigned char>(word[0]);
  return (lead >= 0xe2 && lead <= 0xed) || lead == 0xef || (lead == 0xf0 && word.size() >= 4);
}

/// Nutch's profile: words of more than two characters with their counts, rounded down.
std::map<std::string_view, std::uint64_t> ProfileOf(const Words& words) {
  std::map<std::string_view, std::uint64_t> counts;
  std::uint64_t highest = 0;
  for (const std::string_view word : words) {
    const auto characters = std::count_if(word.begin(), word.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    });
    if (characters > 2 || IsPiece(word)) highest = std::max(highest, ++counts[word]);
  }
  auto quant = static_cast<std::uint64_t>(std::lround(0.01 * static_cast<double>(highest)));
  if (quant < 2) quant = highest > 1 ? 2 : 1;
  for (auto& [word, count] : counts) count -= count % quant;
  std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
  return counts;
}

/// A page as all the rules see it.
struct Judged {
  std::string text;
  std::size_t features = 0;
  std::uint64_t simhash = 0;
  std::vector<std::uint64_t> shingling;
  std::vector<std::uint64_t> minhash;
  Signs projection{};
  std::map<std::string, std::uint64_t> spots;
  std::map<std::string_view, std::uint64_t> profile;
  std::set<std::string_view> words;
};

/// `text` keeps what the views refer to.
void JudgeTokens(AnalyzedText& analyzed, const std::string& text, std::uint64_t seed,
                 Judged& page) {
  analyzed.Assign(text);
  page.text = std::string(analyzed.normalized());
  Words words;
  for (const contentseen::Token& token : analyzed.tokens()) words.push_back(token.In(page.text));
  page.simhash = SimHashed(words, seed, page.features);
  page.shingling = ShingleSet(words, 8, seed);
  page.minhash = ShingleSet(words, 5, seed);
  page.projection = Projected(words, seed);
  page.spots = SpotsOf(words);
  page.profile = ProfileOf(words);
  page.words.insert(words.begin(), words.end());
}

/// I-Match: which words the lexicon takes, from the numbers of pages that have them.
class Terms {
 public:
  Terms(const std::vector<Judged>& pages, std::uint64_t seed)
      : seed_(seed), pages_(static_cast<double>(pages.size())) {
    for (const Judged& page : pages) {
      for (const std::string_view word : page.words) ++frequencies_[word];
    }
  }

  /// The words of a page in random lexicon `number`; in the whole lexicon for 0.
  std::set<std::string_view> Of(const Judged& page, std::uint64_t number) const {
    std::set<std::string_view> terms;
    for (const std::string_view word : page.words) {
      const double nidf = std::log((pages_ + 1) / frequencies_.at(word)) / std::log(pages_ + 1);
      const bool dropped = number > 0 && Finalized(HashOf(word, seed_) ^ number << 40) % 10 < 3;
      if (nidf >= 0.20 && nidf <= 0.85 && !dropped) terms.insert(word);
    }
    return terms;
  }

  bool Agree(const Judged& a, const Judged& b) const {
    for (std::uint64_t number = 0; number <= 10; ++number) {
      const auto terms = Of(a, number);
      if (terms.size() >= 4 && terms == Of(b, number)) return true;
    }
    return false;
  }

 private:
  const std::uint64_t seed_;
  const double pages_;
  std::unordered_map<std::string_view, double> frequencies_;
};

/// How likely the rule is to hold, over all choices of min-wise hash functions; 0 or 1 of a rule
/// that takes no minima.
double Agree(const std::string& rule, const Judged& a, const Judged& b, const Terms& terms) {
  const auto equal_signs = [&] { return EqualSigns(a.projection, b.projection); };
  if (rule == "shingling") return TwoOfSix(Jaccard(a.shingling, b.shingling));
  if (rule == "minhash") return OneOfFourteen(Jaccard(a.minhash, b.minhash));
  if (rule == "combined") {
    return equal_signs() >= 355 ? TwoOfSix(Jaccard(a.shingling, b.shingling)) : 0;
  }
  if (rule == "simhash") return std::popcount(a.simhash ^ b.simhash) <= 3 ? 1 : 0;
  if (rule == "random-projection") return equal_signs() >= 372 ? 1 : 0;
  if (rule == "spotsigs") return SpotsAgree(a.spots, b.spots) ? 1 : 0;
  if (rule == "text-profile") return !a.profile.empty() && a.profile == b.profile ? 1 : 0;
  if (rule == "i-match") return terms.Agree(a, b) ? 1 : 0;
  ADD_FAILURE() << "no rule for " << rule;
  return 0;
}

/// Equal texts are duplicates to every method, and below 40 features they alone.
double Flagged(const std::string& rule, const Judged& a, const Judged& b, const Terms& terms) {
  if (a.text.empty() || b.text.empty()) return 0;
  if (a.text == b.text) return 1;
  return a.features >= 40 && b.features >= 40 ? Agree(rule, a, b, terms) : 0;
}

/// The archive's pages below `folder`; false where they cannot be unpacked here.
bool Unpack(const std::filesystem::path& archive, const std::filesystem::path& folder) {
  const std::string command =
      "zstd -q -d --long=27 -c '" + archive.string() + "' | tar x -C '" + folder.string() + "'";
  return std::system(command.c_str()) == 0;
}

std::vector<Judged> JudgeAll(const std::vector<SourcedPage>& sourced, std::uint64_t seed) {
  std::vector<Judged> pages(sourced.size());
  std::vector<std::jthread> threads;
  const std::size_t count = std::max(1U, std::thread::hardware_concurrency());
  for (std::size_t first = 0; first < count; ++first) {
    threads.emplace_back([&, first] {
      AnalyzedText analyzed(contentseen::FeatureOptions{});
      for (std::size_t i = first; i < pages.size(); i += count) {
        JudgeTokens(analyzed, sourced[i].document.text, seed, pages[i]);
      }
    });
  }
  threads.clear();
  return pages;
}

/// Counts over several hash functions, or what is to be expected of them.
struct Sums {
  double hits = 0;
  double false_alarms = 0;
  double duplicates = 0;

  double Precision() const { return hits / (hits + false_alarms); }
  double Recall() const { return hits / duplicates; }
  double F1() const { return 2 * hits / (hits + false_alarms + duplicates); }
  void Add(bool duplicate, double flagged) {
    (duplicate ? hits : false_alarms) += flagged;
    if (duplicate) ++duplicates;
  }
  void Add(const Counts& counts) {
    hits += static_cast<double>(counts.hits);
    false_alarms += static_cast<double>(counts.false_alarms);
    duplicates += static_cast<double>(counts.hits + counts.misses);
  }
};

/// One pair in six, and the pages that stand in them.
LabelledPages Sample(const LabelledPages& all) {
  LabelledPages set;
  std::map<std::uint32_t, std::uint32_t> numbers;
  const auto number = [&](std::uint32_t page) {
    const auto [place, added] =
        numbers.emplace(page, static_cast<std::uint32_t>(set.pages.size()));
    if (added) set.pages.push_back(all.pages[page]);
    return place->second;
  };
  for (std::size_t i = 0; i < all.pairs.size(); i += 6) {
    LabelledPair pair = all.pairs[i];
    pair.a = number(pair.a);
    pair.b = number(pair.b);
    set.pairs.push_back(pair);
  }
  set.paired = set.pages.size();
  return set;
}

// Pages of a site share most of their shingles, so one unlucky hash function moves many pairs at
// once: between two of them the recall of shingling on the whole set differs by up to 3.8 points,
// though both are right. So the detectors are run under several.
constexpr std::uint64_t kSeeds = 5;

TEST(ClassicalMethods, ScoreAsTheirRulesDoByBruteForce) {
  const auto shared = tests::SharedFolder("data/near-duplicates");
  if (!shared) GTEST_SKIP() << tests::kNoShared;
  const tests::TempFolder folder;
  if (!Unpack(*shared / "pages.tar.zst", folder.path())) {
    GTEST_SKIP() << "pages.tar.zst was not unpacked: zstd and tar are needed";
  }
  const auto all = ReadLabelledPages(*shared / "pairs.tsv");
  ASSERT_TRUE(all) << all.error().message;
  const LabelledPages set = Sample(*all);
  Options options;
  const auto sourced = SourcePages(set, set.paired, folder.path(), options);
  ASSERT_TRUE(sourced) << sourced.error().message;
  std::vector<std::string> names;
  for (const std::string_view name : contentseen::DetectorNames()) {
    if (name != "verified") names.emplace_back(name);
  }
  ASSERT_EQ(names.size(), 8U);
  std::map<std::string, Sums> found;
  std::map<std::string, Sums> expected;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    options.contentseen.features.key = seed;
    const auto detectors = MakeDetectors(names, *sourced, options);
    ASSERT_TRUE(detectors) << detectors.error().message;
    const auto sketches = SketchPages(*sourced, *detectors, options);
    const std::vector<Judged> judged = JudgeAll(*sourced, seed);
    const Terms terms(judged, seed);
    for (std::size_t i = 0; i < names.size(); ++i) {
      found[names[i]].Add(Evaluate(set, sketches[i], *(*detectors)[i]).all);
      for (const LabelledPair& pair : set.pairs) {
        expected[names[i]].Add(pair.dup, Flagged(names[i], judged[pair.a], judged[pair.b], terms));
      }
    }
  }
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Sums& is = found[name];
    const Sums& should = expected[name];
    EXPECT_NEAR(is.Precision(), should.Precision(), 0.02);
    EXPECT_NEAR(is.Recall(), should.Recall(), 0.02);
    EXPECT_NEAR(is.F1(), should.F1(), 0.02);
    EXPECT_GT(is.Recall(), 0.15) << "the same texts alone are that many";
    RecordProperty(
        name, fmt::format("P {:.4f} {:.4f} R {:.4f} {:.4f} F1 {:.4f} {:.4f}", is.Precision(),
                          should.Precision(), is.Recall(), should.Recall(), is.F1(), should.F1()));
  }
}

}  // namespace
}  // namespace crawler
