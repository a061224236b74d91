#include "contentseen/detectors/fingerprint_index.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace contentseen {
namespace {

std::unique_ptr<FingerprintIndex> MakeIndex(unsigned k) {
  return std::move(FingerprintIndex::Create({.k = k}).value());
}

struct Stored {
  Fingerprint fingerprint;
  DocumentId document;
};

std::optional<FingerprintIndex::Neighbor> ByLinearScan(const std::vector<Stored>& stored,
                                                       Fingerprint query, int k) {
  std::optional<FingerprintIndex::Neighbor> best;
  for (const Stored& s : stored) {
    const int distance = Distance(query, s.fingerprint);
    if (distance > k) continue;
    if (!best || std::pair(distance, s.document) < std::pair(best->distance, best->document)) {
      best = FingerprintIndex::Neighbor{s.document, s.fingerprint, distance};
    }
  }
  return best;
}

TEST(FingerprintIndex, ABatchIsAsOneByOne) {
  std::mt19937_64 random(5);
  for (const unsigned k : {0U, 3U, 7U}) {
    const auto one_by_one = MakeIndex(k);
    const auto batched = MakeIndex(k);
    std::vector<FingerprintIndex::Entry> entries;
    for (DocumentId document = 1; document <= 5'000; ++document) {
      Fingerprint fingerprint = random();
      if (document % 3 == 0) {
        fingerprint = entries[random() % entries.size()].key ^ Fingerprint { 1 } << random() % 64;
      }
      if (document % 50 == 0) fingerprint = 0;  // stands there again and again
      entries.push_back({fingerprint, document});
      one_by_one->Insert(fingerprint, document);
    }
    const auto half = std::span(entries).subspan(2'500);
    batched->InsertBatch(half);  // the greater ids first
    batched->InsertBatch(std::span(entries).first(2'500));
    ASSERT_EQ(batched->size(), one_by_one->size());
    for (const auto& entry : entries) {
      const Fingerprint query = entry.key ^ Fingerprint { 1 } << random() % 64;
      const auto expected = one_by_one->FindNearest(query);
      const auto found = batched->FindNearest(query);
      ASSERT_EQ(found.has_value(), expected.has_value());
      if (!found) continue;
      EXPECT_EQ(found->document, expected->document);
      EXPECT_EQ(found->fingerprint, expected->fingerprint);
    }
  }
}

TEST(FingerprintIndex, AgreesWithLinearScanForEveryK) {
  std::mt19937_64 random(4);
  std::vector<Stored> stored;
  std::set<Fingerprint> taken;
  for (DocumentId document = 1; document <= 2'000; ++document) {
    Fingerprint fingerprint = random();
    // Half of them lie around earlier ones, so that ties and near misses occur.
    if (document > 10 && document % 2 == 0) {
      fingerprint = stored[random() % stored.size()].fingerprint;
      for (std::uint64_t flips = random() % 6; flips > 0; --flips) {
        fingerprint ^= Fingerprint{1} << random() % 64;
      }
    }
    if (!taken.insert(fingerprint).second) continue;
    stored.push_back({fingerprint, 5'000 - document});
  }
  for (int k = 0; k <= 10; ++k) {
    const auto index = MakeIndex(static_cast<unsigned>(k));
    for (const Stored& s : stored) index->Insert(s.fingerprint, s.document);
    EXPECT_EQ(index->size(), stored.size());
    for (int i = 0; i < 300; ++i) {
      Fingerprint query = stored[random() % stored.size()].fingerprint;
      for (std::uint64_t flips = random() % 13; flips > 0; --flips) {
        query ^= Fingerprint{1} << random() % 64;
      }
      const auto found = index->FindNearest(query);
      const auto expected = ByLinearScan(stored, query, k);
      ASSERT_EQ(found.has_value(), expected.has_value()) << "k " << k;
      if (!expected) continue;
      ASSERT_EQ(found->distance, expected->distance);
      ASSERT_EQ(found->document, expected->document);
      ASSERT_EQ(found->fingerprint, expected->fingerprint);
    }
  }
}

TEST(FingerprintIndex, OfEqualFingerprintsTheFirstStays) {
  const auto index = MakeIndex(3);
  index->Insert(5, 20);
  index->Insert(5, 10);
  EXPECT_EQ(index->FindNearest(5)->document, 20u);
  EXPECT_EQ(index->size(), 1u);
}

TEST(FingerprintIndex, EmptyFindsNothing) {
  EXPECT_FALSE(MakeIndex(10)->FindNearest(0).has_value());
}

}  // namespace
}  // namespace contentseen
