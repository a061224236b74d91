#include "contentseen/document_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "contentseen/content_seen.h"
#include "contentseen/detectors/detectors.h"
#include "tests/contentseen/property.h"
#include "tests/contentseen/texts.h"

namespace contentseen {
namespace {

DocumentRecord AnyRecord() {
  DocumentRecord record;
  record.id = *rc::gen::inRange<DocumentId>(1, 1'000'000'000'000);
  for (auto& byte : record.body.bytes) byte = *rc::gen::arbitrary<std::uint8_t>();
  record.fingerprint = *rc::gen::arbitrary<std::uint64_t>();
  record.features = *rc::gen::arbitrary<std::uint32_t>();
  record.too_short = *rc::gen::arbitrary<bool>();
  record.kind = static_cast<Kind>(*rc::gen::inRange(0, 4));
  if (record.kind == Kind::kNew) {
    for (auto& byte : record.text.bytes) byte = *rc::gen::arbitrary<std::uint8_t>();
    if (!record.too_short) {
      record.signature = *rc::gen::nonEmpty<std::vector<std::uint64_t>>();
      if (*rc::gen::arbitrary<bool>()) record.signature = {record.fingerprint};
    }
  } else {
    record.original = *rc::gen::inRange<DocumentId>(1, 1'000'000'000'000);
    record.distance = *rc::gen::inRange(0, 65);
    record.original_fingerprint = *rc::gen::arbitrary<std::uint64_t>();
    for (auto& count : record.evidence) count = *rc::gen::arbitrary<std::uint32_t>();
  }
  record.basis = static_cast<Basis>(*rc::gen::inRange(0, 3));
  return record;
}

TEST(DocumentRecord, AnyRecordComesBack) {
  EXPECT_TRUE(tests::Holds([] {
    const DocumentRecord record = AnyRecord();
    RC_ASSERT(DecodeDocument(record.id, Encode(record)) == record);
  }));
}

TEST(DocumentRecord, DamagedBytesAreRefusedAndNeverCrash) {
  EXPECT_TRUE(tests::Holds([] {
    const DocumentRecord record = AnyRecord();
    std::string bytes = Encode(record);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      RC_ASSERT(!DecodeDocument(record.id, bytes.substr(0, size)));
    }
    RC_ASSERT(!DecodeDocument(record.id, bytes + '\0'));
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] ^=
        static_cast<char>(1 << *rc::gen::inRange(0, 8));
    if (const auto read = DecodeDocument(record.id, bytes)) RC_ASSERT(Encode(*read) == bytes);
  }));
}

// One record has one spelling.
TEST(DocumentRecord, OtherSpellingsAreRefused) {
  constexpr char kHasSignature = 8;
  constexpr char kIsFingerprint = 16;
  constexpr std::size_t kFeaturesAt = 1 + 32 + 8;
  // Of an empty signature, of the lone fingerprint, and of both flags.
  const std::string none = Encode({.id = 1, .features = 3, .too_short = true});
  const std::string lone = Encode({.id = 1, .features = 3, .signature = {0}});
  ASSERT_TRUE(DecodeDocument(1, none));
  ASSERT_TRUE(DecodeDocument(1, lone));
  const auto with = [](std::string bytes, int flags, std::string_view end) {
    bytes[0] = static_cast<char>(bytes[0] ^ flags);
    return bytes.append(end);
  };
  const std::string zero_words(1, '\0');
  const std::string one_word = '\1' + std::string(8, '\0');
  EXPECT_FALSE(DecodeDocument(1, with(none, kHasSignature, zero_words)));
  EXPECT_FALSE(DecodeDocument(1, with(lone, kHasSignature | kIsFingerprint, one_word)));
  EXPECT_FALSE(DecodeDocument(1, with(lone, kHasSignature, one_word)));
  EXPECT_FALSE(DecodeDocument(1, with(lone, kHasSignature, zero_words)));
  // The number of features, 3, in two bytes.
  ASSERT_EQ(none[kFeaturesAt], 3);
  std::string longer = none;
  longer.replace(kFeaturesAt, 1, std::string("\x83\0", 2));
  EXPECT_FALSE(DecodeDocument(1, longer));
}

// Who goes by the id alone takes nothing for a record that is none.
TEST(DocumentRecord, RefusedBytesLeaveNoId) {
  const std::string bytes = Encode({.id = 1, .features = 3, .signature = {4, 5}});
  DocumentRecord record;
  ASSERT_TRUE(DecodeDocument(7, bytes, &record));
  EXPECT_EQ(record.id, 7u);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeDocument(7, bytes.substr(0, size), &record));
    EXPECT_EQ(record.id, kNoDocument) << size;
  }
}

// Numbers of 32 bits that are written in more.
TEST(DocumentRecord, LargerNumbersAreRefusedAndNotCut) {
  const std::string largest = "\xFF\xFF\xFF\xFF\x0F";
  const std::string larger = "\xFF\xFF\xFF\xFF\x1F";
  const DocumentRecord record{.id = 1,
                              .features = 0xFFFFFFFF,
                              .kind = Kind::kNear,
                              .original = 2,
                              .evidence = {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}};
  const std::string bytes = Encode(record);
  EXPECT_EQ(DecodeDocument(1, bytes), record);
  int found = 0;
  for (std::size_t at = bytes.find(largest); at != std::string::npos;
       at = bytes.find(largest, at + 1)) {
    ++found;
    std::string other = bytes;
    EXPECT_FALSE(DecodeDocument(1, other.replace(at, largest.size(), larger))) << at;
  }
  EXPECT_EQ(found, 5);
}

TEST(DocumentRecord, AnAdmittedPageUnderSimHashCostsSeventyFiveBytes) {
  const DocumentRecord record{.id = 1, .features = 300, .signature = {0}};
  EXPECT_EQ(Encode(record).size(), 75U);
}

// One judges all pages; another takes over in the middle from the records of the first.
class RestoreTest : public testing::TestWithParam<std::string> {
 protected:
  static ContentSeenOptions Options() {
    ContentSeenOptions options;
    options.detector = GetParam();
    return options;
  }
  // Articles, and copies of earlier ones: the same bytes, the same text, a word changed.
  static std::vector<std::string> Pages() {
    std::mt19937_64 random(7);
    std::vector<std::string> pages;
    for (int i = 0; i < 400; ++i) {
      if (pages.size() < 20 || random() % 2 == 0) {
        pages.push_back(tests::Article(random, i % 17 == 0 ? 8 : 150));
        continue;
      }
      std::string copy = pages[random() % pages.size()];
      if (random() % 3 == 0) copy += "  ";
      if (random() % 3 == 0) copy += tests::Word(random);
      pages.push_back(copy);
    }
    return pages;
  }
};

TEST_P(RestoreTest, JudgesAsIfItHadJudgedAllItself) {
  const auto whole = ContentSeen::Create(Options());
  const auto resumed = ContentSeen::Create(Options());
  ASSERT_TRUE(whole && resumed);
  const std::vector<std::string> pages = Pages();
  DocumentId id = 0;
  int skipped_after = 0;
  for (const std::string& page : pages) {
    ++id;
    DocumentRecord record;
    const Submission submission{.id = id, .body = Sha256(page), .text = page};
    Verdict verdict = (*whole)->CheckAndInsert(submission, &record);
    if (id <= pages.size() / 2) {
      if (record.id == kNoDocument) continue;  // bytes as before
      const auto read = DecodeDocument(id, Encode(record));
      ASSERT_TRUE(read);
      ASSERT_TRUE((*resumed)->Restore(*read));
      continue;
    }
    Verdict again = (*resumed)->CheckAndInsert(submission);
    again.sequence = verdict.sequence;  // counted by each process anew
    EXPECT_EQ(again, verdict) << id;
    skipped_after += verdict.IsNew() ? 0 : 1;
  }
  EXPECT_GT(skipped_after, 50);
  EXPECT_EQ((*whole)->counts().documents, (*resumed)->counts().documents);
  EXPECT_EQ((*whole)->counts().bodies, (*resumed)->counts().bodies);
  EXPECT_EQ((*whole)->counts().near, (*resumed)->counts().near);
}

// What a crawl's threads judged in any order comes back from several threads in any order.
TEST_P(RestoreTest, ManyAtOnceFromSeveralThreadsAreAsOneByOne) {
  constexpr std::size_t kThreads = 3;
  constexpr std::size_t kAtOnce = 16;
  const auto before = ContentSeen::Create(Options());
  const auto one_by_one = ContentSeen::Create(Options());
  const auto many = ContentSeen::Create(Options());
  ASSERT_TRUE(before && one_by_one && many);
  const std::vector<std::string> pages = Pages();
  std::vector<DocumentRecord> records;
  DocumentId id = 0;
  for (const std::string& page : pages) {
    DocumentRecord record;
    (*before)->CheckAndInsert({.id = ++id, .body = Sha256(page), .text = page}, &record);
    if (record.id == kNoDocument) continue;  // bytes as before
    records.push_back(record);
    ASSERT_TRUE((*one_by_one)->Restore(record));
  }
  std::reverse(records.begin(), records.end());
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (std::size_t at = next.fetch_add(kAtOnce); at < records.size();
           at = next.fetch_add(kAtOnce)) {
        const std::size_t size = std::min(kAtOnce, records.size() - at);
        EXPECT_TRUE((*many)->Restore(std::span(records).subspan(at, size)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ((*many)->counts().documents, (*before)->counts().documents);
  EXPECT_EQ((*many)->counts().bodies, (*before)->counts().bodies);
  EXPECT_EQ((*many)->counts().near, (*before)->counts().near);
  for (const std::string& page : pages) {
    EXPECT_EQ((*many)->FindExact(Sha256(page)), (*before)->FindExact(Sha256(page)));
    EXPECT_EQ((*many)->FindExact(Sha256(page)), (*one_by_one)->FindExact(Sha256(page)));
    const std::string edited = page + " afterwards";
    const Submission submission{.id = ++id, .body = Sha256(edited), .text = edited};
    Verdict expected = (*before)->CheckAndInsert(submission);
    const Verdict verdict = (*many)->CheckAndInsert(submission);
    expected.sequence = verdict.sequence;  // counted by each process anew
    EXPECT_EQ(verdict, expected) << id;
  }
}

// Whatever stands in a store: what has another shape than this detector's signatures is refused.
TEST_P(RestoreTest, RefusesSignaturesOfAnotherShape) {
  std::mt19937_64 random(3);
  const auto seen = ContentSeen::Create(Options());
  const auto judged = ContentSeen::Create(Options());
  ASSERT_TRUE(seen && judged);
  DocumentId id = 0;
  auto restore = [&](const Signature& signature) {
    return (*seen)->Restore(
        {.id = ++id, .text = Sha256(std::to_string(id)), .signature = signature});
  };
  DocumentRecord whole;
  // (SpotSigs goes by what follows an article.)
  std::string page;
  for (int i = 0; i < 150; ++i)
    page += "the " + tests::Word(random) + " " + tests::Word(random) + " ";
  (*judged)->CheckAndInsert({.id = 1, .body = Sha256(page), .text = page}, &whole);
  EXPECT_TRUE(restore(whole.signature));
  for (std::size_t words = 0; words < 2 * whole.signature.size(); ++words) {
    Signature other = whole.signature;
    other.resize(words, random());
    if (words != whole.signature.size()) {
      EXPECT_FALSE(restore(other)) << words;
    }
    for (std::uint64_t& word : other) word = random();
    restore(other);
  }
  EXPECT_FALSE(restore(Signature(100'000, 1)));
  for (const std::string& text : {page, page + " more", tests::Article(random, 150)}) {
    (*seen)->CheckAndInsert({.id = ++id, .text = text});
  }
  EXPECT_GT((*seen)->counts().documents, 1U);
}

// Of two copies the one with the larger id may have been judged first.
TEST(Restore, WhoWasAdmittedStaysTheOriginalWhateverTheIds) {
  std::mt19937_64 random(4);
  const std::string page = tests::Article(random, 150);
  const auto judged = ContentSeen::Create({});
  const auto restored = ContentSeen::Create({});
  ASSERT_TRUE(judged && restored);
  DocumentRecord first;
  DocumentRecord second;
  (*judged)->CheckAndInsert({.id = 10, .body = Sha256(page), .text = page}, &first);
  (*judged)->CheckAndInsert({.id = 3, .body = Sha256(page), .text = page}, &second);
  EXPECT_EQ(second, DocumentRecord());
  ASSERT_TRUE((*restored)->Restore(first));
  EXPECT_EQ((*restored)->FindExact(Sha256(page)), (*judged)->FindExact(Sha256(page)));
  EXPECT_EQ((*restored)->FindExact(Sha256(page))->original, 10U);
}

TEST(Restore, TakesTheOthersWhenOneIsNone) {
  const auto seen = ContentSeen::Create({});
  ASSERT_TRUE(seen);
  const std::vector<DocumentRecord> records = {{.id = 1, .text = Sha256("a"), .too_short = true},
                                               {.id = 2},
                                               {.id = 3, .text = Sha256("b"), .too_short = true}};
  EXPECT_FALSE((*seen)->Restore(records));
  EXPECT_EQ((*seen)->counts().documents, 2U);
}

std::vector<std::string> DetectorsWithoutFiles() {
  std::vector<std::string> names;
  for (const std::string_view name : DetectorNames()) {
    if (name != "i-match") names.emplace_back(name);  // needs a lexicon
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Detectors, RestoreTest, testing::ValuesIn(DetectorsWithoutFiles()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Restore, RefusesARecordThatNobodyCanHaveMade) {
  const auto seen = ContentSeen::Create({});
  ASSERT_TRUE(seen);
  const Digest text = Sha256("text");
  EXPECT_FALSE((*seen)->Restore({.id = 0, .text = text, .too_short = true}));
  EXPECT_FALSE((*seen)->Restore({.id = 1, .text = text}));
  EXPECT_FALSE((*seen)->Restore({.id = 1, .text = text, .too_short = true, .original = 2}));
  EXPECT_FALSE((*seen)->Restore({.id = 1, .too_short = true}));
  EXPECT_EQ((*seen)->counts().documents, 0U);
  EXPECT_TRUE((*seen)->Restore({.id = 1, .text = text, .too_short = true}));

  // One that is not new has another one for its original, at some distance of 64 bits, and no
  // text.
  const Digest body = Sha256("body");
  DocumentRecord near{.id = 2, .body = body, .kind = Kind::kNear};
  EXPECT_FALSE((*seen)->Restore(near));
  near.original = near.id;
  EXPECT_FALSE((*seen)->Restore(near));
  near.original = 1;
  near.text = text;
  EXPECT_FALSE((*seen)->Restore(near));
  near.text = {};
  for (const int distance : {-1, 65, 300}) {
    near.distance = distance;
    EXPECT_FALSE((*seen)->Restore(near)) << distance;
  }
  EXPECT_FALSE((*seen)->FindExact(body));
  near.distance = 64;
  EXPECT_TRUE((*seen)->Restore(near));
  EXPECT_EQ((*seen)->FindExact(body)->distance, 64);
}

// Of several rejected pages with the same bytes, too, the one that was judged first.
TEST(Restore, OfRejectedBytesWhoWasFirstIsNamedWhateverTheIds) {
  std::mt19937_64 random(8);
  const std::string page = tests::Article(random, 150);
  const std::string copy = page + " ";
  const auto judged = ContentSeen::Create({});
  const auto restored = ContentSeen::Create({});
  ASSERT_TRUE(judged && restored);
  std::vector<DocumentRecord> records(2);
  DocumentRecord repeated;
  (*judged)->CheckAndInsert({.id = 1, .body = Sha256(page), .text = page}, &records[0]);
  (*judged)->CheckAndInsert({.id = 9, .body = Sha256(copy), .text = copy}, &records[1]);
  (*judged)->CheckAndInsert({.id = 4, .body = Sha256(copy), .text = copy}, &repeated);
  EXPECT_EQ(repeated, DocumentRecord());
  ASSERT_TRUE((*restored)->Restore(records));
  EXPECT_EQ((*judged)->FindExact(Sha256(copy))->same_bytes_as, 9U);
  EXPECT_EQ((*restored)->FindExact(Sha256(copy))->same_bytes_as, 9U);
}

// Whoever of several threads comes first with some bytes: `status --check` counts on it.
TEST(Restore, EachBodyHasOneRecordWhoeverJudgesItAtOnce) {
  constexpr std::size_t kThreads = 4;
  std::mt19937_64 random(9);
  std::vector<std::string> pages;
  for (int i = 0; i < 40; ++i) {
    pages.push_back(tests::Article(random, 150));
    pages.push_back(pages.back() + " ");                  // the same text
    pages.push_back(pages.back() + tests::Word(random));  // a near one
  }
  const auto seen = ContentSeen::Create({});
  ASSERT_TRUE(seen);
  std::atomic<std::uint64_t> records = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      DocumentId id = t * pages.size();
      for (const std::string& page : pages) {
        DocumentRecord record;
        (*seen)->CheckAndInsert({.id = ++id, .body = Sha256(page), .text = page}, &record);
        if (record.id != kNoDocument) ++records;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ((*seen)->counts().bodies, pages.size());
  EXPECT_EQ(records, pages.size());
}

}  // namespace
}  // namespace contentseen
