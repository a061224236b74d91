// Manku's tables, plain and compressed, the batch join and the rotate-and-sort recipe, against
// linear scans.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "contentseen/hamming/batch_join.h"
#include "contentseen/hamming/compressed_tables.h"
#include "contentseen/hamming/hamming_scan.h"
#include "contentseen/hamming/manku_tables.h"
#include "contentseen/hamming/rotate_join.h"
#include "tests/contentseen/hamming/samples.h"
#include "tests/contentseen/memory_limit.h"
#include "tests/temp_folder.h"

namespace contentseen {
namespace {

void WriteBinary(const std::string& path, const std::vector<Fingerprint>& all) {
  std::ofstream file(path, std::ios::binary);
  for (Fingerprint x : all) {
    for (int b = 0; b < 8; ++b) file.put(static_cast<char>(x >> (8 * b)));
  }
}

class OfflineTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  const tests::TempFolder folder_;
};

TEST_F(OfflineTest, DesignsOfThePaper) {
  const std::map<std::vector<unsigned>, std::size_t> expected = {
      {{4}, 4}, {{5}, 10}, {{4, 4}, 16}, {{6}, 20}};
  for (const auto& [blocks, tables] : expected) {
    EXPECT_EQ(MankuDesign::Make(3, blocks).tables.size(), tables);
  }
  for (const auto& table : MankuDesign::Make(3, {6}).tables) {
    EXPECT_GE(table.prefix, 31U);
    EXPECT_LE(table.prefix, 33U);
  }
  for (const auto& table : MankuDesign::Make(3, {4, 4}).tables) EXPECT_EQ(table.prefix, 28U);
  // The recursion: the fewer candidates a table may have, the more tables.
  constexpr std::uint64_t kN = std::uint64_t{1} << 34;
  EXPECT_EQ(MankuDesign::Choose(3, kN, 262'144)->tables.size(), 4U);
  EXPECT_EQ(MankuDesign::Choose(3, kN, 512)->tables.size(), 10U);
  EXPECT_EQ(MankuDesign::Choose(3, kN, 64)->tables.size(), 16U);
  EXPECT_EQ(MankuDesign::Choose(3, kN, 8)->tables.size(), 20U);
  EXPECT_FALSE(MankuDesign::Choose(10, 300'000'000, 1)) << "no design reaches so few";
  EXPECT_FALSE(MankuDesign::Choose(3, kN, 0));
}

TEST_F(OfflineTest, PermutationsKeepDistanceAndInvert) {
  std::mt19937_64 random(1);
  for (const auto& table : MankuDesign::Make(3, {4, 4}).tables) {
    for (int i = 0; i < 100; ++i) {
      Fingerprint a = random();
      Fingerprint b = random();
      EXPECT_EQ(table.permutation.Invert(table.permutation.Apply(a)), a);
      EXPECT_EQ(Distance(table.permutation.Apply(a), table.permutation.Apply(b)), Distance(a, b));
    }
  }
}

TEST_F(OfflineTest, InterpolationFindsTheLowerBound) {
  std::mt19937_64 random(2);
  for (auto sorted : {samples::Uniform(random, 10'000), samples::Adversarial(random, 10'000),
                      std::vector<Fingerprint>{}, std::vector<Fingerprint>{7}}) {
    std::sort(sorted.begin(), sorted.end());
    std::vector<Fingerprint> keys = samples::Queries(random, sorted, 1000, 2);
    keys.insert(keys.end(), {0, ~Fingerprint{0}, 7, 8});
    for (Fingerprint key : keys) {
      auto expected = std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin();
      ASSERT_EQ(InterpolationLowerBound(sorted, key), static_cast<std::size_t>(expected));
    }
  }
}

TEST_F(OfflineTest, TablesPlainAndCompressedEqualLinearScan) {
  std::mt19937_64 random(3);
  const std::vector<std::pair<unsigned, std::vector<unsigned>>> designs = {
      {3, {4}}, {3, {5}}, {3, {4, 4}}, {3, {6}}, {0, {1}}, {1, {2}}, {6, {8}}};
  for (const auto& [k, blocks] : designs) {
    for (const auto& stored :
         {samples::Uniform(random, 5'000), samples::Clustered(random, 5'000, 10, 2 * k + 2),
          samples::Adversarial(random, 5'000), std::vector<Fingerprint>{}}) {
      MankuDesign design = MankuDesign::Make(k, blocks);
      MankuTables plain(design, stored);
      ASSERT_TRUE(CompressedTables::Write(Path("tables"), design, stored));
      auto compressed = CompressedTables::Open(Path("tables"));
      ASSERT_TRUE(compressed) << compressed.error().message;
      for (Fingerprint query : samples::Queries(random, stored, 100, k + 2)) {
        std::vector<Fingerprint> near = samples::Within(stored, query, k);
        for (const auto& found : {plain.FindWithin(query), (*compressed)->FindWithin(query)}) {
          ASSERT_EQ(found.has_value(), !near.empty());
          bool right = !found || std::binary_search(near.begin(), near.end(), *found);
          ASSERT_TRUE(right);
        }
      }
    }
  }
}

TEST_F(OfflineTest, OnlyWhatCanBeOpenedIsWritten) {
  const auto of_four = MankuDesign::Make(1, {2, 2, 2, 2});
  EXPECT_FALSE(CompressedTables::Write(Path("four"), of_four, {}));
  EXPECT_FALSE(std::filesystem::exists(Path("four")));
  const auto of_three = MankuDesign::Make(1, {2, 2, 2});
  ASSERT_TRUE(CompressedTables::Write(Path("three"), of_three, {}));
  EXPECT_TRUE(CompressedTables::Open(Path("three")));
}

// A file holds k and the blocks: with the tables in another order nothing would be found.
TEST_F(OfflineTest, OnlyDesignsThatAFileHoldsAreWritten) {
  const MankuDesign made = MankuDesign::Make(3, {5});
  MankuDesign reversed = made;
  std::reverse(reversed.tables.begin(), reversed.tables.end());
  MankuDesign fewer = made;
  fewer.tables.pop_back();
  MankuDesign longer = made;
  ++longer.tables[3].prefix;
  MankuDesign impossible = made;
  impossible.blocks = {3};
  MankuDesign farther = made;
  farther.k = 11;
  for (const MankuDesign& other : {reversed, fewer, longer, impossible, farther}) {
    EXPECT_FALSE(CompressedTables::Write(Path("tables"), other, std::vector<Fingerprint>{1, 2}));
    EXPECT_FALSE(std::filesystem::exists(Path("tables")));
  }
  EXPECT_TRUE(CompressedTables::Write(Path("tables"), made, std::vector<Fingerprint>{1, 2}));
}

TEST_F(OfflineTest, WhoHasTablesOpenReadsOnWhenTheyAreWrittenAnew) {
  std::vector<Fingerprint> many(50'000);
  std::mt19937_64 random(3);
  for (Fingerprint& x : many) x = random();
  const auto design = MankuDesign::Make(3, {4});
  ASSERT_TRUE(CompressedTables::Write(Path("nightly"), design, many));
  const auto last = CompressedTables::Open(Path("nightly"));
  ASSERT_TRUE(last);
  ASSERT_TRUE(CompressedTables::Write(Path("nightly"), design, std::span(many).first(9)));
  for (const Fingerprint x : many) ASSERT_TRUE((*last)->FindWithin(x));
  const auto anew = CompressedTables::Open(Path("nightly"));
  ASSERT_TRUE(anew);
  EXPECT_TRUE((*anew)->FindWithin(many[8]));
  EXPECT_FALSE((*anew)->FindWithin(many[9]));
  EXPECT_FALSE(std::filesystem::exists(Path("nightly.part")));
}

// A file of 64 bytes may name a design of 789 million tables, which take 100 GB.
TEST_F(OfflineTest, DesignsThatTheFileHasNoRoomForAreNotMade) {
  const std::vector<unsigned> most = {12, 12, 12};
  EXPECT_EQ(MankuDesign::TablesOf(6, most), 924ULL * 924 * 924);
  EXPECT_EQ(MankuDesign::TablesOf(3, std::vector<unsigned>{4, 4}), 16U);
  EXPECT_EQ(MankuDesign::TablesOf(6, std::vector<unsigned>(7, 12)), ~std::uint64_t{0});
  WriteBinary(Path("huge"), {0x31454c424154534d, 6, 3, 12, 12, 12, 0, 0});
  const auto open = [&] {
    if (!tests::kSanitized) tests::LimitAddressSpace(tests::AddressSpace() + (64U << 20));
    const auto tables = CompressedTables::Open(Path("huge"));
    std::_Exit(!tables && tables.error().message.ends_with("write them anew") ? 0 : 1);
  };
  EXPECT_EXIT(open(), testing::ExitedWithCode(0), "");
}

TEST_F(OfflineTest, TablesSayThatMemoryIsRefused) {
  if (tests::kSanitized) GTEST_SKIP() << "sanitizers end the process themselves";
  std::mt19937_64 random(10);
  const std::vector<Fingerprint> stored = samples::Uniform(random, 500'000);
  const auto write = [&] {
    return CompressedTables::Write(Path("tables"), MankuDesign::Make(3, {4}), stored);
  };
  EXPECT_EXIT(tests::ExpectRefusals(0, write), testing::ExitedWithCode(0), "");
}

TEST_F(OfflineTest, CompressionIsWhatTheoryPromises) {
  std::mt19937_64 random(4);
  std::vector<Fingerprint> sorted = samples::Uniform(random, 1U << 20);
  std::sort(sorted.begin(), sorted.end());
  double part = static_cast<double>(CompressedTable::Compress(sorted).size()) /
                static_cast<double>(8 * sorted.size());
  EXPECT_NEAR(part, 0.74, 0.02);
}

TEST_F(OfflineTest, DamagedTablesAreRefusedOrHarmless) {
  std::mt19937_64 random(5);
  std::vector<Fingerprint> stored = samples::Uniform(random, 3'000);
  ASSERT_TRUE(CompressedTables::Write(Path("good"), MankuDesign::Make(3, {4}), stored));
  std::ifstream good(Path("good"), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(good)), {});
  for (int i = 0; i < 400; ++i) {
    std::string bad = bytes;
    if (i % 4 == 0) bad.resize(random() % bad.size());
    std::size_t reach = i % 2 == 0 ? bad.size() : std::min<std::size_t>(bad.size(), 200);
    for (int j = 0; j < 3 && reach > 0; ++j) bad[random() % reach] = static_cast<char>(random());
    std::ofstream(Path("bad"), std::ios::binary | std::ios::trunc) << bad;
    auto tables = CompressedTables::Open(Path("bad"));
    if (!tables) continue;
    for (int q = 0; q < 20; ++q) (*tables)->FindWithin(random());
  }
  EXPECT_FALSE(CompressedTables::Open(Path("absent")));
}

std::multiset<std::pair<Fingerprint, Fingerprint>> PairsByScan(
    const std::vector<Fingerprint>& existing, const std::vector<Fingerprint>& queries,
    unsigned k) {
  std::set<Fingerprint> distinct(queries.begin(), queries.end());
  std::multiset<std::pair<Fingerprint, Fingerprint>> pairs;
  for (Fingerprint x : existing) {
    for (Fingerprint q : distinct) {
      if (static_cast<unsigned>(Distance(x, q)) <= k) pairs.emplace(x, q);
    }
  }
  return pairs;
}

class JoinTableTest : public testing::TestWithParam<HammingKernel> {};

TEST_P(JoinTableTest, EqualsLinearScan) {
  if (ChooseHammingKernels(GetParam()).name != samples::NameOf(GetParam())) {
    GTEST_SKIP() << "this processor has no " << samples::NameOf(GetParam());
  }
  std::mt19937_64 random(6);
  for (unsigned k = 0; k <= 3; ++k) {
    for (const auto& queries :
         {samples::Uniform(random, 2'000), samples::Clustered(random, 2'000, 10, 8),
          samples::Adversarial(random, 2'000)}) {
      std::vector<Fingerprint> existing = samples::Queries(random, queries, 500, k + 2);
      std::multiset<std::pair<Fingerprint, Fingerprint>> pairs;
      auto table = JoinTable::Create(queries, k, GetParam());
      ASSERT_TRUE(table);
      const auto visit = [&](Fingerprint x, Fingerprint q) { pairs.emplace(x, q); };
      table->ForEachPair(existing, visit);
      ASSERT_EQ(pairs, PairsByScan(existing, queries, k));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, JoinTableTest,
                         testing::Values(HammingKernel::kScalar, HammingKernel::kAvx2,
                                         HammingKernel::kAvx512),
                         [](const auto& of) { return samples::NameOf(of.param); });

std::uint64_t pairs_seen = 0;
void CountPair(Fingerprint, Fingerprint) { ++pairs_seen; }

// 1,830 of them, each three bits from each of 1, 2 and 4.
std::vector<Fingerprint> ThreeBitsFromOneTwoFour() {
  std::vector<Fingerprint> queries;
  for (unsigned i = 3; i < 64; ++i) {
    for (unsigned j = i + 1; j < 64; ++j) {
      queries.push_back(Fingerprint{1} << i | Fingerprint{1} << j);
    }
  }
  return queries;
}

TEST_F(OfflineTest, AVisitorOfPairsEndsTheJoin) {
  const std::vector<Fingerprint> existing = {1, 2, 4};
  const std::vector<Fingerprint> queries = ThreeBitsFromOneTwoFour();
  const auto table = JoinTable::Create(queries, 3);
  ASSERT_TRUE(table);
  pairs_seen = 0;
  table->ForEachPair(existing, CountPair);
  EXPECT_EQ(pairs_seen, 3 * queries.size());
  for (std::uint64_t wanted : {1, 7}) {
    std::uint64_t calls = 0;
    table->ForEachPair(existing, [&](Fingerprint, Fingerprint) { return ++calls < wanted; });
    EXPECT_EQ(calls, wanted);
  }
}

TEST_F(OfflineTest, FilesAreJoined) {
  std::mt19937_64 random(7);
  std::vector<Fingerprint> queries = samples::Clustered(random, 600, 5, 8);
  std::vector<Fingerprint> existing = samples::Queries(random, queries, 900, 6);
  WriteBinary(Path("f.bin"), existing);
  std::ofstream text(Path("q.hex"));
  for (Fingerprint q : queries) text << FormatFingerprint(q) << "\r\n";
  text.close();
  for (unsigned k : {3U, 5U}) {
    JoinOptions options;
    options.k = k;
    options.queries_at_a_time = 250;
    auto totals = JoinFiles(Path("f.bin"), Path("q.hex"), Path("out.txt"), options);
    ASSERT_TRUE(totals) << totals.error().message;
    EXPECT_EQ(totals->existing, existing.size());
    std::multiset<std::pair<Fingerprint, Fingerprint>> pairs;
    std::ifstream out(Path("out.txt"));
    std::string a;
    std::string b;
    while (out >> a >> b) pairs.emplace(*ParseFingerprint(a), *ParseFingerprint(b));
    EXPECT_EQ(pairs, PairsByScan(existing, queries, k));
    EXPECT_EQ(totals->pairs, pairs.size());
  }
}

TEST_F(OfflineTest, JoinSaysThatMemoryIsRefused) {
  if (tests::kSanitized) GTEST_SKIP() << "sanitizers end the process themselves";
  std::mt19937_64 random(9);
  WriteBinary(Path("f.bin"), samples::Uniform(random, 1'000));
  WriteBinary(Path("q.bin"), samples::Uniform(random, 50'000));
  for (unsigned k : {3U, 7U}) {
    const auto join = [&] {
      return JoinFiles(Path("f.bin"), Path("q.bin"), Path("out.txt"), {.k = k});
    };
    EXPECT_EXIT(tests::ExpectRefusals(0, join), testing::ExitedWithCode(0), "");
  }
}

TEST_F(OfflineTest, JoinNamesWhatIsWrong) {
  std::ofstream(Path("bad.hex")) << "0123456789abcdef\nnonsense\n";
  std::ofstream(Path("bad.bin")) << "12345";
  std::ofstream(Path("good.hex")) << "0123456789abcdef\n";
  auto message = [&](const std::string& f, const std::string& q) {
    auto totals = JoinFiles(Path(f), Path(q), Path("out"));
    return totals ? std::string() : totals.error().message;
  };
  EXPECT_NE(message("good.hex", "bad.hex").find("bad.hex:2"), std::string::npos);
  EXPECT_NE(message("bad.bin", "good.hex").find("multiple of 8"), std::string::npos);
  EXPECT_NE(message("absent", "good.hex").find("absent"), std::string::npos);
  EXPECT_EQ(message("good.hex", "good.hex"), "");
  const auto full = JoinFiles(Path("good.hex"), Path("good.hex"), "/dev/full");
  EXPECT_NE(full.error().message.find("No space left"), std::string::npos);
}

// As from a pipe, which has no name of its own. Seventeen bytes a line: sixteen lines are also a
// whole number of fingerprints.
TEST_F(OfflineTest, JoinTakesNoTextForBytes) {
  for (const std::string end : {"\n", "\r\n"}) {
    std::string lines;
    for (int i = 0; i < 16; ++i) lines += "0123456789abcdeF" + end;
    std::ofstream(Path("nameless"), std::ios::binary) << lines;
    std::ofstream(Path("good.hex")) << "0123456789abcdef\n";
    for (const bool first : {false, true}) {
      const auto totals = JoinFiles(Path(first ? "nameless" : "good.hex"),
                                    Path(first ? "good.hex" : "nameless"), Path("out"));
      ASSERT_FALSE(totals);
      EXPECT_NE(totals.error().message.find("nameless begins as text does"), std::string::npos);
    }
    // Who says that it is text, or that it is none, is believed.
    const auto as = [&](FingerprintFormat format) {
      return JoinFiles(Path("nameless"), Path("good.hex"), Path("out"), {.existing = format});
    };
    EXPECT_EQ(as(FingerprintFormat::kHex)->pairs, 16U);
    EXPECT_EQ(as(FingerprintFormat::kBinary)->existing, lines.size() / 8);
  }
}

TEST_F(OfflineTest, JoinWritesOverNoInput) {
  const std::string line = "0123456789abcdef\n";
  std::ofstream(Path("f.hex")) << line;
  std::ofstream(Path("q.hex")) << line;
  std::filesystem::create_symlink("f.hex", Path("link"));
  for (const char* output : {"f.hex", "q.hex", "link"}) {
    const auto totals = JoinFiles(Path("f.hex"), Path("q.hex"), Path(output));
    ASSERT_FALSE(totals) << output;
    EXPECT_NE(totals.error().message.find("name another output"), std::string::npos);
  }
  EXPECT_EQ(tests::ReadFile(Path("f.hex")), line);
  EXPECT_EQ(tests::ReadFile(Path("q.hex")), line);
  EXPECT_TRUE(JoinFiles(Path("f.hex"), Path("f.hex"), Path("out.hex")));
}

TEST_F(OfflineTest, JoinGivesWholePairsUntilNoMoreAreWanted) {
  std::mt19937_64 random(8);
  const std::vector<Fingerprint> all = samples::Uniform(random, 20'000);
  WriteBinary(Path("f.bin"), all);
  std::uint64_t pairs = 0;
  const JoinSink count = [&pairs](std::string_view some) {
    constexpr std::size_t kLine = 34;
    EXPECT_EQ(some.size() % kLine, 0U);
    EXPECT_EQ(some.back(), '\n');
    pairs += some.size() / kLine;
    return true;
  };
  const auto totals = JoinFiles(Path("f.bin"), Path("f.bin"), count, {.k = 0});
  ASSERT_TRUE(totals) << totals.error().message;
  EXPECT_EQ(pairs, all.size());
  EXPECT_EQ(totals->pairs, all.size());

  int asked = 0;
  const JoinSink none = [&asked](std::string_view) { return ++asked > 1; };
  EXPECT_TRUE(JoinFiles(Path("f.bin"), Path("f.bin"), none, {.k = 0, .queries_at_a_time = 9'000}));
  EXPECT_EQ(asked, 1);
}

// The pieces of the existing file are larger by far than what the sink takes at a time.
TEST_F(OfflineTest, NothingIsJoinedOrReadThatNobodyWants) {
  std::vector<Fingerprint> existing;
  for (unsigned i = 0; i < 3'000; ++i) existing.push_back(Fingerprint{1} << i % 3);
  WriteBinary(Path("q.bin"), ThreeBitsFromOneTwoFour());
  WriteBinary(Path("f.bin"), existing);
  for (unsigned k : {3U, 4U}) {
    for (int wanted : {1, 3}) {
      int asked = 0;
      std::uint64_t bytes = 0;
      const JoinSink few = [&](std::string_view some) {
        bytes += some.size();
        return ++asked < wanted;
      };
      const auto totals = JoinFiles(Path("f.bin"), Path("q.bin"), few,
                                    {.k = k, .output = FingerprintFormat::kBinary});
      ASSERT_TRUE(totals) << totals.error().message;
      EXPECT_EQ(asked, wanted);
      EXPECT_EQ(totals->pairs, bytes / 16) << k;
    }
  }
  // A second piece that cannot be read is not met.
  existing.resize((1 << 20) + 1);
  WriteBinary(Path("f.bin"), existing);
  std::ofstream(Path("f.bin"), std::ios::app) << "end";
  const JoinSink none = [](std::string_view) { return false; };
  const auto totals = JoinFiles(Path("f.bin"), Path("q.bin"), none);
  ASSERT_TRUE(totals) << totals.error().message;
  EXPECT_EQ(totals->existing, 1 << 20);
  const JoinSink all = [](std::string_view) { return true; };
  EXPECT_FALSE(JoinFiles(Path("f.bin"), Path("q.bin"), all, {.k = 0}));
}

TEST_F(OfflineTest, RotatingLosesSomeAndInventsNone) {
  std::mt19937_64 random(8);
  // Families: much sorts in between.
  std::vector<Fingerprint> all = samples::Uniform(random, 20'000);
  for (int i = 0; i < 2'000; ++i) {
    Fingerprint centre = random();
    for (int j = 0; j < 10; ++j) all.push_back(centre ^ samples::Flips(random, j % 3));
  }
  RotateRecall few = *MeasureRotateJoin(all, 3, 16);
  RotateRecall many = *MeasureRotateJoin(all, 3, 64);
  EXPECT_LT(few.found, many.found);
  EXPECT_LT(many.found, many.all);
  EXPECT_GT(many.recall(), 0.5);
  for (const auto& [a, b] : RotateJoin(all, 3, 4)) {
    EXPECT_LT(a, b);
    EXPECT_LE(Distance(a, b), 3);
  }
  EXPECT_EQ(RotateJoin(std::vector<Fingerprint>{5, 4, 5}, 1, 1).size(), 1U);
}

}  // namespace
}  // namespace contentseen
