#include "contentseen/hamming/manku_tables.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"

namespace contentseen {
namespace {

constexpr unsigned kBits = 64;
constexpr unsigned kBlocksMax = 12;
constexpr unsigned kLevelsMax = 3;

using Pieces = std::vector<BitPermutation::Piece>;

unsigned WidthOf(const Pieces& pieces) {
  unsigned width = 0;
  for (const auto& piece : pieces) width += piece.width;
  return width;
}

// Cuts the bits of `pieces` into `count` blocks, the first ones a bit wider; a block may itself be
// of several pieces.
std::vector<Pieces> Cut(const Pieces& pieces, unsigned count) {
  unsigned width = WidthOf(pieces);
  std::vector<Pieces> blocks(count);
  std::size_t at = 0;
  unsigned used = 0;
  for (unsigned i = 0; i < count; ++i) {
    unsigned left = width / count + (i < width % count ? 1 : 0);
    while (left > 0) {
      unsigned take = std::min(left, pieces[at].width - used);
      // From the top of the piece downwards.
      blocks[i].push_back({pieces[at].shift + pieces[at].width - used - take, take});
      left -= take;
      used += take;
      if (used == pieces[at].width) {
        ++at;
        used = 0;
      }
    }
  }
  return blocks;
}

void AddTables(const Pieces& leading, const Pieces& rest, std::span<const unsigned> levels,
               unsigned k, std::vector<MankuDesign::Table>& tables) {
  if (levels.empty()) {
    Pieces all = leading;
    all.insert(all.end(), rest.begin(), rest.end());
    tables.push_back({BitPermutation(std::move(all)), WidthOf(leading)});
    return;
  }
  std::vector<Pieces> blocks = Cut(rest, levels.front());
  for (std::uint32_t chosen = 0; chosen < 1U << blocks.size(); ++chosen) {
    if (static_cast<std::size_t>(std::popcount(chosen)) != blocks.size() - k) continue;
    Pieces front = leading;
    Pieces back;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      Pieces& to = (chosen >> i & 1) != 0 ? front : back;
      to.insert(to.end(), blocks[i].begin(), blocks[i].end());
    }
    AddTables(front, back, levels.subspan(1), k, tables);
  }
}

// Whole at every step: after the i-th these are the choices of i.
std::uint64_t Choices(unsigned n, unsigned k) {
  std::uint64_t choices = 1;
  for (unsigned i = 0; i < k; ++i) choices = choices * (n - i) / (i + 1);
  return choices;
}

// X(f, k, d) with the levels that attain it: `d` bits of candidates are still to be told apart, in
// `f` bits; none once d is below `enough`.
double Fewest(double f, unsigned k, double d, double enough, unsigned depth,
              std::vector<unsigned>& levels) {
  levels.clear();
  if (d <= enough) return 1;
  double best = INFINITY;
  if (depth == kLevelsMax) return best;
  for (unsigned r = k + 1; r <= kBlocksMax && r <= f; ++r) {
    double clean = (r - k) * f / r;
    std::vector<unsigned> deeper;
    double tables = static_cast<double>(Choices(r, k)) *
                    Fewest(f - clean, k, d - clean, enough, depth + 1, deeper);
    if (tables >= best) continue;
    best = tables;
    levels = {r};
    levels.insert(levels.end(), deeper.begin(), deeper.end());
  }
  return best;
}

}  // namespace

BitPermutation::BitPermutation(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  std::uint64_t covered = 0;
  for (const Piece& piece : pieces_) {
    CHECK(piece.width >= 1 && piece.shift + piece.width <= kBits);
    std::uint64_t bits = (~std::uint64_t{0} >> (kBits - piece.width)) << piece.shift;
    CHECK((covered & bits) == 0);
    covered |= bits;
  }
  CHECK(covered == ~std::uint64_t{0});
}

Fingerprint BitPermutation::Apply(Fingerprint fingerprint) const {
  Fingerprint permuted = 0;
  unsigned left = kBits;
  for (const Piece& piece : pieces_) {
    left -= piece.width;
    permuted |= (fingerprint >> piece.shift & (~Fingerprint{0} >> (kBits - piece.width))) << left;
  }
  return permuted;
}

Fingerprint BitPermutation::Invert(Fingerprint permuted) const {
  Fingerprint fingerprint = 0;
  unsigned left = kBits;
  for (const Piece& piece : pieces_) {
    left -= piece.width;
    fingerprint |= (permuted >> left & (~Fingerprint{0} >> (kBits - piece.width))) << piece.shift;
  }
  return fingerprint;
}

MankuDesign MankuDesign::Make(unsigned k, const std::vector<unsigned>& blocks) {
  CHECK(k <= 10);
  MankuDesign design;
  design.k = k;
  design.blocks = blocks;
  unsigned width = kBits;
  for (unsigned count : blocks) {
    CHECK(count > k && count <= kBlocksMax && count <= width);
    width -= (count - k) * (width / count);
  }
  AddTables({}, {{0, kBits}}, blocks, k, design.tables);
  return design;
}

std::uint64_t MankuDesign::TablesOf(unsigned k, std::span<const unsigned> blocks) {
  std::uint64_t tables = 1;
  for (unsigned count : blocks) {
    CHECK(count > k && count <= kBlocksMax);
    const std::uint64_t choices = Choices(count, k);
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    tables = tables > kMost / choices ? kMost : tables * choices;
  }
  return tables;
}

std::optional<MankuDesign> MankuDesign::Choose(unsigned k, std::uint64_t n,
                                               double candidates_max) {
  std::vector<unsigned> levels;
  double d = std::log2(static_cast<double>(std::max<std::uint64_t>(n, 1)));
  const double tables = Fewest(kBits, k, d, std::log2(candidates_max), 0, levels);
  if (std::isinf(tables)) return std::nullopt;
  return Make(k, levels);
}

std::size_t InterpolationLowerBound(std::span<const Fingerprint> sorted, Fingerprint key) {
  std::size_t n = sorted.size();
  if (n == 0) return 0;
  __extension__ using Wide = unsigned __int128;
  auto guess = static_cast<std::size_t>(Wide{key} * n >> 64);
  // Uniform values stray by about the root of n: widen from there until the answer is inside.
  std::size_t step = 16;
  std::size_t low = guess;
  std::size_t high = guess;
  while (low > 0 && sorted[low] >= key) {
    low -= std::min(low, step);
    step *= 2;
  }
  step = 16;
  while (high < n && sorted[high] < key) {
    high += std::min(n - high, step);
    step *= 2;
  }
  auto first = sorted.begin();
  return static_cast<std::size_t>(std::lower_bound(first + static_cast<std::ptrdiff_t>(low),
                                                   first + static_cast<std::ptrdiff_t>(high),
                                                   key) -
                                  first);
}

MankuTables::MankuTables(MankuDesign design, std::span<const Fingerprint> fingerprints)
    : design_(std::move(design)) {
  for (const MankuDesign::Table& table : design_.tables) {
    std::vector<Fingerprint> sorted;
    sorted.reserve(fingerprints.size());
    for (Fingerprint x : fingerprints) sorted.push_back(table.permutation.Apply(x));
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    sorted_.push_back(std::move(sorted));
  }
}

std::optional<Fingerprint> MankuTables::FindWithin(Fingerprint query) const {
  for (std::size_t t = 0; t < sorted_.size(); ++t) {
    const MankuDesign::Table& table = design_.tables[t];
    const std::vector<Fingerprint>& sorted = sorted_[t];
    Fingerprint permuted = table.permutation.Apply(query);
    Fingerprint below =
        table.prefix == 0 ? ~Fingerprint{0} : ~Fingerprint{0} >> 1 >> (table.prefix - 1);
    for (std::size_t i = InterpolationLowerBound(sorted, permuted & ~below);
         i < sorted.size() && (sorted[i] ^ permuted) <= below; ++i) {
      if (static_cast<unsigned>(Distance(sorted[i], permuted)) <= design_.k) {
        return table.permutation.Invert(sorted[i]);
      }
    }
  }
  return std::nullopt;
}

std::uint64_t MankuTables::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& sorted : sorted_) bytes += sorted.size() * sizeof(Fingerprint);
  return bytes;
}

}  // namespace contentseen
