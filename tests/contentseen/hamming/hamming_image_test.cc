#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <tuple>

#include "contentseen/hamming/hamming_index.h"
#include "contentseen/image.h"
#include "tests/contentseen/hamming/samples.h"
#include "tests/temp_folder.h"

// An index that was read from its image is the one that was saved: it answers the same, and grows
// on from there.

namespace contentseen {
namespace {

/// An index's twin by way of a file.
std::unique_ptr<HammingIndex> Reread(const HammingIndex& index) {
  const tests::TempFolder folder;
  const std::filesystem::path path = folder / "image";
  {
    ImageWriter image(path, "twin");
    index.Save(image);
    EXPECT_TRUE(image.Close());
  }
  ImageReader image(path, "twin");
  auto twin = HammingIndex::Load(image, {.k = index.k(), .huge_pages = false});
  EXPECT_TRUE(twin) << twin.error().message;
  EXPECT_TRUE(image.AtEnd());
  return std::move(*twin);
}

void ExpectAnswers(const HammingIndex& index, const std::vector<Fingerprint>& stored,
                   std::mt19937_64& random) {
  for (Fingerprint query : samples::Queries(random, stored, 40, index.k() + 2)) {
    const std::vector<Fingerprint> near = samples::Within(stored, query, index.k());
    std::vector<Fingerprint> met;
    index.ForEachWithin(query, [&met](Fingerprint x) { met.push_back(x); });
    std::sort(met.begin(), met.end());
    ASSERT_EQ(met, near) << std::hex << query;
    ASSERT_EQ(index.FindWithin(query).has_value(), !near.empty()) << std::hex << query;
  }
  for (std::size_t i = 0; i < stored.size(); i += 7) {
    ASSERT_TRUE(index.FindWithin(stored[i])) << std::hex << stored[i];
  }
}

// k; whether it knew beforehand how many would come.
class HammingImageTest : public testing::TestWithParam<std::tuple<unsigned, bool>> {
 protected:
  void Try(const std::vector<Fingerprint>& stored, std::mt19937_64& random) {
    const auto [k, expected] = GetParam();
    auto index = HammingIndex::Create(
        {.k = k, .expected_n = expected ? stored.size() : 0, .huge_pages = false});
    ASSERT_TRUE(index);
    const std::size_t half = stored.size() / 2;
    const std::vector<Fingerprint> first(stored.begin(),
                                         stored.begin() + static_cast<std::ptrdiff_t>(half));
    (*index)->InsertBatch(first);
    const auto twin = Reread(**index);
    EXPECT_EQ(twin->size(), (*index)->size());
    EXPECT_EQ(twin->plan().layout, (*index)->plan().layout);
    ExpectAnswers(*twin, first, random);
    for (std::size_t i = 0; i < stored.size(); ++i) {
      ASSERT_EQ(twin->Insert(stored[i]), (*index)->Insert(stored[i])) << i;
    }
    EXPECT_EQ(twin->size(), (*index)->size());
    ExpectAnswers(*twin, stored, random);
  }
};

TEST_P(HammingImageTest, OfUniformOnes) {
  std::mt19937_64 random(1);
  Try(samples::Uniform(random, 8'000), random);
}
TEST_P(HammingImageTest, OfFamilies) {
  std::mt19937_64 random(2);
  Try(samples::Clustered(random, 8'000, 80, 6), random);
}
TEST_P(HammingImageTest, OfWhatItLikesLeast) {
  std::mt19937_64 random(3);
  Try(samples::Adversarial(random, 8'000), random);
}

INSTANTIATE_TEST_SUITE_P(All, HammingImageTest,
                         testing::Combine(testing::Values(0U, 1U, 3U, 4U, 5U, 7U, 10U),
                                          testing::Bool()));

// Past the floor of lines, so that it has grown when saved and grows again after.
TEST(HammingImageGrowthTest, GrowsOn) {
  std::mt19937_64 random(4);
  const std::vector<Fingerprint> stored = samples::Uniform(random, 1'800'000);
  auto index = HammingIndex::Create({.k = 3, .huge_pages = false});
  ASSERT_TRUE(index);
  const std::span<const Fingerprint> all(stored);
  for (std::size_t i = 0; i < 1'000'000; i += 100'000) {
    (*index)->InsertBatch(all.subspan(i, 100'000));
  }
  const auto twin = Reread(**index);
  EXPECT_EQ(twin->bytes(), (*index)->bytes());
  for (std::size_t i = 1'000'000; i < stored.size(); i += 100'000) {
    twin->InsertBatch(all.subspan(i, 100'000));
    (*index)->InsertBatch(all.subspan(i, 100'000));
  }
  EXPECT_EQ(twin->size(), (*index)->size());
  EXPECT_EQ(twin->bytes(), (*index)->bytes());
  std::size_t missing = 0;
  for (Fingerprint x : stored) missing += twin->FindWithin(x) == x ? 0 : 1;
  EXPECT_EQ(missing, 0u);
}

}  // namespace
}  // namespace contentseen
