#include "contentseen/text/features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "contentseen/text/analyzed_text.h"
#include "contentseen/text/simhash.h"
#include "tests/contentseen/texts.h"

namespace contentseen {
namespace {

Features FeaturesOf(const std::string& text, const FeatureOptions& options = {}) {
  AnalyzedText analyzed(options);
  analyzed.Assign(text);
  return analyzed.features();
}

Fingerprint FingerprintOf(const std::string& text, const FeatureOptions& options = {}) {
  return SimHashOf(FeaturesOf(text, options));
}

constexpr FeatureOptions kAllLengths = {.shingle_weights = {2, 1, 1}};

// Weights by shingle, counted on the words themselves: length weight * (1 + floor(log2 n)).
std::multiset<std::uint32_t> ReferenceWeights(const std::vector<std::string>& words,
                                              const FeatureOptions& options) {
  std::map<std::vector<std::string>, int> counts;
  for (std::size_t length = 1; length <= kShingleTokensMax; ++length) {
    if (options.shingle_weights[length - 1] == 0) continue;
    for (std::size_t i = 0; i + length <= words.size(); ++i) {
      const auto first = words.begin() + static_cast<std::ptrdiff_t>(i);
      ++counts[{first, first + static_cast<std::ptrdiff_t>(length)}];
    }
  }
  std::multiset<std::uint32_t> weights;
  for (const auto& [shingle, n] : counts) {
    const auto damped = static_cast<std::uint32_t>(1 + std::floor(std::log2(std::min(n, 128))));
    weights.insert(damped * options.shingle_weights[shingle.size() - 1]);
  }
  return weights;
}

TEST(Features, WeightsFollowTheFormula) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> words(random() % 400);
    std::string text;
    const std::size_t vocabulary = 1 + random() % 60;
    for (std::string& word : words) {
      word = "w" + std::to_string(random() % vocabulary);
      text += word + " ";
    }
    FeatureOptions options;
    for (std::uint32_t& weight : options.shingle_weights) {
      weight = static_cast<std::uint32_t>(random() % 4);
    }
    const Features features = FeaturesOf(text, options);
    std::multiset<std::uint32_t> weights;
    for (const WeightedFeature& feature : Summed(features)) weights.insert(feature.weight);
    const auto expected = ReferenceWeights(words, options);
    ASSERT_EQ(weights, expected) << "round " << round;
    ASSERT_EQ(features.distinct, expected.size());
  }
}

TEST(Features, ManyDistinctShinglesAreAllCounted) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + ' ';
  // Two may be taken for one, once in 2^22 (tally.h).
  EXPECT_NEAR(FeaturesOf(text, kAllLengths).distinct, 3 * 100'000 - 3, 2);
}

// Row 82 of ../shared/design/hostile-inputs.md.
TEST(Features, Row82ARepeatedTokenCannotOutweighAPage) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "spam ";
  const Features features = FeaturesOf(text, kAllLengths);
  EXPECT_EQ(features.distinct, 3u);
  for (const WeightedFeature& feature : Summed(features)) {
    EXPECT_LE(feature.weight, kDampedTfMax * 2);
  }
}

TEST(Features, ShinglesOfOneTokenRepeatedAreApartByLength) {
  EXPECT_EQ(FeaturesOf("a a a a", kAllLengths).distinct, 3u);
}

TEST(Features, NoTokensNoFeatures) {
  EXPECT_EQ(FeaturesOf("").distinct, 0u);
  EXPECT_EQ(FeaturesOf("...").distinct, 0u);
  EXPECT_EQ(FingerprintOf("..."), 0u);
}

TEST(Features, ExtractorForgetsTheTextBefore) {
  AnalyzedText analyzed({});
  analyzed.Assign("one two three four five six seven");
  analyzed.Assign("one two");
  EXPECT_EQ(analyzed.features().distinct, 2u);
  EXPECT_EQ(Summed(analyzed.features()), Summed(FeaturesOf("one two")));
}

TEST(Features, UnrelatedTextsLieHalfTheBitsApart) {
  std::mt19937_64 random(11);
  int sum = 0;
  int least = 64;
  constexpr int kPairs = 500;
  for (int i = 0; i < kPairs; ++i) {
    const int distance = Distance(FingerprintOf(tests::Article(random, 300)),
                                  FingerprintOf(tests::Article(random, 300)));
    sum += distance;
    least = std::min(least, distance);
  }
  EXPECT_GT(least, 10);
  EXPECT_GT(sum / kPairs, 23);
}

// Row 116 of ../shared/design/hostile-inputs.md: without the key a text cannot be aimed.
TEST(Features, Row116AnotherKeyIsAnotherFingerprint) {
  std::mt19937_64 random(12);
  const std::string text = tests::Article(random, 300);
  EXPECT_EQ(FingerprintOf(text, {.key = 1}), FingerprintOf(text, {.key = 1}));
  EXPECT_GT(Distance(FingerprintOf(text, {.key = 1}), FingerprintOf(text, {.key = 2})), 10);
}

TEST(Features, EveryBitIsSetAboutHalfTheTime) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i) + ' ';
  const Features features = FeaturesOf(text, kAllLengths);
  for (const Features::Block& block : features.blocks) {
    for (int bit = 0; bit < 64; ++bit) {
      int set = 0;
      for (const std::uint64_t hash : block.hashes) set += static_cast<int>(hash >> bit & 1);
      const double part = set / static_cast<double>(block.hashes.size());
      // Eight standard deviations of a fair coin.
      EXPECT_NEAR(part, 0.5, 4 / std::sqrt(block.hashes.size())) << "bit " << bit;
    }
  }
}

TEST(AnalyzedText, GivesMemoryBackAndGoesOn) {
  AnalyzedText analyzed({});
  // Many tokens, each another kind than the one before.
  std::string words;
  std::vector<Passage> passages;
  for (int i = 0; i < 300'000; ++i) {
    passages.push_back({.begin = static_cast<std::uint32_t>(words.size()),
                        .boilerplate = static_cast<std::uint8_t>(i % 2 * 255)});
    words += "w" + std::to_string(i) + ' ';
  }
  const std::string word(AnalyzedText::kKeptBytesMax, 'x');
  for (const bool many : {true, false}) {
    if (many) {
      analyzed.Assign(words, passages);
    } else {
      analyzed.Assign(word);
    }
    EXPECT_GT(analyzed.capacity_bytes(), AnalyzedText::kKeptBytesMax);
    analyzed.Release();
    EXPECT_LE(analyzed.capacity_bytes(), AnalyzedText::kKeptBytesMax);
    analyzed.Assign("one two");
    EXPECT_EQ(analyzed.features().distinct, 2u);
  }
}

TEST(AnalyzedText, KeepsTheMemoryOfAPageForTheNext) {
  AnalyzedText analyzed({});
  analyzed.Assign("one two");
  const std::size_t before = analyzed.capacity_bytes();
  EXPECT_GT(before, 0U);
  analyzed.Release();
  EXPECT_EQ(analyzed.capacity_bytes(), before);
}

}  // namespace
}  // namespace contentseen
