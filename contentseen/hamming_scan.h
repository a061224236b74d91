#pragma once

#include <cstdint>

#include "contentseen/hamming_geometry.h"
#include "contentseen/hamming_line.h"

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
  /// Lines to look through; 0 is the home.
  std::uint32_t count = 0;
  HammingGeometry geometry;
  std::uint64_t state = 0;
  std::uint64_t rewrites = 0;
  /// Of the 16 codewords: line; the two tags (b << 16 | a); filter bits, in place for meta.
  alignas(64) std::uint32_t line[16];
  std::uint32_t tags[16];
  std::uint32_t filter[16];
};

/// Bit i: line i of a probe ...
struct HammingScanResult {
  /// ... has a tag that is looked for,
  std::uint32_t tags = 0;
  /// ... may have one in its overflow or in a heavy cell.
  std::uint32_t elsewhere = 0;
};

/// What of a probe is still to be looked at: for bit i of `lines` the overflow line, or the heavy
/// cells, that the meta of line i pointed to.
struct HammingPending {
  std::uint32_t lines = 0;
  std::uint32_t meta[16];
};

/// The inner loops, for one instruction set. All sets give the same results.
struct HammingKernels {
  const char* name;

  /// Fills line, tags and filter from codeword, syndrome and geometry.
  void (*prepare)(const HammingBallTable& ball, HammingProbe& probe);

  /// Looks through lines 1..count-1 of `probe`. Meanwhile prefetches lines 1.. of `next`, if any,
  /// from `next_lines`.
  HammingScanResult (*scan)(const HammingLine* lines, const HammingProbe& probe,
                            const HammingLine* next_lines, const HammingProbe* next);

  /// Whether one of the eight words of an overflow line is within `k` of `query` (an empty word,
  /// zero, counts as one).
  bool (*near)(const HammingLine& overflow, std::uint64_t query, unsigned k);

  /// Bit s: slot s of `line` has a tag that equals `tag` in the bits of `mask`.
  std::uint32_t (*match)(const HammingLine& line, std::uint32_t tag, std::uint32_t mask);

  /// Index of the first of `count` words within distance `k` of `query`; `count` if none.
  std::uint64_t (*scan_words)(const std::uint64_t* words, std::uint64_t count, std::uint64_t query,
                              unsigned k);

  /// Sets near[b], b in 0..3, bit i: word i of the 32 at lines[b] (aligned to 64 bytes) is within
  /// `k` of the 16-bit block b + 1 (after 3 comes 0) of `x`; false if no bit is set.
  bool (*near_blocks)(const std::uint16_t* const* lines, std::uint64_t x, unsigned k,
                      std::uint32_t* near);
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
#endif

/// What `kernel` names, or the best that this processor runs if it does not run that.
const HammingKernels& ChooseHammingKernels(HammingKernel kernel);

}  // namespace contentseen
