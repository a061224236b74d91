#include "contentseen/hamming/hamming_cells.h"

#include "base/check.h"

namespace contentseen {
namespace {

// Every word of `width` bits with exactly `ones` ones, in ascending order (Gosper's hack).
void AppendPatterns(unsigned width, unsigned ones, std::vector<std::uint32_t>& patterns) {
  if (ones == 0) {
    patterns.push_back(0);
    return;
  }
  std::uint64_t pattern = (std::uint64_t{1} << ones) - 1;
  while (pattern < std::uint64_t{1} << width) {
    patterns.push_back(static_cast<std::uint32_t>(pattern));
    std::uint64_t lowest = pattern & (~pattern + 1);
    std::uint64_t carried = pattern + lowest;
    pattern = ((carried ^ pattern) >> 2) / lowest | carried;
  }
}

}  // namespace

HammingCells::HammingCells(unsigned shift, unsigned width, int threshold,
                           const HammingKernels& kernels, HammingArena& arena)
    : shift_(shift),
      threshold_(threshold),
      mask_((1U << width) - 1),
      kernels_(kernels),
      arena_(arena),
      cells_(std::size_t{1} << width) {
  CHECK(width >= 1 && width <= 26 && shift + width <= 64);
  CHECK(threshold <= static_cast<int>(width));
  for (int ones = 0; ones <= threshold; ++ones) {
    AppendPatterns(width, static_cast<unsigned>(ones), flips_);
  }
}

const HammingBag& HammingCells::Append(std::uint64_t fingerprint) {
  HammingBag& list = cells_[Value(fingerprint)];
  list.Append(fingerprint, arena_);
  return list;
}

}  // namespace contentseen
