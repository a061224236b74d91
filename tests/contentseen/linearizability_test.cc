#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "contentseen/content_seen.h"
#include "contentseen/detectors/detectors.h"
#include "tests/contentseen/hex_detector.h"
#include "tests/contentseen/texts.h"

// Many threads submit pages that are exact and near duplicates of one another; afterwards the same
// pages are judged one at a time, in the order of the sequence numbers, by a model that knows
// nothing but lists. Every verdict must be the model's.

namespace contentseen {
namespace {

struct Page {
  DocumentId id = kNoDocument;
  std::string body;
  std::string text;
};

struct Judged {
  Page page;
  Verdict verdict;
};

// One page after another, everything by linear scan.
class Model {
 public:
  explicit Model(int k) : k_(k) {}

  // The verdict on a page whose place among all fingerprints is `position`.
  Verdict Judge(const Judged& judged, Fingerprint position) {
    Verdict verdict = judged.verdict;  // keeps what the text alone decides
    verdict.kind = Kind::kNew;
    verdict.original = kNoDocument;
    verdict.distance = 0;
    verdict.original_fingerprint = 0;
    if (verdict.empty) return verdict;
    const auto known = bodies_.find(judged.page.body);
    if (known != bodies_.end()) {
      Copy(known->second, &verdict);
      return verdict;
    }
    Compare(position, &verdict);
    Verdict next = verdict;
    if (verdict.IsNew()) {
      admitted_.push_back(
          {judged.page.id, verdict.text_digest, position, verdict.fingerprint, verdict.too_short});
      next.kind = Kind::kExactBytes;
      next.original = judged.page.id;
      next.original_fingerprint = verdict.fingerprint;
    }
    bodies_.emplace(judged.page.body, next);
    return verdict;
  }

  // What a copy of these bytes would be told.
  std::optional<Verdict> Known(const std::string& body) const {
    const auto known = bodies_.find(body);
    if (known == bodies_.end()) return std::nullopt;
    return known->second;
  }

 private:
  struct Admitted {
    DocumentId id;
    Digest text;
    Fingerprint position;
    Fingerprint fingerprint;
    bool too_short;
  };

  static void Copy(const Verdict& known, Verdict* verdict) {
    verdict->kind = known.kind;
    verdict->original = known.original;
    verdict->distance = known.distance;
    verdict->fingerprint = known.fingerprint;
    verdict->original_fingerprint = known.original_fingerprint;
    verdict->too_short = known.too_short;
    verdict->features = known.features;
  }

  void Compare(Fingerprint position, Verdict* verdict) const {
    for (const Admitted& admitted : admitted_) {
      if (admitted.text != verdict->text_digest) continue;
      verdict->kind = Kind::kExactText;
      verdict->original = admitted.id;
      verdict->original_fingerprint = admitted.fingerprint;
      return;
    }
    if (verdict->too_short) return;
    for (const Admitted& admitted : admitted_) {
      const int distance = Distance(position, admitted.position);
      if (admitted.too_short || distance > k_) continue;
      if (verdict->kind == Kind::kNear &&
          std::pair(verdict->distance, verdict->original) < std::pair(distance, admitted.id)) {
        continue;
      }
      verdict->kind = Kind::kNear;
      verdict->distance = distance;
      verdict->original = admitted.id;
      verdict->original_fingerprint = admitted.position;
    }
  }

  const int k_;
  std::vector<Admitted> admitted_;
  std::map<std::string, Verdict> bodies_;
};

// Gives way between looking and inserting, where a race would have to happen.
class YieldingDetector final : public tests::HexDetector {
 public:
  using HexDetector::HexDetector;
  std::optional<Match> Find(const Signature& signature) const override {
    const std::optional<Match> match = HexDetector::Find(signature);
    std::this_thread::yield();
    return match;
  }
};

constexpr std::size_t kThreads = 6;

// call(i) for each i below `count`, from kThreads threads.
template <class Call>
void FromManyThreads(std::size_t count, Call call) {
  std::atomic<std::size_t> next = 0;  // each index is taken once; no other order is needed
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) call(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Submits `pages` from many threads; returns them by sequence number.
std::vector<Judged> SubmitAll(ContentSeen& seen, const std::vector<Page>& pages) {
  std::vector<Judged> judged(pages.size());
  FromManyThreads(pages.size(), [&](std::size_t i) {
    const Page& page = pages[i];
    judged[i] = {
        page, seen.CheckAndInsert({.id = page.id, .body = Sha256(page.body), .text = page.text})};
  });
  std::sort(judged.begin(), judged.end(), [](const Judged& a, const Judged& b) {
    return a.verdict.sequence < b.verdict.sequence;
  });
  return judged;
}

// A page in one of a few tight clusters, so that most of what is in flight conflicts.
Page ClusteredPage(std::mt19937_64& random, DocumentId id,
                   const std::vector<Fingerprint>& centres) {
  const std::string variant = std::to_string(random() % 4);
  if (random() % 20 == 0) return {id, "short" + variant, "short text " + variant};
  if (random() % 40 == 0) return {id, "empty" + variant, "  "};
  Fingerprint fingerprint = centres[random() % centres.size()];
  for (std::uint64_t flips = random() % 4; flips > 0; --flips) {
    fingerprint ^= Fingerprint{1} << random() % 12 * 5;
  }
  const std::string text = FormatFingerprint(fingerprint) + " " + variant;
  return {id, text + "/" + std::to_string(random() % 2), text};
}

TEST(Linearizability, VerdictsAreThoseOfTheSequentialOrder) {
  for (std::uint64_t round = 0; round < 30; ++round) {
    std::mt19937_64 random(round);
    const std::vector<Fingerprint> centres = {random(), random(), random()};
    std::vector<Page> pages;
    for (DocumentId id = 1; id <= 600; ++id) {
      // Ids in no order: the smaller is not the earlier here, and verdicts must not care.
      pages.push_back(ClusteredPage(random, id * 7919 % 6007, centres));
    }
    const int k = static_cast<int>(round % 5);
    ContentSeen seen({.k = k, .features_min = 1}, std::make_unique<YieldingDetector>(k));
    const std::vector<Judged> judged = SubmitAll(seen, pages);
    Model model(k);
    for (std::size_t i = 0; i < judged.size(); ++i) {
      ASSERT_EQ(judged[i].verdict.sequence, i + 1);
      const Fingerprint position = ParseFingerprint(judged[i].page.text.substr(0, 16)).value_or(0);
      ASSERT_EQ(judged[i].verdict, model.Judge(judged[i], position))
          << "round " << round << " page " << i << ": " << judged[i].page.text;
    }
  }
}

// The same through texts, features and SimHash.
TEST(Linearizability, VerdictsOnEditedTextsAreThoseOfTheSequentialOrder) {
  std::map<Kind, int> kinds;
  for (std::uint64_t round = 0; round < 4; ++round) {
    std::mt19937_64 random(round);
    std::vector<std::vector<std::string>> articles;
    for (int i = 0; i < 4; ++i) articles.push_back(tests::Words(random, 150));
    std::vector<Page> pages;
    for (DocumentId id = 1; id <= 400; ++id) {
      std::vector<std::string> words = articles[random() % articles.size()];
      for (std::uint64_t edits = random() % 4; edits > 0; --edits) {
        words[random() % 20] = "edit" + std::to_string(random() % 3);
      }
      const std::string text = tests::Joined(words);
      pages.push_back({id, text + (random() % 2 == 0 ? "<p>" : "<b>"), text});
    }
    auto seen = ContentSeen::Create({.k = 3, .detector = "simhash"});
    ASSERT_TRUE(seen.has_value());
    const std::vector<Judged> judged = SubmitAll(**seen, pages);
    Model model(3);
    for (const Judged& j : judged) {
      ASSERT_EQ(j.verdict, model.Judge(j, j.verdict.fingerprint)) << "round " << round;
      ++kinds[j.verdict.kind];
    }
  }
  // (Which each round gives depends on whose texts come first.)
  EXPECT_EQ(kinds.size(), 4u) << "the texts should give every kind of verdict";
}

// A page of a few paragraphs between a menu and a notice; each of them is one of a few.
struct PageOfPassages {
  std::string text;
  std::vector<Passage> passages;

  void Add(const std::string& words, std::uint8_t boilerplate) {
    passages.push_back({static_cast<std::uint32_t>(text.size()), boilerplate});
    text += words + "\n";
  }
};

// For every detector, the default one with passages too: the model is the same detector, asked for
// one page after the other. (Without hosts: what a host's template is depends on who was admitted
// when a text was signed.)
TEST(Linearizability, EveryDetectorJudgesAsIfAskedForOnePageAfterTheOther) {
  for (const std::string_view name : DetectorNames()) {
    if (name == "i-match") continue;  // needs a lexicon; its index is that of the others with keys
    std::map<Kind, int> kinds;
    for (std::uint64_t round = 0; round < 3; ++round) {
      std::mt19937_64 random(round);
      std::vector<std::string> paragraphs;
      for (int i = 0; i < 6; ++i) {
        std::string& paragraph = paragraphs.emplace_back();
        for (const std::string& word : tests::Words(random, 60)) paragraph += word + " the ";
      }
      std::vector<PageOfPassages> pages(300);
      for (PageOfPassages& page : pages) {
        page.Add(paragraphs[random() % 2], 255);
        page.Add(paragraphs[2 + random() % 2], 0);
        page.Add(paragraphs[4 + random() % 2] + (random() % 2 == 0 ? "" : "edited"), 0);
        page.Add("the " + std::to_string(random() % 3) + "th of May", 200);
      }
      ContentSeenOptions options{.k = 3, .detector = std::string(name)};
      auto seen = ContentSeen::Create(options);
      auto model = ContentSeen::Create(options);
      ASSERT_TRUE(seen.has_value() && model.has_value()) << name;
      const auto submission = [&](std::size_t i) {
        return Submission{.id = i + 1,
                          .body = Sha256(pages[i].text),
                          .text = pages[i].text,
                          .passages = pages[i].passages};
      };
      std::vector<std::pair<std::uint64_t, std::size_t>> order(pages.size());
      std::vector<Verdict> verdicts(pages.size());
      FromManyThreads(pages.size(), [&](std::size_t i) {
        verdicts[i] = (*seen)->CheckAndInsert(submission(i));
        order[i] = {verdicts[i].sequence, i};
      });
      std::sort(order.begin(), order.end());
      for (const auto& [sequence, i] : order) {
        const Verdict expected = (*model)->CheckAndInsert(submission(i));
        ASSERT_EQ(expected.sequence, sequence);
        ASSERT_EQ(verdicts[i], expected) << name << ", round " << round << ": " << pages[i].text;
        ++kinds[expected.kind];
      }
    }
    EXPECT_EQ(kinds.size(), 3u) << name << ": new pages, copies and near ones, and no others";
  }
}

// While pages are submitted, others ask for their bytes: what they are told is final.
TEST(Linearizability, FindExactTellsOnlyFinalVerdicts) {
  std::mt19937_64 random(99);
  const std::vector<Fingerprint> centres = {random(), random()};
  std::vector<Page> pages;
  for (DocumentId id = 1; id <= 3'000; ++id) pages.push_back(ClusteredPage(random, id, centres));
  ContentSeen seen({.k = 3, .features_min = 1}, std::make_unique<YieldingDetector>(3));
  std::vector<std::pair<std::string, Verdict>> told;
  std::atomic<bool> done = false;  // only ends the reader; it publishes nothing
  std::thread reader([&] {
    const auto ask = [&](const Page& page) {
      if (const auto verdict = seen.FindExact(Sha256(page.body))) {
        told.emplace_back(page.body, *verdict);
      }
    };
    std::mt19937_64 own(1);
    while (!done) ask(pages[own() % pages.size()]);
    for (const Page& page : pages) ask(page);  // should it have come to nothing before
  });
  const std::vector<Judged> judged = SubmitAll(seen, pages);
  done = true;
  reader.join();
  Model model(3);
  for (const Judged& j : judged) {
    model.Judge(j, ParseFingerprint(j.page.text.substr(0, 16)).value_or(0));
  }
  EXPECT_FALSE(told.empty());
  for (const auto& [body, verdict] : told) {
    const std::optional<Verdict> expected = model.Known(body);
    ASSERT_TRUE(expected.has_value());
    ASSERT_EQ(verdict.kind, expected->kind);
    ASSERT_EQ(verdict.original, expected->original);
    ASSERT_EQ(verdict.distance, expected->distance);
    ASSERT_EQ(verdict.fingerprint, expected->fingerprint);
    ASSERT_EQ(verdict.original_fingerprint, expected->original_fingerprint);
  }
}

}  // namespace
}  // namespace contentseen
