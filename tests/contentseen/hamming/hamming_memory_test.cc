#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <random>
#include <string>

#include "contentseen/hamming/hamming_index.h"
#include "tests/contentseen/memory_limit.h"

// What an index says that it takes, against what the process really takes.

namespace contentseen {
namespace {

// Bytes of memory that the process has, page by page; nothing where the kernel does not say.
std::optional<std::uint64_t> Resident() {
  malloc_trim(0);
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "Rss:" && file >> kilobytes) return kilobytes << 10;
  }
  return std::nullopt;
}

struct Case {
  unsigned k;
  std::uint64_t n;
  bool huge_pages;
};

class HammingMemoryTest : public testing::TestWithParam<Case> {};

TEST_P(HammingMemoryTest, NoMoreIsTakenThanIsCounted) {
  if (tests::kSanitized) GTEST_SKIP() << "sanitizers take memory beside";
  const auto [k, n, huge_pages] = GetParam();
  const auto before = Resident();
  if (!before) GTEST_SKIP() << "this kernel does not say what memory is taken";
  auto index = HammingIndex::Create({.k = k, .expected_n = n, .huge_pages = huge_pages});
  ASSERT_TRUE(index) << index.error().message;
  std::mt19937_64 random(k);
  for (std::uint64_t i = 0; i < n; ++i) (*index)->Insert(random());
  // Of what is not the index's own: code that was not read before, the reading of the file.
  constexpr std::uint64_t kBeside = std::uint64_t{1} << 20;
  EXPECT_LE(*Resident() - *before, (*index)->bytes() + kBeside);
}

INSTANTIATE_TEST_SUITE_P(Lines, HammingMemoryTest,
                         testing::Values(Case{3, 100'000, true}, Case{3, 1'000'000, true},
                                         Case{3, 1'000'000, false}, Case{5, 1'000'000, true}));

}  // namespace
}  // namespace contentseen
