#include "contentseen/detectors/shingle_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "contentseen/text/token_hashes.h"

namespace contentseen {
namespace {

constexpr std::uint64_t kKey = 11;

// Different hashes of a text's shingles, ascending.
std::vector<std::uint32_t> HashesOf(const AnalyzedText& text) {
  std::vector<std::uint32_t> hashes;
  for (const std::uint64_t hash : ShingleHashes(text, kSampleWords, kKey)) {
    hashes.push_back(static_cast<std::uint32_t>(hash >> 32));
  }
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

// Of a text that is all main the sample is its smallest hashes, whatever its length and however
// often it says the same.
TEST(ShingleSample, HasTheSmallestHashes) {
  const HostSketch nothing(HostSketch::kBytesMin, 5);
  AnalyzedText text({});
  for (const std::size_t words : {3, 90, 99, 250, 258, 400, 1'000, 20'000}) {
    for (const std::size_t different : {1, 7, 97, 98, 300, 20'000}) {
      std::string letters;
      for (std::size_t i = 0; i < words; ++i) letters += "w" + std::to_string(i % different) + ' ';
      text.Assign(letters);
      const ShingleSample sample = SampleShingles(text, HostSketch::Reader(nothing, 0), kKey);
      std::vector<std::uint32_t> hashes = HashesOf(text);
      const bool all = hashes.size() <= kSampleMain;
      EXPECT_EQ(sample.bound, all ? HostSketch::kNoBound : hashes[kSampleMain]);
      hashes.resize(std::min(hashes.size(), kSampleMain));
      EXPECT_EQ(sample.main, hashes) << words << " words, " << different << " different";
    }
  }
}

}  // namespace
}  // namespace contentseen
