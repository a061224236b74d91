#include "contentseen/text/shingle_hash.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace contentseen {
namespace {

TEST(HashShingles, EveryPathGivesTheSame) {
  std::mt19937_64 random(1);
  for (std::size_t n = 1; n <= 70; ++n) {
    std::vector<std::uint64_t> tokens(n);
    for (std::uint64_t& token : tokens) token = random();
    for (std::size_t length = 1; length <= std::min<std::size_t>(n, 5); ++length) {
      std::vector<std::uint64_t> fast(n - length + 1);
      std::vector<std::uint64_t> plain(n - length + 1);
      HashShingles(tokens, length, fast.data());
      HashShinglesScalar(tokens, length, plain.data());
      ASSERT_EQ(fast, plain) << n << " tokens, length " << length;
    }
  }
}

TEST(HashShingles, OrderAndLengthMatter) {
  const std::vector<std::uint64_t> ab = {1, 2};
  const std::vector<std::uint64_t> ba = {2, 1};
  const std::vector<std::uint64_t> zero_a = {0, 1};
  const std::vector<std::uint64_t> a = {1};
  std::uint64_t hash_ab = 0;
  std::uint64_t hash_ba = 0;
  std::uint64_t hash_zero_a = 0;
  std::uint64_t hash_a = 0;
  HashShingles(ab, 2, &hash_ab);
  HashShingles(ba, 2, &hash_ba);
  HashShingles(zero_a, 2, &hash_zero_a);
  HashShingles(a, 1, &hash_a);
  EXPECT_NE(hash_ab, hash_ba);
  EXPECT_NE(hash_a, hash_zero_a);
}

}  // namespace
}  // namespace contentseen
