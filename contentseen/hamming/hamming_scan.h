#pragma once

#include <cstddef>
#include <cstdint>

#include "contentseen/hamming/hamming_geometry.h"
#include "contentseen/hamming/hamming_line.h"

namespace contentseen {

enum class HammingKernel : int;

/// A ball of radius at most one, by the syndrome of its centre, as the kernels want it: 16
/// codewords (where there are fewer, the home again), of each the two cells in the ball.
struct alignas(64) HammingBallTable {
  std::uint32_t codeword_flips[32][16];
  std::uint32_t syndrome_a[32][16];
  std::uint32_t syndrome_b[32][16];
  std::uint32_t count[32];
};

/// One half of a query, on its way through one table.
struct HammingProbe {
  std::uint32_t half = 0;
  std::uint32_t other = 0;
  /// Cell of `half`: codeword with bit 31 as bit 26.
  std::uint32_t codeword = 0;
  std::uint32_t syndrome = 0;
  /// Lines to look through, 1 or 16; 0 is the home.
  std::uint32_t count = 0;
  /// In the largest tables, where the home's cell with bit 31 flipped is if elsewhere; else kNone.
  std::uint32_t flipped = kNone;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// The table's, a HammingGeometry, when the probe was prepared.
  std::uint64_t state = 0;
  std::uint64_t rewrites = 0;
  /// Of the 16 codewords: line; the two tags (b << 8 | a); the Marks of both, where no bit is
  /// looked for that the line has no field for.
  alignas(64) std::uint32_t line[16];
  std::uint32_t tags[16];
  std::uint32_t mark_a[16];
  std::uint32_t mark_b[16];

  HammingGeometry geometry() const { return HammingGeometry::Unpack(state); }
};

/// What of a probe is still to be looked at after its lines: those whose overflow, or heavy cells,
/// may have more.
struct HammingPending {
  static constexpr unsigned kEntries = 32;
  static constexpr unsigned kOverflowLines = 40;

  /// Bit i: line i of the probe is one of them, 16 being its flipped line.
  std::uint32_t lines = 0;
  std::uint32_t count = 0;
  /// Whether one of them has heavy cells.
  bool heavy = false;
  /// Overflow lines to compare, being fetched.
  std::uint32_t overflow_count = 0;
  alignas(64) std::uint32_t home[kEntries];
  std::uint32_t meta[kEntries];
  const HammingLine* overflow[kOverflowLines];
};

/// Of the queries of a batch join with one value of one 16-bit block, the two blocks that follow.
struct alignas(128) HammingJoinLine {
  static constexpr unsigned kSlots = 31;
  std::uint16_t next[kSlots];
  /// 1: there are more queries than slots.
  std::uint16_t full;
  std::uint16_t after[kSlots];
  std::uint16_t unused;
};

/// The filter's fields in the lines of groups from `split` on, and of those below it.
struct HammingFields {
  std::uint32_t before;
  std::uint32_t grown;
};

/// The inner loops, for one instruction set. All sets give the same results.
struct HammingKernels {
  const char* name;

  /// Fills line, tags and marks of each from its codeword and syndrome.
  void (*prepare)(const HammingBallTable& ball, const HammingGeometry& geometry,
                  HammingFields fields, HammingProbe* const* probes, std::size_t count);

  /// Bit s: slot s of `line` has another half within `limit` of `other`. Of layouts with fewer
  /// than twelve slots, and of empty slots, the bits mean nothing.
  std::uint32_t (*within)(const HammingLine& line, std::uint32_t other, unsigned limit);

  /// Looks through lines 1..15 of `probe` if it has sixteen; bit i of the result: line i has a
  /// slot with a tag that is looked for and another half within `limit`, or perhaps none (see
  /// `within`; or one that is being written at the moment). Fills `pending` (lines, count, home,
  /// meta), of lines 0..15, with those whose filter is not empty and has one of the two marks.
  /// Meanwhile prefetches lines 1..15 of `next`, if any, from `next_lines`.
  std::uint32_t (*scan)(const HammingLine* lines, const HammingProbe& probe, unsigned limit,
                        const HammingLine* next_lines, const HammingProbe* next,
                        HammingPending& pending);

  /// Whether one of the words of `count` overflow lines is within `k` of `query` (an empty word,
  /// zero, counts as one).
  bool (*near)(const HammingLine* const* overflow, unsigned count, std::uint64_t query,
               unsigned k);

  /// Index of the first of `count` words within distance `k` of `query`; `count` if none.
  std::uint64_t (*scan_words)(const std::uint64_t* words, std::uint64_t count, std::uint64_t query,
                              unsigned k);

  /// Writes to `near` the numbers i, ascending, of all x[i] for which the line of the value of
  /// block `block` is full or has a slot that in the two following blocks (after 3 comes 0) is
  /// within `k` of it, and perhaps of some others. Returns how many.
  std::size_t (*near_blocks)(const HammingJoinLine* lines, const std::uint64_t* x,
                             std::size_t count, unsigned block, unsigned k, std::uint32_t* near);
};

extern const HammingKernels kHammingScalarKernels;
// Vector loads of lines that others write are sound on these processors (each aligned word is read
// whole) but ThreadSanitizer cannot know it: there the portable loops, whose reads are atomic,
// run.
#if defined(__SANITIZE_THREAD__)
#define CONTENTSEEN_HAMMING_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CONTENTSEEN_HAMMING_TSAN 1
#endif
#endif
#if defined(__x86_64__) && !defined(CONTENTSEEN_HAMMING_TSAN)
#define CONTENTSEEN_HAMMING_X86 1
extern const HammingKernels kHammingAvx2Kernels;
extern const HammingKernels kHammingAvx512Kernels;
extern const HammingKernels kHammingAvx512BitalgKernels;
#endif

/// What `kernel` names, or the best that this processor runs if it does not run that.
const HammingKernels& ChooseHammingKernels(HammingKernel kernel);

}  // namespace contentseen
