#include "contentseen/hamming/hamming_line.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>
#include <vector>

namespace contentseen {
namespace {

TEST(HammingGeometryTest, UnmixInvertsMix) {
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    std::uint32_t word = random() & ((1U << 27) - 1);
    ASSERT_EQ(HammingGeometry::Unmix(HammingGeometry::Mix(word)), word);
    ASSERT_EQ(HammingGeometry::Mix(word) >> 26, word >> 26);
  }
}

TEST(HammingGeometryTest, PackedAndBack) {
  HammingGeometry geometry{24, 7, (1U << 24) - HammingGeometry::kUnit, HammingGeometry::kUnit};
  HammingGeometry back = HammingGeometry::Unpack(geometry.Pack());
  EXPECT_EQ(back.bits, geometry.bits);
  EXPECT_EQ(back.share, geometry.share);
  EXPECT_EQ(back.split, geometry.split);
  EXPECT_EQ(back.busy, geometry.busy);
}

TEST(HammingGeometryTest, SizedForLines) {
  for (std::uint64_t lines : {1ULL, 65'536ULL, 65'537ULL, 131'071ULL, 131'072ULL, 999'999ULL,
                              100'000'000ULL, 134'217'727ULL - HammingGeometry::kUnit}) {
    std::uint64_t made = HammingGeometry::For(lines).lines();
    EXPECT_GE(made, std::max<std::uint64_t>(lines, 65'536));
    EXPECT_LT(made, std::max<std::uint64_t>(lines, 65'536) + HammingGeometry::kUnit);
  }
  EXPECT_EQ(HammingGeometry::For(1ULL << 40).lines(), (1ULL << 27) - HammingGeometry::kUnit);
  EXPECT_TRUE(HammingGeometry::For(1ULL << 40).full());
}

// A line of every layout, filled slot by slot.
TEST(HammingGeometryTest, LinesKeepWhatIsFilledIn) {
  std::mt19937 random(5);
  for (const HammingLayout& layout : HammingGeometry::kLayouts) {
    HammingLine line{};
    std::vector<HammingLine::Slot> filled;
    for (unsigned slot = 0; slot < layout.slots; ++slot) {
      auto upper = static_cast<std::uint32_t>(random()) & ((1U << layout.upper_bits) - 1);
      filled.push_back({static_cast<std::uint32_t>(random()), slot * 7 + 1, upper});
      auto meta = static_cast<std::uint32_t>(random());
      line.Fill(slot, filled.back(), layout, meta);
      ASSERT_EQ(line.meta(), meta);
      for (unsigned i = 0; i <= slot; ++i) ASSERT_EQ(line.Get(i, layout), filled[i]);
    }
  }
}

// Marks come one by one, before and between fingerprints (a heavy cell's), and stay.
TEST(HammingGeometryTest, LinesKeepTheFilterBesideWhatIsFilledIn) {
  std::mt19937 random(6);
  for (const HammingLayout& layout : HammingGeometry::kLayouts) {
    HammingLine line{};
    HammingWholeMeta meta;
    std::vector<HammingLine::Slot> filled;
    for (unsigned slot = 0; slot < layout.slots; ++slot) {
      meta.filter |= layout.Mark(static_cast<std::uint32_t>(random()) & 0xff);
      line.SetMeta(meta);
      auto upper = static_cast<std::uint32_t>(random()) & ((1U << layout.upper_bits) - 1);
      filled.push_back({static_cast<std::uint32_t>(random()), slot * 7 + 1, upper});
      ++meta.count;
      line.Fill(slot, filled.back(), layout, meta.Bits());
      ASSERT_EQ(line.Meta(layout).filter, meta.filter);
      ASSERT_EQ(line.Meta(layout).count, meta.count);
      for (unsigned i = 0; i <= slot; ++i) ASSERT_EQ(line.Get(i, layout), filled[i]);
    }
  }
}

// Where a line has room for the whole filter, one mark is one tag's; of any two fields each pair
// of bits is as many tags' as any other.
TEST(HammingGeometryTest, MarksTellTagsApart) {
  const HammingLayout& whole = HammingGeometry::kLayouts[1];
  std::map<std::uint32_t, int> marks;
  std::map<std::uint32_t, int> pairs;
  for (std::uint32_t tag = 0; tag < 256; ++tag) {
    std::uint32_t mark = whole.Mark(tag);
    EXPECT_EQ(std::popcount(mark), 3);
    ++marks[mark];
    ++pairs[mark & 0x00ffffff];
    ++pairs[mark & 0xff00ffff];
    ++pairs[mark & 0xffff0000];
    EXPECT_EQ(HammingGeometry::kLayouts[0].Mark(tag), mark & HammingLayout::kFirstField);
  }
  EXPECT_EQ(marks.size(), 256U);
  EXPECT_EQ(pairs.size(), 128U + 128U + 64U);
  for (auto [pair, tags] : pairs) EXPECT_EQ(tags, (pair & 0xffff) != 0 ? 2 : 4);
}

// Sized for n they hold n before they grow, and no unit less would do.
TEST(HammingGeometryTest, SizedForFingerprints) {
  for (std::uint64_t n :
       {1'000'000ULL, 10'000'000ULL, 23'400'000ULL, 23'600'000ULL, 37'000'000ULL, 41'900'000ULL,
        42'000'000ULL, 100'000'000ULL, 165'000'000ULL, 1'000'000'000ULL}) {
    HammingGeometry geometry = HammingGeometry::ForFingerprints(n);
    EXPECT_GE(geometry.Capacity(), n);
    EXPECT_LE(geometry.Capacity(), n + HammingGeometry::kUnit * 12);
  }
}

// Each unit of growth makes room for about as many as the one before it, also where lines get
// other layouts: were it less, the table would have to hurry.
TEST(HammingGeometryTest, GrowsAtAnEvenPace) {
  HammingGeometry geometry;
  while (!geometry.full()) {
    const HammingGeometry grown = geometry.Grown();
    const std::uint64_t more = grown.Capacity() - geometry.Capacity();
    ASSERT_GE(more, HammingGeometry::kUnit * 8) << geometry.lines();
    ASSERT_LE(more, HammingGeometry::kUnit * 12) << geometry.lines();
    geometry = grown;
  }
}

// Growth passes through every size, from the smallest to the largest.
TEST(HammingGeometryTest, GrowsByOneUnitAtATime) {
  HammingGeometry geometry;
  std::uint64_t lines = geometry.lines();
  while (!geometry.full()) {
    geometry = geometry.Grown();
    lines += HammingGeometry::kUnit;
    ASSERT_EQ(geometry.lines(), lines);
    ASSERT_EQ(HammingGeometry::For(lines).Pack(), geometry.Pack());
  }
}

// Line and tag must give the codeword back, at every size; and growing by a unit of
// groups must move only their fingerprints, within their group.
TEST(HammingGeometryTest, LineAndTagTellTheCodeword) {
  std::mt19937 random(3);
  for (std::uint32_t bits = 14; bits <= 24; ++bits) {
    for (std::uint32_t share = 4; share < 8; ++share) {
      std::uint32_t unit = HammingGeometry::kUnit;
      std::uint32_t split = random() % (1U << bits) / unit * unit;
      HammingGeometry geometry{bits, share, split, 0};
      if (geometry.full()) geometry.split -= unit;
      HammingGeometry grown = geometry.Grown();
      for (int i = 0; i < 20'000; ++i) {
        std::uint32_t word = random() & ((1U << 27) - 1);
        if (i % 4 == 0) word = (word & ~((1U << bits) - 1)) | (geometry.split + word % unit);
        std::uint32_t line = geometry.LineOf(word);
        ASSERT_LT(line, geometry.lines());
        std::uint32_t tag = HammingGeometry::Tag(word, random() & 31);
        ASSERT_LT(tag, 1U << 8);
        std::uint32_t group = geometry.Group(line);
        HammingGeometry around = geometry.Around(line);
        const HammingLayout& layout = around.Layout();
        std::uint32_t upper = word >> layout.upper_first & ((1U << layout.upper_bits) - 1);
        ASSERT_EQ(around.WordOf(line, tag, upper, around.FirstOf(line)), word)
            << bits << ' ' << share << ' ' << line;
        std::uint32_t after = grown.LineOf(word);
        ASSERT_LT(after, grown.lines());
        if (geometry.Group(word) / unit == geometry.split / unit) {
          ASSERT_EQ(after & ((1U << bits) - 1), group);
        } else {
          ASSERT_EQ(after, line);
        }
      }
    }
  }
}

TEST(HammingGeometryTest, LinesOfAGroupGetEqualShares) {
  std::mt19937 random(4);
  HammingGeometry geometry{14, 5, 0, 0};
  std::array<int, 5> count{};
  constexpr int kWords = 500'000;
  for (int i = 0; i < kWords; ++i) ++count[geometry.LineOf(random() & ((1U << 27) - 1)) >> 14];
  for (int c : count) EXPECT_NEAR(c, kWords / 5, kWords / 5 / 50);
}

}  // namespace
}  // namespace contentseen
