// Compiled with -mavx2. Nothing here but this file's own functions: an inline function of another
// header instantiated here might be the copy that the linker keeps for all processors.
#include "contentseen/hamming_scan.h"

#if defined(CONTENTSEEN_HAMMING_X86)

#include <immintrin.h>

namespace contentseen {
namespace {

// Lines, tags and filter of eight of the sixteen codewords; see HammingGeometry.
void PrepareEight(const HammingBallTable& ball, HammingProbe& probe, unsigned at) {
  const HammingGeometry& geometry = probe.geometry;
  const int bits = static_cast<int>(geometry.bits);
  const bool last = geometry.bits == HammingGeometry::kBitsMax;
  const int rest_bits = last ? 1 : static_cast<int>(HammingGeometry::kBitsMax) - bits;
  const int bit31 = static_cast<int>(probe.codeword >> 26);
  auto set = [](std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); };
  auto load = [&](const std::uint32_t(*table)[16]) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(&table[probe.syndrome][at]));
  };

  __m256i word = _mm256_xor_si256(set(probe.codeword & HammingGeometry::kInformation),
                                  load(ball.codeword_flips));
  word = _mm256_and_si256(_mm256_mullo_epi32(word, set(HammingGeometry::kMix)),
                          set(HammingGeometry::kInformation));
  word = _mm256_xor_si256(word, _mm256_srli_epi32(word, 13));

  __m256i group = _mm256_and_si256(word, set((1U << geometry.bits) - 1));
  __m256i rest =
      last ? _mm256_set1_epi32(bit31)
           : _mm256_srli_epi32(_mm256_and_si256(word, set((1U << HammingGeometry::kTopFirst) - 1)),
                               bits);
  __m256i fraction =
      _mm256_or_si256(_mm256_slli_epi32(_mm256_and_si256(rest, set(1)), rest_bits - 1),
                      _mm256_srli_epi32(rest, 1));
  fraction = _mm256_or_si256(
      fraction, _mm256_slli_epi32(_mm256_srli_epi32(word, HammingGeometry::kTopFirst), rest_bits));
  __m256i share =
      _mm256_sub_epi32(set(geometry.share), _mm256_cmpgt_epi32(set(geometry.split), group));
  __m256i line = _mm256_srli_epi32(_mm256_mullo_epi32(fraction, share),
                                   rest_bits + static_cast<int>(HammingGeometry::kTopBits));
  line = _mm256_or_si256(_mm256_slli_epi32(line, bits), group);

  __m256i tag = _mm256_slli_epi32(
      _mm256_and_si256(_mm256_srli_epi32(word, HammingGeometry::kTagFirst), set(3)), 5);
  tag = _mm256_or_si256(tag, _mm256_set1_epi32(bit31 << 7));
  __m256i a = _mm256_or_si256(tag, load(ball.syndrome_a));
  __m256i b = _mm256_or_si256(tag, load(ball.syndrome_b));
  auto filter_bit = [&](__m256i t) {
    __m256i high = _mm256_and_si256(_mm256_srli_epi32(t, 5), set(3));
    __m256i bit = _mm256_and_si256(_mm256_xor_si256(t, high), set(15));
    return _mm256_sllv_epi32(set(1U << 16), bit);
  };
  __m256i filter = _mm256_or_si256(filter_bit(a), filter_bit(b));
  auto store = [&](std::uint32_t* to, __m256i value) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to + at), value);
  };
  store(probe.line, line);
  store(probe.tags, _mm256_or_si256(a, _mm256_slli_epi32(b, 8)));
  store(probe.filter, filter);
}

void Prepare(const HammingBallTable& ball, HammingProbe& probe) {
  PrepareEight(ball, probe, 0);
  PrepareEight(ball, probe, 8);
}

constexpr std::uint32_t kAllSlots = (1U << HammingLine::kSlotsMax) - 1;

// Bits in each of eight 32-bit words.
__m256i Ones(__m256i x) {
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                          2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  __m256i ones = _mm256_add_epi8(
      _mm256_shuffle_epi8(counts, _mm256_and_si256(x, nibble)),
      _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble)));
  return _mm256_madd_epi16(_mm256_maddubs_epi16(ones, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
}

// Slots whose other half is within `limit`; of the last four words the tags are no others.
std::uint32_t SlotsOfOthers(const HammingLine& line, __m256i other, __m256i limit) {
  auto within = [&](const std::uint64_t* words) {
    __m256i x = _mm256_load_si256(reinterpret_cast<const __m256i*>(words));
    __m256i far = _mm256_cmpgt_epi32(Ones(_mm256_xor_si256(x, other)), limit);
    return 0xffU & ~static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(far)));
  };
  return (within(line.words) | within(line.words + 4) << 8) & kAllSlots;
}

std::uint32_t Within(const HammingLine& line, std::uint32_t other, unsigned limit) {
  __asm__ volatile("" ::: "memory");
  return SlotsOfOthers(line, _mm256_set1_epi32(static_cast<int>(other)),
                       _mm256_set1_epi32(static_cast<int>(limit)));
}

// Slots with one of the probe's two tags for its line i.
std::uint32_t SlotsOfTags(const HammingLine& line, const HammingProbe& probe, unsigned i) {
  // In memory first a, then b.
  const auto* tags = reinterpret_cast<const char*>(&probe.tags[i]);
  __m128i held = _mm_load_si128(reinterpret_cast<const __m128i*>(&line.words[6]));
  __m128i equal = _mm_or_si128(_mm_cmpeq_epi8(held, _mm_set1_epi8(tags[0])),
                               _mm_cmpeq_epi8(held, _mm_set1_epi8(tags[1])));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(equal)) & kAllSlots;
}

void Fetch(const HammingLine* lines, const HammingProbe& probe, unsigned i) {
  _mm_prefetch(reinterpret_cast<const char*>(&lines[probe.line[i]]), _MM_HINT_T1);
}

// Straight on, without a branch: what is found is known only when the lines have come, and a
// branch guessed wrong would keep the processor from going on with what follows until then. The
// lines of the next are asked for in one go: a prefetch waits until its address is translated, and
// what follows it with it, but for other prefetches (one for each line compared, 100 M
// fingerprints took half as long again).
// Sets slots[i] to those with one of the tags that are looked for, and the metas.
template <bool kFetch>
void ScanAll(const HammingLine* lines, const HammingProbe& probe, const HammingLine* next_lines,
             const HammingProbe* next, std::uint32_t* slots, std::uint32_t* meta) {
  if constexpr (kFetch) {
#pragma GCC unroll 15
    for (unsigned i = 1; i < 16; ++i) Fetch(next_lines, *next, i);
  }
#pragma GCC unroll 15
  for (unsigned i = 1; i < 16; ++i) {
    const HammingLine& line = lines[probe.line[i]];
    slots[i] = SlotsOfTags(line, probe, i);
    meta[i] = static_cast<std::uint32_t>(line.words[7] >> 32);
  }
}

// Bit i: words i of both sixteens have a bit in common.
std::uint32_t Common(const std::uint32_t* a, const std::uint32_t* b) {
  auto eight = [&](unsigned at) {
    __m256i both = _mm256_and_si256(_mm256_load_si256(reinterpret_cast<const __m256i*>(a + at)),
                                    _mm256_load_si256(reinterpret_cast<const __m256i*>(b + at)));
    __m256i none = _mm256_cmpeq_epi32(both, _mm256_setzero_si256());
    return 0xffU & ~static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(none)));
  };
  return eight(0) | eight(8) << 8;
}

std::uint32_t Scan(const HammingLine* lines, const HammingProbe& probe, unsigned limit,
                   const HammingLine* next_lines, const HammingProbe* next,
                   HammingPending& pending) {
  // Reads of lines stay between the reads of the state before and after.
  __asm__ volatile("" ::: "memory");
  alignas(32) std::uint32_t meta[16];
  alignas(32) std::uint32_t slots[16];
  std::uint32_t near = 0;
  std::uint32_t all = 0xffff;
  meta[0] = static_cast<std::uint32_t>(lines[probe.line[0]].words[7] >> 32);
  if (probe.count > 1) {
    slots[0] = 0;
    if (next == nullptr) {
      ScanAll<false>(lines, probe, next_lines, next, slots, meta);
    } else {
      ScanAll<true>(lines, probe, next_lines, next, slots, meta);
    }
    const __m256i other = _mm256_set1_epi32(static_cast<int>(probe.other));
    const __m256i most = _mm256_set1_epi32(static_cast<int>(limit));
    for (std::uint32_t left = Common(slots, slots); left != 0; left &= left - 1) {
      auto i = static_cast<unsigned>(__builtin_ctz(left));
      bool hit = (SlotsOfOthers(lines[probe.line[i]], other, most) & slots[i]) != 0;
      near |= static_cast<std::uint32_t>(hit) << i;
    }
  } else {
    all = 1;
    for (unsigned i = 1; i < 16; ++i) meta[i] = 0;
    for (unsigned i = 1; next != nullptr && i < 16; ++i) Fetch(next_lines, *next, i);
  }
  pending.lines = Common(meta, probe.filter) & all;
  pending.count = 0;
  for (std::uint32_t left = pending.lines; left != 0; left &= left - 1) {
    auto i = static_cast<unsigned>(__builtin_ctz(left));
    pending.home[pending.count] = probe.line[i];
    pending.meta[pending.count++] = meta[i];
  }
  __asm__ volatile("" ::: "memory");
  return near;
}

// Bit i: word i of the four at `words` is within k of the query.
unsigned NearOfFour(const std::uint64_t* words, __m256i query, __m256i k) {
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                          2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  __m256i x = _mm256_xor_si256(query, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)));
  __m256i ones = _mm256_add_epi8(
      _mm256_shuffle_epi8(counts, _mm256_and_si256(x, nibble)),
      _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble)));
  __m256i sum = _mm256_sad_epu8(ones, _mm256_setzero_si256());
  __m256i far = _mm256_cmpgt_epi64(sum, k);
  return 15U & ~static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(far)));
}

bool Near(const HammingLine* const* overflow, unsigned count, std::uint64_t query, unsigned k) {
  __asm__ volatile("" ::: "memory");
  const __m256i q = _mm256_set1_epi64x(static_cast<long long>(query));
  const __m256i limit = _mm256_set1_epi64x(static_cast<long long>(k));
  unsigned near = 0;
  for (unsigned n = 0; n < count; ++n) {
    near |=
        NearOfFour(overflow[n]->words, q, limit) | NearOfFour(overflow[n]->words + 4, q, limit);
  }
  return near != 0;
}

std::uint64_t ScanWords(const std::uint64_t* words, std::uint64_t count, std::uint64_t query,
                        unsigned k) {
  const __m256i q = _mm256_set1_epi64x(static_cast<long long>(query));
  const __m256i limit = _mm256_set1_epi64x(static_cast<long long>(k));
  std::uint64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    unsigned near = NearOfFour(words + i, q, limit);
    if (near != 0) return i + static_cast<unsigned>(__builtin_ctz(near));
  }
  for (; i < count; ++i) {
    if (static_cast<unsigned>(__builtin_popcountll(words[i] ^ query)) <= k) return i;
  }
  return count;
}

// Bits in each of sixteen 16-bit words that differ from those at `words`.
__m256i Differing(const std::uint16_t* words, __m256i word) {
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                          2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  __m256i x = _mm256_xor_si256(word, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)));
  __m256i ones = _mm256_add_epi8(
      _mm256_shuffle_epi8(counts, _mm256_and_si256(x, nibble)),
      _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble)));
  return _mm256_maddubs_epi16(ones, _mm256_set1_epi8(1));
}

std::size_t NearBlocks(const HammingJoinLine* lines, const std::uint64_t* x, std::size_t count,
                       unsigned block, unsigned k, std::uint32_t* near) {
  const __m256i limit = _mm256_set1_epi16(static_cast<short>(k));
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t turned = x[i] >> (16 * block % 64) | x[i] << ((64 - 16 * block) % 64);
    const HammingJoinLine& line = lines[turned & 0xffff];
    __m256i next = _mm256_set1_epi16(static_cast<short>(turned >> 16));
    __m256i after = _mm256_set1_epi16(static_cast<short>(turned >> 32));
    __m256i low = _mm256_add_epi16(Differing(line.next, next), Differing(line.after, after));
    __m256i high =
        _mm256_add_epi16(Differing(line.next + 16, next), Differing(line.after + 16, after));
    __m256i far = _mm256_cmpgt_epi16(_mm256_min_epi16(low, high), limit);
    bool is_near = _mm256_movemask_epi8(far) != -1;
    near[found] = static_cast<std::uint32_t>(i);
    found += is_near || line.full != 0 ? 1 : 0;
  }
  return found;
}

}  // namespace

const HammingKernels kHammingAvx2Kernels = {"avx2", Prepare,   Within,    Scan,
                                            Near,   ScanWords, NearBlocks};

}  // namespace contentseen

#endif
