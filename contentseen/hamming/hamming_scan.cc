#include "contentseen/hamming/hamming_scan.h"

#include <algorithm>
#include <bit>

#include "contentseen/hamming/hamming_index.h"

namespace contentseen {
namespace {

constexpr std::uint64_t kEach = 0x0101010101010101;

// Whether one of the eight bytes is zero (exact as a yes or no).
bool HasZeroByte(std::uint64_t x) { return ((x - kEach) & ~x & (kEach << 7)) != 0; }

void PrepareOne(const HammingBallTable& ball, const HammingGeometry& geometry,
                const HammingFields fields, HammingProbe& probe) {
  for (unsigned i = 0; i < 16; ++i) {
    std::uint32_t mixed =
        HammingGeometry::Mix(probe.codeword ^ ball.codeword_flips[probe.syndrome][i]);
    std::uint32_t a = HammingGeometry::Tag(mixed, ball.syndrome_a[probe.syndrome][i]);
    std::uint32_t b = HammingGeometry::Tag(mixed, ball.syndrome_b[probe.syndrome][i]);
    probe.line[i] = geometry.LineOf(mixed);
    probe.tags[i] = a | b << 8;
    const bool grown = geometry.Group(mixed) < geometry.split;
    const std::uint32_t its_fields = grown ? fields.grown : fields.before;
    probe.mark_a[i] = HammingLayout::WholeMark(a) & its_fields;
    probe.mark_b[i] = HammingLayout::WholeMark(b) & its_fields;
  }
}

void Prepare(const HammingBallTable& ball, const HammingGeometry& geometry, HammingFields fields,
             HammingProbe* const* probes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) PrepareOne(ball, geometry, fields, *probes[i]);
}

std::uint32_t Within(const HammingLine& line, std::uint32_t other, unsigned limit) {
  std::uint32_t slots = 0;
  for (unsigned slot = 0; slot < HammingLine::kSlotsMax; ++slot) {
    auto differing = static_cast<std::uint32_t>(line.Word(slot / 2) >> (slot % 2 * 32)) ^ other;
    bool near = static_cast<unsigned>(std::popcount(differing)) <= limit;
    slots |= static_cast<std::uint32_t>(near) << slot;
  }
  return slots;
}

// Bit s: slot s has this tag.
std::uint32_t HaveTag(const HammingLine& line, std::uint32_t tag) {
  std::uint32_t slots = 0;
  for (unsigned slot = 0; slot < HammingLine::kSlotsMax; ++slot) {
    bool equal = (line.Word(6 + slot / 8) >> (slot % 8 * 8) & 0xff) == tag;
    slots |= static_cast<std::uint32_t>(equal) << slot;
  }
  return slots;
}

std::uint32_t Scan(const HammingLine* lines, const HammingProbe& probe, unsigned limit,
                   const HammingLine* next_lines, const HammingProbe* next,
                   HammingPending& pending) {
  if (next != nullptr) {
    for (std::uint32_t i = 1; i < next->count; ++i) {
      __builtin_prefetch(&next_lines[next->line[i]], 0, 2);
    }
  }
  std::uint32_t near = 0;
  pending.lines = pending.count = 0;
  for (std::uint32_t i = 0; i < probe.count; ++i) {
    const HammingLine& line = lines[probe.line[i]];
    std::uint64_t last = line.Word(7);
    auto meta = static_cast<std::uint32_t>(last >> 32);
    std::uint32_t filter = HammingLine::FilterOf(last, line.Word(5));
    bool marked = (filter & probe.mark_a[i]) == probe.mark_a[i] ||
                  (filter & probe.mark_b[i]) == probe.mark_b[i];
    if (marked && meta >> 16 != 0) {
      pending.lines |= 1U << i;
      pending.home[pending.count] = probe.line[i];
      pending.meta[pending.count++] = meta;
    }
    if (i == 0) continue;
    std::uint32_t a = probe.tags[i] & 0xff;
    std::uint32_t b = probe.tags[i] >> 8;
    std::uint64_t tags = line.Word(6);
    // Of the last word the low half is tags.
    std::uint64_t not_tag = ~std::uint64_t{0xffffffff};
    bool hit = HasZeroByte(tags ^ kEach * a) || HasZeroByte(tags ^ kEach * b) ||
               HasZeroByte((last ^ kEach * a) | not_tag) ||
               HasZeroByte((last ^ kEach * b) | not_tag);
    if (!hit) continue;
    std::uint32_t slots = (HaveTag(line, a) | HaveTag(line, b)) & Within(line, probe.other, limit);
    near |= static_cast<std::uint32_t>(slots != 0) << i;
  }
  return near;
}

bool Near(const HammingLine* const* overflow, unsigned count, std::uint64_t query, unsigned k) {
  bool near = false;
  for (unsigned n = 0; n < count; ++n) {
    for (unsigned i = 0; i < 8; ++i) {
      near |= static_cast<unsigned>(std::popcount(overflow[n]->Word(i) ^ query)) <= k;
    }
  }
  return near;
}

std::uint64_t ScanWords(const std::uint64_t* words, std::uint64_t count, std::uint64_t query,
                        unsigned k) {
  for (std::uint64_t i = 0; i < count; ++i) {
    if (static_cast<unsigned>(std::popcount(words[i] ^ query)) <= k) return i;
  }
  return count;
}

bool NearInLine(const HammingJoinLine& line, std::uint16_t next, std::uint16_t after, unsigned k) {
  bool near = false;
  for (unsigned i = 0; i < HammingJoinLine::kSlots; ++i) {
    std::uint32_t differing = std::uint32_t{static_cast<std::uint16_t>(line.next[i] ^ next)}
                                  << 16 |
                              static_cast<std::uint16_t>(line.after[i] ^ after);
    near |= static_cast<unsigned>(std::popcount(differing)) <= k;
  }
  return near;
}

std::size_t NearBlocks(const HammingJoinLine* lines, const std::uint64_t* x, std::size_t count,
                       unsigned block, unsigned k, std::uint32_t* near) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t turned = std::rotr(x[i], static_cast<int>(16 * block));
    const HammingJoinLine& line = lines[turned & 0xffff];
    bool is_near = NearInLine(line, static_cast<std::uint16_t>(turned >> 16),
                              static_cast<std::uint16_t>(turned >> 32), k);
    near[found] = static_cast<std::uint32_t>(i);
    found += is_near || line.full != 0 ? 1 : 0;
  }
  return found;
}

}  // namespace

const HammingKernels kHammingScalarKernels = {"scalar", Prepare,   Within,    Scan,
                                              Near,     ScanWords, NearBlocks};

const HammingKernels& ChooseHammingKernels(HammingKernel kernel) {
#if defined(CONTENTSEEN_HAMMING_X86)
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") != 0;
  bool avx512 =
      avx2 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512vpopcntdq") != 0;
  if (avx512 && (kernel == HammingKernel::kBest || kernel == HammingKernel::kAvx512)) {
    return __builtin_cpu_supports("avx512bitalg") != 0 ? kHammingAvx512BitalgKernels
                                                       : kHammingAvx512Kernels;
  }
  if (avx2 && kernel != HammingKernel::kScalar) return kHammingAvx2Kernels;
#else
  (void)kernel;
#endif
  return kHammingScalarKernels;
}

}  // namespace contentseen
