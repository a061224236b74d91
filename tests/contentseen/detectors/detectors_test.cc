#include "contentseen/detectors/detectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "contentseen/content_seen.h"
#include "contentseen/detectors/lexicon.h"
#include "contentseen/text/text.h"
#include "tests/contentseen/find_reference.h"
#include "tests/contentseen/texts.h"
#include "tests/temp_folder.h"

// What every detector promises, tried on each: Find() equals comparing with all that was inserted,
// Similar() is symmetric, and verdicts of threads are those of the sequential order.

namespace contentseen {
namespace {

// Words that every method finds something in: repeated, with articles before others.
std::vector<std::string> Prose(std::mt19937_64& random, std::size_t words) {
  std::vector<std::string> prose;
  while (prose.size() < words) {
    if (random() % 4 == 0) prose.push_back(random() % 2 == 0 ? "the" : "is");
    prose.push_back(tests::Word(random));
  }
  return prose;
}

// Texts in clusters: copies of a few articles with none to many words changed.
std::vector<std::string> ClusteredTexts(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::string>> articles;
  for (int i = 0; i < 5; ++i) articles.push_back(Prose(random, 40 + random() % 400));
  std::vector<std::string> texts;
  while (texts.size() < count) {
    std::vector<std::string> words = articles[random() % articles.size()];
    const std::size_t edits = random() % 3 == 0 ? random() % 40 : random() % 4;
    for (std::size_t i = 0; i < edits; ++i) {
      words[random() % words.size()] = "edit" + std::to_string(random() % 5);
    }
    if (random() % 8 == 0) words = Prose(random, random() % 60);
    if (random() % 20 == 0) words.assign(random() % 300, "same");
    texts.push_back(tests::Joined(words));
  }
  return texts;
}

// The file of a lexicon of the texts in these tests.
const std::string& LexiconFile() {
  static const std::string path = [] {
    LexiconBuilder builder;
    AnalyzedText text{FeatureOptions{}};
    for (const std::uint64_t seed : {0, 1, 2, 5, 31, 77, 100, 101, 102}) {
      for (const std::string& words : ClusteredTexts(seed, 100)) {
        text.Assign(words);
        builder.Add(text);
      }
    }
    static const tests::TempFolder folder;  // gone at the end of the process
    std::string file = (folder / "lexicon").string();
    EXPECT_TRUE(builder.Build({}).Write(file).has_value());
    return file;
  }();
  return path;
}

ContentSeenOptions WithLexicon() {
  ContentSeenOptions options;
  options.i_match.lexicon = LexiconFile();
  return options;
}

class Detectors : public testing::TestWithParam<std::string_view> {
 protected:
  std::unique_ptr<Detector> Make(const ContentSeenOptions& options = WithLexicon()) {
    auto made = MakeDetector(GetParam(), options);
    EXPECT_TRUE(made.has_value());
    return std::move(*made);
  }

  // Those of `texts` that the detector signs, with ids in no order.
  std::vector<tests::Document> Signed(const Detector& detector,
                                      const std::vector<std::string>& texts) {
    std::vector<tests::Document> documents;
    AnalyzedText analyzed{FeatureOptions{}};
    for (const std::string& text : texts) {
      analyzed.Assign(text);
      Signature signature;
      const DocumentId id = (documents.size() + 1) * 7919 % 6007;
      if (detector.Sign(analyzed, &signature)) documents.push_back({signature, id});
    }
    return documents;
  }

  // Of documents with equal signatures the first: a detector need not remember more.
  static std::vector<tests::Document> WithoutRepeats(
      const std::vector<tests::Document>& documents) {
    std::vector<tests::Document> kept;
    std::set<Signature> seen;
    for (const tests::Document& document : documents) {
      if (seen.insert(document.signature).second) kept.push_back(document);
    }
    return kept;
  }

  // Inserts one after another, asking before each.
  static int ExpectFindsWhatComparingFinds(Detector& detector,
                                           const std::vector<tests::Document>& all) {
    const std::vector<tests::Document> documents = WithoutRepeats(all);
    int found = 0;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const Signature& signature = documents[i].signature;
      const auto match = detector.Find(signature);
      const auto expected = tests::FindByComparing(
          detector, {documents.begin(), documents.begin() + static_cast<std::ptrdiff_t>(i)},
          signature);
      EXPECT_EQ(match.has_value(), expected.has_value()) << i;
      if (match && expected) {
        EXPECT_EQ(match->original, expected->first) << i;
        EXPECT_EQ(match->evidence, expected->second) << i;
        EXPECT_GT(match->evidence.first.equal + match->evidence.second.equal, 0u);
        ++found;
      }
      detector.Insert(signature, documents[i].id);
    }
    return found;
  }
};

TEST_P(Detectors, CarryTheirName) { EXPECT_EQ(Make()->name(), GetParam()); }

TEST_P(Detectors, FindWhatComparingWithAllFinds) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto detector = Make();
    const auto documents = Signed(*detector, ClusteredTexts(seed, 250));
    ASSERT_GT(documents.size(), 150u);
    EXPECT_GT(ExpectFindsWhatComparingFinds(*detector, documents), 10) << "the test needs pairs";
    EXPECT_GT(detector->memory_bytes(), 0u);
  }
}

// Signatures nobody's text has: words and bits changed at random, so that they lie on either side
// of every threshold.
TEST_P(Detectors, FindWhatComparingFindsOnDamagedSignatures) {
  std::mt19937_64 random(11);
  const auto detector = Make();
  if (GetParam() == "spotsigs") GTEST_SKIP() << "its signatures have a form; see its own test";
  const auto base = Signed(*detector, ClusteredTexts(77, 12));
  ASSERT_GT(base.size(), 5u);
  std::vector<tests::Document> documents;
  for (DocumentId id = 1; id <= 400; ++id) {
    Signature signature = base[random() % 4].signature;
    for (std::uint64_t n = random() % 16; n > 0; --n) {
      std::uint64_t& word = signature[random() % signature.size()];
      if (GetParam().find("projection") != std::string_view::npos || GetParam() == "simhash" ||
          random() % 2 == 0) {
        word ^= std::uint64_t{1} << random() % 64;
      } else {
        const Signature& other = base[random() % 4].signature;
        word = other[random() % other.size()];
      }
    }
    documents.push_back({signature, 1'000 - id});
  }
  EXPECT_GT(ExpectFindsWhatComparingFinds(*detector, documents), 20);
}

TEST_P(Detectors, SimilarityAndEvidenceAreSymmetric) {
  const auto detector = Make();
  const auto documents = Signed(*detector, ClusteredTexts(5, 60));
  for (const tests::Document& a : documents) {
    EXPECT_TRUE(detector->Similar(a.signature, a.signature));
    for (const tests::Document& b : documents) {
      ASSERT_EQ(detector->Similar(a.signature, b.signature),
                detector->Similar(b.signature, a.signature));
      ASSERT_EQ(detector->Compare(a.signature, b.signature),
                detector->Compare(b.signature, a.signature));
    }
  }
}

TEST_P(Detectors, SayNothingOfTextsThatCarryNothing) {
  const auto detector = Make();
  AnalyzedText text{FeatureOptions{}};
  for (const std::string_view nothing : {"", " ", "...", "\xff\xfe"}) {
    text.Assign(nothing);
    Signature signature;
    EXPECT_FALSE(detector->Sign(text, &signature)) << nothing;
  }
}

// What was inserted before a call began is seen by it, from any thread.
TEST_P(Detectors, SeeFromAnyThreadWhatWasInserted) {
  const auto detector = Make();
  const auto documents = WithoutRepeats(Signed(*detector, ClusteredTexts(31, 160)));
  std::atomic<std::size_t> next = 0;  // each index is taken once; no other order is needed
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < documents.size(); i = next++) {
        detector->Insert(documents[i].signature, documents[i].id);
        ASSERT_TRUE(detector->Find(documents[i].signature).has_value());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const tests::Document& document : documents) {
    const auto match = detector->Find(document.signature);
    const auto expected = tests::FindByComparing(*detector, documents, document.signature);
    ASSERT_TRUE(match && expected);
    ASSERT_EQ(match->original, expected->first);
    ASSERT_EQ(match->evidence, expected->second);
  }
}

// Keeps what a thread's last text was signed with: what a host is known to repeat while the text
// is signed cannot be asked for again.
class SignatureKeeper final : public Detector {
 public:
  explicit SignatureKeeper(std::unique_ptr<Detector> detector) : detector_(std::move(detector)) {}

  std::string_view name() const override { return detector_->name(); }
  bool Sign(const AnalyzedText& text, Signature* signature) const override {
    const bool has = detector_->Sign(text, signature);
    last = has ? *signature : Signature();
    return has;
  }
  bool Similar(const Signature& a, const Signature& b) const override {
    return detector_->Similar(a, b);
  }
  Evidence Compare(const Signature& a, const Signature& b) const override {
    return detector_->Compare(a, b);
  }
  Evidence Least() const override { return detector_->Least(); }
  std::optional<Match> Find(const Signature& signature) const override {
    return detector_->Find(signature);
  }
  void Insert(const Signature& signature, DocumentId document) override {
    detector_->Insert(signature, document);
  }
  std::size_t size() const override { return detector_->size(); }
  std::size_t memory_bytes() const override { return detector_->memory_bytes(); }

  static thread_local Signature last;

 private:
  const std::unique_ptr<Detector> detector_;
};
thread_local Signature SignatureKeeper::last;

struct Page {
  std::string text;
  std::vector<Passage> passages{};
  std::uint64_t host = 0;
};

// Every other one with the menu of one of two hosts above it.
std::vector<Page> PagesOfHosts(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  const std::vector<std::string> menus = {tests::Article(random, 200),
                                          tests::Article(random, 400)};
  std::vector<Page> pages;
  for (const std::string& text : ClusteredTexts(seed, count)) {
    const std::uint64_t host = random() % 4;
    if (host >= menus.size() || text.empty()) {
      pages.push_back({.text = text});
      continue;
    }
    const std::string& menu = menus[host];
    const auto end = static_cast<std::uint32_t>(menu.size());
    pages.push_back({.text = menu + text,
                     .passages = {{.begin = 0, .boilerplate = 255}, {.begin = end}},
                     .host = host + 1});
  }
  return pages;
}

struct Judged {
  DocumentId id = kNoDocument;
  std::string text;
  Signature signature;
  Verdict verdict;
};

std::vector<Judged> SubmitFromThreads(ContentSeen& seen, const std::vector<Page>& pages) {
  std::vector<Judged> judged(pages.size());
  std::atomic<std::size_t> next = 0;  // as above
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < pages.size(); i = next++) {
        const DocumentId id = (i + 1) * 7919 % 6007;
        const Page& page = pages[i];
        SignatureKeeper::last.clear();
        const Verdict verdict = seen.CheckAndInsert(
            {.id = id, .text = page.text, .passages = page.passages, .host = page.host});
        judged[i] = {id, page.text, SignatureKeeper::last, verdict};
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::sort(judged.begin(), judged.end(), [](const Judged& a, const Judged& b) {
    return a.verdict.sequence < b.verdict.sequence;
  });
  return judged;
}

TEST_P(Detectors, VerdictsOfThreadsAreThoseOfTheSequentialOrder) {
  for (std::uint64_t round = 0; round < 3; ++round) {
    ContentSeenOptions options = WithLexicon();
    options.features_min = 1;
    ContentSeen seen(options, std::make_unique<SignatureKeeper>(Make(options)));
    const auto judged = SubmitFromThreads(seen, PagesOfHosts(round + 100, 300));
    std::vector<tests::Document> admitted;
    std::map<std::string, DocumentId> texts;
    for (const Judged& j : judged) {
      if (j.verdict.empty) continue;
      const std::string normalized = NormalizeText(j.text);
      const bool has_signature = !j.signature.empty();
      ASSERT_EQ(j.verdict.too_short, !has_signature);
      const auto same = texts.find(normalized);
      const auto near = has_signature
                            ? tests::FindByComparing(seen.detector(), admitted, j.signature)
                            : std::nullopt;
      if (same != texts.end()) {
        ASSERT_EQ(j.verdict.kind, Kind::kExactText);
        ASSERT_EQ(j.verdict.original, same->second);
      } else if (near) {
        ASSERT_EQ(j.verdict.kind, Kind::kNear);
        ASSERT_EQ(j.verdict.original, near->first);
      } else {
        ASSERT_EQ(j.verdict.kind, Kind::kNew);
        texts.emplace(normalized, j.id);
        if (has_signature) admitted.push_back({j.signature, j.id});
      }
    }
  }
}

std::string TestName(const testing::TestParamInfo<std::string_view>& info) {
  std::string name(info.param);
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Detectors, testing::ValuesIn(DetectorNames()), TestName);

TEST(MakeDetector, RefusesUnknownNames) {
  const auto made = MakeDetector("psychic", {});
  ASSERT_FALSE(made.has_value());
  EXPECT_NE(made.error().message.find("psychic"), std::string::npos);
  ContentSeenOptions options;
  options.detector = "psychic";
  const auto seen = ContentSeen::Create(options);
  ASSERT_FALSE(seen.has_value());
  EXPECT_NE(seen.error().message.find("only verified, simhash"), std::string::npos);
}

TEST(ContentSeen, JudgesWithTheDetectorThatIsAskedFor) {
  for (const std::string_view name : DetectorNames()) {
    ContentSeenOptions options = WithLexicon();
    options.detector = name;
    const auto seen = ContentSeen::Create(options);
    ASSERT_TRUE(seen.has_value()) << name;
    EXPECT_EQ((*seen)->detector().name(), name);
  }
}

TEST(Evidence, IsOrderedByItsParts) {
  const Evidence half{.first = {"bands", 1, 2}};
  const Evidence two_thirds{.first = {"bands", 2, 3}};
  EXPECT_TRUE(IsStronger(two_thirds, half));
  EXPECT_FALSE(IsStronger(half, two_thirds));
  EXPECT_FALSE(IsStronger(half, half));
  const Evidence half_and_more{.first = {"bands", 2, 4}, .second = {"bits", 3, 4}};
  const Evidence half_and_less{.first = {"bands", 1, 2}, .second = {"bits", 1, 4}};
  EXPECT_TRUE(IsStronger(half_and_more, half_and_less));
  EXPECT_EQ(Format(half_and_more), "2 of 4 bands, 3 of 4 bits");
  EXPECT_EQ(Format(half), "1 of 2 bands");
}

}  // namespace
}  // namespace contentseen
