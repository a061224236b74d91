#include "contentseen/block_index.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace contentseen {
namespace {

struct Stored {
  Fingerprint fingerprint;
  DocumentId document;
};

std::optional<BlockIndex::Neighbor> ByLinearScan(const std::vector<Stored>& stored,
                                                 Fingerprint query, int k) {
  std::optional<BlockIndex::Neighbor> best;
  for (const Stored& s : stored) {
    const int distance = Distance(query, s.fingerprint);
    if (distance > k) continue;
    if (!best || std::pair(distance, s.document) < std::pair(best->distance, best->document)) {
      best = BlockIndex::Neighbor{s.document, s.fingerprint, distance};
    }
  }
  return best;
}

TEST(BlockIndex, AgreesWithLinearScanForEveryK) {
  std::mt19937_64 random(4);
  BlockIndex index;
  std::vector<Stored> stored;
  for (DocumentId document = 1; document <= 2'000; ++document) {
    Fingerprint fingerprint = random();
    // Half of them lie around earlier ones, so that ties and near misses occur.
    if (document > 10 && document % 2 == 0) {
      fingerprint = stored[random() % stored.size()].fingerprint;
      for (std::uint64_t flips = random() % 6; flips > 0; --flips) {
        fingerprint ^= Fingerprint{1} << random() % 64;
      }
    }
    stored.push_back({fingerprint, 5'000 - document});
    index.Insert(fingerprint, 5'000 - document);
  }
  EXPECT_EQ(index.size(), stored.size());
  for (int k = 0; k <= 10; ++k) {
    for (int i = 0; i < 300; ++i) {
      Fingerprint query = stored[random() % stored.size()].fingerprint;
      for (std::uint64_t flips = random() % 13; flips > 0; --flips) {
        query ^= Fingerprint{1} << random() % 64;
      }
      const auto found = index.FindNearest(query, k);
      const auto expected = ByLinearScan(stored, query, k);
      ASSERT_EQ(found.has_value(), expected.has_value()) << "k " << k;
      if (!expected) continue;
      ASSERT_EQ(found->distance, expected->distance);
      ASSERT_EQ(found->document, expected->document);
      ASSERT_EQ(found->fingerprint, expected->fingerprint);
    }
  }
}

TEST(BlockIndex, EmptyFindsNothing) { EXPECT_FALSE(BlockIndex().FindNearest(0, 10).has_value()); }

}  // namespace
}  // namespace contentseen
