#include "contentseen/fingerprint_index.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
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
