#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "contentseen/hamming/hamming_arena.h"
#include "contentseen/hamming/hamming_index.h"
#include "tests/contentseen/memory_limit.h"

// What an index says that it takes, against what the process really takes.

namespace contentseen {
namespace {

// Bytes of memory that the process has, page by page; nothing where the kernel does not say.
std::optional<std::int64_t> Resident() {
  malloc_trim(0);
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;) {
    std::int64_t kilobytes = 0;
    if (word == "Rss:" && file >> kilobytes) return kilobytes << 10;
  }
  return std::nullopt;
}

// What is not the index's own: code that was not read before, the reading of the file.
constexpr std::int64_t kBeside = std::int64_t{1} << 20;

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
  EXPECT_LE(*Resident() - *before, static_cast<std::int64_t>((*index)->bytes()) + kBeside);
}

INSTANTIATE_TEST_SUITE_P(Lines, HammingMemoryTest,
                         testing::Values(Case{3, 100'000, true}, Case{3, 1'000'000, true},
                                         Case{3, 1'000'000, false}, Case{5, 1'000'000, true}));
INSTANTIATE_TEST_SUITE_P(Lists, HammingMemoryTest,
                         testing::Values(Case{6, 100'000, true}, Case{6, 1'000'000, true},
                                         Case{8, 300'000, true}, Case{10, 100'000, true}));

// Windows too, and a list's chunks of every size.
TEST(HammingLongListsMemoryTest, NoMoreIsTakenThanIsCounted) {
  if (tests::kSanitized) GTEST_SKIP() << "sanitizers take memory beside";
  for (const unsigned k : {3U, 6U}) {
    const auto before = Resident();
    if (!before) GTEST_SKIP() << "this kernel does not say what memory is taken";
    auto index = HammingIndex::Create({.k = k, .huge_pages = false});
    ASSERT_TRUE(index) << index.error().message;
    std::mt19937_64 random(k);
    for (int i = 0; i < 300'000; ++i) (*index)->Insert(0xabcd'ef01'0000'0000 | random() >> 32);
    EXPECT_LE(*Resident() - *before, static_cast<std::int64_t>((*index)->bytes()) + kBeside);
  }
}

// Of what several threads take at once no piece meets another, and every one is counted.
TEST(HammingArenaTest, PiecesLieApart) {
  constexpr std::size_t kLine = HammingArena::kLine;
  using Piece = std::pair<std::byte*, std::size_t>;
  HammingArena arena;
  EXPECT_EQ(arena.bytes(), 0U);
  std::array<std::vector<Piece>, 4> taken;
  std::vector<std::thread> threads;
  for (auto& mine : taken) {
    threads.emplace_back([&mine, &arena] {
      std::mt19937_64 random(1);
      for (int i = 0; i < 3'000; ++i) {
        const std::size_t bytes = kLine << (i % 100 == 0 ? 10 : random() % 4);
        mine.emplace_back(static_cast<std::byte*>(arena.Take(bytes)), bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Piece> all;
  for (const auto& some : taken) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end());
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all[i].first) % kLine, 0U);
    EXPECT_TRUE(i == 0 || all[i - 1].first + all[i - 1].second <= all[i].first);
    bytes += all[i].second;
  }
  EXPECT_GE(arena.bytes(), bytes);
  EXPECT_LE(arena.bytes(), bytes + bytes / 8);
}

// What a plan says is what is there then.
class HammingPlannedMemoryTest : public testing::TestWithParam<Case> {};

TEST_P(HammingPlannedMemoryTest, IsWhatIsCounted) {
  const auto [k, n, huge_pages] = GetParam();
  auto index = HammingIndex::Create({.k = k, .expected_n = n, .huge_pages = huge_pages});
  ASSERT_TRUE(index) << index.error().message;
  std::mt19937_64 random(k);
  for (std::uint64_t i = 0; i < n; ++i) (*index)->Insert(random());
  const double planned = (*index)->plan().bytes_per_fingerprint * static_cast<double>(n);
  EXPECT_NEAR(static_cast<double>((*index)->bytes()), planned, planned * 0.05);
}

INSTANTIATE_TEST_SUITE_P(Lists, HammingPlannedMemoryTest,
                         testing::Values(Case{6, 100'000, true}, Case{6, 1'000'000, true},
                                         Case{8, 300'000, true}, Case{8, 3'000'000, true},
                                         Case{10, 30'000, true}, Case{10, 1'000'000, true}));

}  // namespace
}  // namespace contentseen
