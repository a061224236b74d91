#include "contentseen/detectors/i_match_detector.h"
#include "base/hex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "contentseen/content_seen.h"
#include "contentseen/detectors/detectors.h"
#include "tests/temp_folder.h"

namespace contentseen {
namespace {

using testing::HasSubstr;

TEST(IMatchDigest, PublishedVectors) {
  const std::vector<std::string_view> joined = {"campaigncarolinaprimary"};
  EXPECT_EQ(base::ToHex(IMatchDigest(joined)), "6fc6e6fd839f814880d54606dc3a0f2f2f964ba6");
  const std::vector<std::string_view> terms = {"campaign", "carolina", "primary"};
  EXPECT_EQ(base::ToHex(IMatchDigest(terms)), "2ac68a2843596bfccb10c734f0eaa7184b1c726a");
}

TEST(IMatchDetector, NeedsALexicon) {
  const auto none = MakeDetector("i-match", {});
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message, HasSubstr("needs a lexicon"));
  ContentSeenOptions options;
  options.i_match.lexicon = "/nowhere/lexicon";
  const auto missing = MakeDetector("i-match", options);
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/lexicon: cannot open"));
}

// All of term0 ... term999, or of fewer.
Lexicon Thousand(int terms = 1'000) {
  LexiconBuilder builder;
  AnalyzedText text{FeatureOptions{}};
  std::string words;
  for (int i = 0; i < terms; ++i) words += "term" + std::to_string(i) + " ";
  text.Assign(words);
  builder.Add(text);
  return builder.Build({0, 100});
}

Signature Sign(const IMatchDetector& detector, std::string_view words, bool* has = nullptr) {
  AnalyzedText text{FeatureOptions{}};
  text.Assign(words);
  Signature signature;
  const bool signed_it = detector.Sign(text, &signature);
  if (has != nullptr) *has = signed_it;
  return signature;
}

TEST(IMatchDetector, OrderCountsAndWordsOutsideOfTheLexiconDoNotMatter) {
  const IMatchDetector detector({}, Thousand());
  const Signature a = Sign(detector, "term1 term2 term3 term4 term5 unknown");
  const Signature b = Sign(detector, "Term5, term4; term4 other: term3 term2 term1");
  EXPECT_TRUE(detector.Similar(a, b));
  EXPECT_EQ(detector.Compare(a, b).first.things, "lexicons");
  EXPECT_FALSE(detector.Similar(a, Sign(detector, "term6 term7 term8 term9 term10")));
}

// Pages without a term would all have the digest of nothing.
TEST(IMatchDetector, TooFewTermsAreNoSignature) {
  const IMatchDetector detector({}, Thousand());
  bool has = true;
  Sign(detector, "nothing of the lexicon", &has);
  EXPECT_FALSE(has);
  Sign(detector, "term1 term2 term3", &has);
  EXPECT_FALSE(has);
  // Four terms: every random lexicon that leaves one out has too few, and agrees with nothing.
  const Signature a = Sign(detector, "term1 term2 term3 term4", &has);
  EXPECT_TRUE(has);
  EXPECT_FALSE(detector.Similar(a, Sign(detector, "term1 term2 term3 term5")));
}

// 1 - (1 - p^n)^K for n different terms; p = .3, K = 10.
TEST(IMatchDetector, RandomLexiconsForgiveAsOftenAsTheFormulaSays) {
  constexpr int kTrials = 4'000;
  const double expected[] = {1.0, .972, .611, .239};
  const IMatchDetector detector({}, Thousand());
  std::mt19937_64 random(17);
  for (std::size_t n = 0; n <= 3; ++n) {
    int similar = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::set<std::uint64_t> chosen;
      while (chosen.size() < 20 + n) chosen.insert(random() % 1'000);
      std::vector<std::uint64_t> terms(chosen.begin(), chosen.end());
      std::shuffle(terms.begin(), terms.end(), random);
      std::string a;
      std::string b;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        const std::string term = "term" + std::to_string(terms[i]) + " ";
        if (i >= n) a += term;
        b += term;
      }
      similar += detector.Similar(Sign(detector, a), Sign(detector, b)) ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(similar) / kTrials, expected[n], 0.025) << n;
  }
}

// Another lexicon under the same name makes other signatures.
TEST(IMatchDetector, AnImageIsOfItsLexicon) {
  const tests::TempFolder folder;
  ContentSeenOptions options;
  options.detector = "i-match";
  options.i_match.lexicon = (folder / "lexicon").string();
  ASSERT_TRUE(Thousand().Write(options.i_match.lexicon));
  const auto seen = ContentSeen::Create(options);
  ASSERT_TRUE(seen);
  ASSERT_TRUE((*seen)->Save(folder / "seen", "name"));
  EXPECT_TRUE(ContentSeen::Load(options, folder / "seen", "name"));
  // It may lie elsewhere, or be called by another name.
  options.i_match.lexicon = (folder / "moved").string();
  ASSERT_TRUE(Thousand().Write(options.i_match.lexicon));
  EXPECT_TRUE(ContentSeen::Load(options, folder / "seen", "name"));
  ASSERT_TRUE(Thousand(999).Write(options.i_match.lexicon));
  const auto other = ContentSeen::Load(options, folder / "seen", "name");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("saved with another lexicon"));
}

}  // namespace
}  // namespace contentseen
