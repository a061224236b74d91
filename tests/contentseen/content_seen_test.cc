#include "contentseen/content_seen.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "contentseen/compare.h"
#include "contentseen/text/text.h"
#include "tests/contentseen/hex_detector.h"
#include "tests/contentseen/memory_limit.h"
#include "tests/contentseen/texts.h"

namespace contentseen {
namespace {

// Judges pages whose fingerprints the test chooses (tests::HexDetector), k = 3.
class ContentSeenTest : public testing::Test {
 protected:
  Verdict Put(DocumentId id, const std::string& body, const std::string& text) {
    return seen_.CheckAndInsert({.id = id, .body = Sha256(body), .text = text});
  }

  ContentSeen seen_{{.k = 3, .features_min = 1}, std::make_unique<tests::HexDetector>(3)};
};

TEST_F(ContentSeenTest, TheFirstIsNew) {
  const Verdict verdict = Put(1, "body", "00000000000000ff");
  EXPECT_EQ(verdict.kind, Kind::kNew);
  EXPECT_TRUE(verdict.IsNew());
  EXPECT_EQ(verdict.original, kNoDocument);
  EXPECT_EQ(verdict.sequence, 1u);
  EXPECT_EQ(verdict.text_digest, Sha256("00000000000000ff"));
  EXPECT_EQ(verdict.features, 1u);
}

TEST_F(ContentSeenTest, SameBytesAreKnownBeforeParsing) {
  EXPECT_FALSE(seen_.FindExact(Sha256("body")).has_value());
  const Verdict first = Put(1, "body", "0000000000000000");
  const auto found = seen_.FindExact(Sha256("body"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, Kind::kExactBytes);
  EXPECT_EQ(found->original, 1u);
  EXPECT_EQ(found->distance, 0);
  EXPECT_EQ(found->fingerprint, first.fingerprint);
  EXPECT_EQ(found->original_fingerprint, first.fingerprint);
  EXPECT_EQ(found->features, first.features);
  EXPECT_EQ(found->sequence, 0u);
  EXPECT_TRUE(found->text_digest.IsNone());
}

TEST_F(ContentSeenTest, SameBytesSubmittedAgain) {
  Put(1, "body", "0000000000000000");
  const Verdict again = Put(2, "body", "0000000000000000");
  EXPECT_EQ(again.kind, Kind::kExactBytes);
  EXPECT_EQ(again.original, 1u);
}

TEST_F(ContentSeenTest, SameTextInOtherBytes) {
  Put(1, "body", "0000000000000000 A");
  const Verdict other = Put(2, "<b>body</b>", "0000000000000000   a\n");
  EXPECT_EQ(other.kind, Kind::kExactText);
  EXPECT_EQ(other.original, 1u);
  EXPECT_EQ(other.distance, 0);
  EXPECT_EQ(other.original_fingerprint, other.fingerprint);
}

TEST_F(ContentSeenTest, NearUpToK) {
  Put(1, "a", "0000000000000000");
  const Verdict near = Put(2, "b", "0000000000000007");
  EXPECT_EQ(near.kind, Kind::kNear);
  EXPECT_EQ(near.original, 1u);
  EXPECT_EQ(near.distance, 3);
  EXPECT_EQ(near.original_fingerprint, 0u);
  EXPECT_TRUE(Put(3, "c", "000000000000000f").IsNew());
}

// 2 is near 1, 3 is near 2 but not 1: a rejected page makes no other a duplicate.
TEST_F(ContentSeenTest, NoDuplicateOfARejectedPage) {
  Put(1, "a", "0000000000000000");
  EXPECT_EQ(Put(2, "b", "0000000000000007").kind, Kind::kNear);
  EXPECT_TRUE(Put(3, "c", "000000000000003f").IsNew());
  EXPECT_TRUE(Put(4, "d", "0000000000000f07").IsNew());
  // The text of 2 again, in other bytes: near 1 as 2 was.
  const Verdict again = Put(5, "e", "0000000000000007");
  EXPECT_EQ(again.kind, Kind::kNear);
  EXPECT_EQ(again.original, 1u);
}

TEST_F(ContentSeenTest, ACopyOfARejectedPageSharesItsFate) {
  Put(1, "a", "0000000000000000");
  const Verdict rejected = Put(2, "b", "0000000000000003");
  Put(3, "c", "0000000000000038");
  for (const auto& again :
       {seen_.FindExact(Sha256("b")), std::optional(Put(9, "b", "0000000000000003"))}) {
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->kind, Kind::kNear);
    EXPECT_EQ(again->original, 1u);
    EXPECT_EQ(again->distance, 2);
    EXPECT_EQ(again->fingerprint, rejected.fingerprint);
    EXPECT_EQ(again->original_fingerprint, rejected.original_fingerprint);
  }
}

TEST_F(ContentSeenTest, TheNearestIsTheOriginal) {
  Put(1, "a", "0000000000000000");
  Put(2, "b", "000000000000001f");
  const Verdict near = Put(3, "c", "000000000000000f");
  EXPECT_EQ(near.original, 2u);
  EXPECT_EQ(near.distance, 1);
}

TEST_F(ContentSeenTest, OfEquallyNearOnesTheSmallestId) {
  Put(8, "a", "000000000000000f");
  Put(7, "b", "00000000000000f0");
  const Verdict near = Put(9, "c", "0000000000000033");
  EXPECT_TRUE(near.IsNew());
  EXPECT_EQ(Put(10, "d", "000000000000003c").kind, Kind::kNew);
  EXPECT_EQ(Put(11, "e", "0000000000000013").original, 9u);
  Put(21, "f", "ff00000000000000");
  Put(20, "g", "ff0000000000f000");
  EXPECT_EQ(Put(22, "h", "ff00000000003000").original, 20u);
}

TEST_F(ContentSeenTest, EmptyPagesAreLikeNothing) {
  for (DocumentId id = 1; id <= 3; ++id) {
    const Verdict verdict = Put(id, "<html></html>", " \n\u00a0 ");
    EXPECT_TRUE(verdict.IsNew());
    EXPECT_TRUE(verdict.empty);
    EXPECT_EQ(verdict.sequence, id);
  }
  EXPECT_FALSE(seen_.FindExact(Sha256("<html></html>")).has_value());
  EXPECT_EQ(seen_.counts().documents, 0u);
  EXPECT_EQ(seen_.counts().bodies, 0u);
}

TEST_F(ContentSeenTest, NoBodyAndTheEmptyBodyGroupNothing) {
  EXPECT_TRUE(seen_.CheckAndInsert({.id = 1, .text = "0000000000000000"}).IsNew());
  EXPECT_TRUE(seen_.CheckAndInsert({.id = 2, .text = "00000000000000ff"}).IsNew());
  EXPECT_TRUE(Put(3, "", "000000000000ff00").IsNew());
  EXPECT_TRUE(Put(4, "", "0000000000ff0000").IsNew());
  EXPECT_FALSE(seen_.FindExact({}).has_value());
  EXPECT_FALSE(seen_.FindExact(Sha256("")).has_value());
}

TEST_F(ContentSeenTest, ShortTextsAreComparedExactly) {
  const Verdict first = Put(1, "a", "not hex");
  EXPECT_TRUE(first.IsNew());
  EXPECT_TRUE(first.too_short);
  EXPECT_TRUE(Put(2, "b", "not hey").IsNew());
  const Verdict same = Put(3, "c", "NOT hex");
  EXPECT_EQ(same.kind, Kind::kExactText);
  EXPECT_EQ(same.original, 1u);
  EXPECT_TRUE(same.too_short);
  EXPECT_TRUE(seen_.FindExact(Sha256("c"))->too_short);
  EXPECT_EQ(seen_.counts().near, 0u);
  EXPECT_EQ(seen_.counts().documents, 2u);
}

TEST_F(ContentSeenTest, CountsWhatIsKept) {
  Put(1, "a", "0000000000000000");
  Put(2, "b", "0000000000000001");
  Put(3, "b", "0000000000000001");
  Put(4, "c", "00000000000000ff");
  const ContentSeen::Counts counts = seen_.counts();
  EXPECT_EQ(counts.documents, 2u);
  EXPECT_EQ(counts.bodies, 3u);
  EXPECT_EQ(counts.near, 2u);
  EXPECT_GT(counts.memory_bytes, 0u);
}

// Row 125 of ../shared/design/hostile-inputs.md, and what only white space and case change.
TEST(ContentSeen, Row125TheSameTextInOtherBytes) {
  auto seen = ContentSeen::Create({});
  ASSERT_TRUE(seen.has_value());
  std::mt19937_64 random(1);
  const std::string text = tests::Article(random, 100) + "caf\u00e9";
  (*seen)->CheckAndInsert({.id = 1, .body = Sha256("latin1"), .text = text});
  const Verdict verdict = (*seen)->CheckAndInsert(
      {.id = 2, .body = Sha256("utf8"), .text = tests::Article(random, 0) + text});
  EXPECT_EQ(verdict.kind, Kind::kExactText);
}

// Row 81 of ../shared/design/hostile-inputs.md.
TEST(ContentSeen, Row81UnderTheMinimumOnlyEqualTextsAreDuplicates) {
  auto seen = ContentSeen::Create({.k = 10});
  ASSERT_TRUE(seen.has_value());
  for (DocumentId id = 1; id <= 50; ++id) {
    const std::string text = "order " + std::to_string(id) + " was shipped on monday";
    const Verdict verdict =
        (*seen)->CheckAndInsert({.id = id, .body = Sha256(text), .text = text});
    EXPECT_TRUE(verdict.IsNew());
    EXPECT_TRUE(verdict.too_short);
  }
}

TEST(ContentSeen, RealTextsAreJudgedAsCompareJudges) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> words = tests::Words(random, 300);
    const std::string a = tests::Joined(words);
    for (std::uint64_t changes = random() % 4; changes > 0; --changes) {
      words[random() % words.size()] = tests::Word(random);
    }
    const std::string b = tests::Joined(words);
    auto seen = ContentSeen::Create({.k = 3, .detector = "simhash"});
    ASSERT_TRUE(seen.has_value());
    (*seen)->CheckAndInsert({.id = 1, .body = Sha256("a"), .text = a});
    const Verdict verdict = (*seen)->CheckAndInsert({.id = 2, .body = Sha256("b"), .text = b});
    const Comparison expected = Compare({.k = 3}, a, b);
    EXPECT_EQ(verdict.kind, expected.kind);
    EXPECT_EQ(verdict.fingerprint, expected.b.fingerprint);
    if (verdict.kind == Kind::kNear) {
      EXPECT_EQ(verdict.distance, expected.distance);
    }
  }
}

// Of many submitting identical pages at once exactly one is new, and is everybody's original.
TEST(ContentSeen, OfIdenticalPagesExactlyOneIsNew) {
  std::mt19937_64 random(8);
  const std::string text = tests::Article(random, 200);
  for (int round = 0; round < 50; ++round) {
    auto seen = ContentSeen::Create({});
    ASSERT_TRUE(seen.has_value());
    constexpr std::size_t kThreads = 8;
    std::vector<Verdict> verdicts(kThreads);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        verdicts[t] = (*seen)->CheckAndInsert(
            {.id = t + 1, .body = Sha256(t % 2 == 0 ? "x" : std::to_string(t)), .text = text});
      });
    }
    for (std::thread& thread : threads) thread.join();
    DocumentId original = kNoDocument;
    for (std::size_t t = 0; t < kThreads; ++t) {
      if (!verdicts[t].IsNew()) continue;
      EXPECT_EQ(original, kNoDocument);
      original = t + 1;
    }
    for (const Verdict& verdict : verdicts) {
      if (!verdict.IsNew()) {
        EXPECT_EQ(verdict.original, original);
      }
    }
  }
}

// Stops whoever looks for the fingerprint of `kSlow` until it is let go.
class SlowDetector final : public tests::HexDetector {
 public:
  static constexpr Fingerprint kSlow = 0x5000000000000000;

  SlowDetector() : HexDetector(3) {}

  std::optional<Match> Find(const Signature& signature) const override {
    if (signature.front() == kSlow) {
      looking_.set_value();
      go_.get_future().wait();
    }
    return HexDetector::Find(signature);
  }

  void AwaitLooking() { looking_.get_future().wait(); }
  void LetGo() { go_.set_value(); }

 private:
  mutable std::promise<void> looking_;
  mutable std::promise<void> go_;
};

// While one page is being looked up, others are judged; a near one that came later waits for it.
TEST(ContentSeen, LaterNearPagesWaitAndOthersDoNot) {
  auto owned = std::make_unique<SlowDetector>();
  SlowDetector& detector = *owned;
  ContentSeen seen({.k = 3, .features_min = 1}, std::move(owned));
  auto put = [&seen](DocumentId id, const std::string& text) {
    return seen.CheckAndInsert({.id = id, .body = Sha256(text), .text = text});
  };
  std::future<Verdict> slow =
      std::async(std::launch::async, [&] { return put(10, "5000000000000000"); });
  detector.AwaitLooking();
  std::future<Verdict> near =
      std::async(std::launch::async, [&] { return put(1, "5000000000000001"); });
  const Verdict stranger = put(2, "00000000ffffffff");
  EXPECT_TRUE(stranger.IsNew());
  detector.LetGo();
  EXPECT_TRUE(slow.get().IsNew());
  const Verdict verdict = near.get();
  EXPECT_EQ(verdict.kind, Kind::kNear);
  EXPECT_EQ(verdict.original, 10u);
  EXPECT_EQ(verdict.distance, 1);
}

// In the analysis of a text: nothing has changed. (What remembers ends the process.)
TEST(ContentSeen, RefusedMemoryIsThrownAndNothingHasChanged) {
  if (tests::kSanitized) GTEST_SKIP() << "sanitizers end the process themselves";
  const auto judge = [] {
    std::mt19937_64 random(1);
    const std::string text = tests::Article(random, 2'000'000);
    const auto seen = ContentSeen::Create({});
    const Submission submission{.id = 1, .body = Sha256(text), .text = text};
    bool thrown = false;
    tests::LimitAddressSpace(tests::AddressSpace() + (std::uint64_t{1} << 20));
    try {
      (*seen)->CheckAndInsert(submission);
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    tests::LimitAddressSpace(RLIM_INFINITY);
    const bool unchanged =
        (*seen)->counts().documents == 0 && !(*seen)->FindExact(submission.body);
    const bool is_new = (*seen)->CheckAndInsert(submission).IsNew();
    std::_Exit(thrown && unchanged && is_new ? 0 : 1);
  };
  EXPECT_EXIT(judge(), testing::ExitedWithCode(0), "");
  static_assert(noexcept(std::declval<ContentSeen&>().Restore(DocumentRecord{})));
}

TEST(ContentSeenOwnDetector, TheOptionsNameOfOneDoesNotMatter) {
  ContentSeen seen({.features_min = 1, .detector = "none"},
                   std::make_unique<tests::HexDetector>(3));
  EXPECT_TRUE(seen.CheckAndInsert({.id = 1, .text = "0000000000000000 a"}).IsNew());
  EXPECT_EQ(seen.CheckAndInsert({.id = 2, .text = "0000000000000001 b"}).original, 1U);
  const auto made = ContentSeen::Create({.detector = "none"});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("no detector \"none\", only verified"), std::string::npos);
}

TEST(ContentSeenDeathTest, MisuseEndsTheProcessBeforeItDoesHarm) {
  const ContentSeenOptions valid;
  EXPECT_DEATH(ContentSeen(valid, nullptr), "CHECK failed: detector != nullptr");
  ContentSeenOptions beyond;
  beyond.documents_expected = kDocumentsExpectedMax + 1;
  EXPECT_DEATH(ContentSeen(beyond, std::make_unique<tests::HexDetector>(3)), "Validate");
  const auto seen = ContentSeen::Create({.k = 3, .detector = "simhash"});
  ASSERT_TRUE(seen);
  // Not only where the kinds happen to differ.
  const std::vector<Passage> disordered = {{.begin = 10}, {.begin = 5}};
  EXPECT_DEATH(
      (*seen)->CheckAndInsert({.id = 1, .text = "one two three four", .passages = disordered}),
      "CHECK failed");
  std::string text = "  The CAT sat  ";
  EXPECT_DEATH(NormalizeText(text, &text), "CHECK failed");
}

}  // namespace
}  // namespace contentseen
