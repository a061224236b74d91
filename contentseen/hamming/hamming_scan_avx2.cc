// Compiled with -mavx2. Nothing here but this file's own functions: an inline function of another
// header instantiated here might be the copy that the linker keeps for all processors.
#include "contentseen/hamming/hamming_scan.h"

#if defined(CONTENTSEEN_HAMMING_X86)

#include <immintrin.h>

namespace contentseen {
namespace {

// Lines, tags and marks of eight of the sixteen codewords of a probe; see HammingGeometry.
// (Inlined always, so that what depends on the table alone is computed once for all probes.)
template <bool kLast>
inline __attribute__((always_inline)) void PrepareEight(const HammingBallTable& ball,
                                                        const HammingGeometry geometry,
                                                        const HammingFields fields,
                                                        HammingProbe& probe, unsigned at) {
  const int bits = static_cast<int>(geometry.bits);
  const int rest_bits = kLast ? 1 : static_cast<int>(HammingGeometry::kBitsMax) - bits;
  auto set = [](std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); };
  auto load = [&](const std::uint32_t(*table)[16]) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(&table[probe.syndrome][at]));
  };
  auto store = [&](std::uint32_t* to, __m256i value) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to + at), value);
  };
  const __m256i codeword = set(probe.codeword & HammingGeometry::kInformation);
  const __m256i bit31 = set(probe.codeword >> 26);

  __m256i word = _mm256_xor_si256(codeword, load(ball.codeword_flips));
  word = _mm256_and_si256(_mm256_mullo_epi32(word, set(HammingGeometry::kMix)),
                          set(HammingGeometry::kInformation));
  word = _mm256_xor_si256(word, _mm256_srli_epi32(word, 13));

  const __m256i group = _mm256_and_si256(word, set((1U << bits) - 1));
  const __m256i low = _mm256_and_si256(word, set((1U << HammingGeometry::kTopFirst) - 1));
  const __m256i rest = kLast ? bit31 : _mm256_srli_epi32(low, bits);
  const __m256i top = _mm256_srli_epi32(word, HammingGeometry::kTopFirst);
  const __m256i rotated =
      _mm256_or_si256(_mm256_slli_epi32(_mm256_and_si256(rest, set(1)), rest_bits - 1),
                      _mm256_srli_epi32(rest, 1));
  const __m256i fraction = _mm256_or_si256(rotated, _mm256_slli_epi32(top, rest_bits));
  const __m256i grown = _mm256_cmpgt_epi32(set(geometry.split), group);
  const __m256i share = _mm256_sub_epi32(set(geometry.share), grown);
  const __m256i line = _mm256_srli_epi32(_mm256_mullo_epi32(fraction, share),
                                         rest_bits + static_cast<int>(HammingGeometry::kTopBits));
  store(probe.line, _mm256_or_si256(_mm256_slli_epi32(line, bits), group));

  const __m256i high =
      _mm256_and_si256(_mm256_srli_epi32(word, HammingGeometry::kTagFirst), set(3));
  const __m256i tag = _mm256_or_si256(_mm256_slli_epi32(high, 5), _mm256_slli_epi32(bit31, 7));
  const __m256i a = load(ball.syndrome_a);
  const __m256i b = load(ball.syndrome_b);
  store(probe.tags,
        _mm256_or_si256(_mm256_or_si256(tag, a), _mm256_slli_epi32(_mm256_or_si256(tag, b), 8)));
  const __m256i its_fields = _mm256_blendv_epi8(set(fields.before), set(fields.grown), grown);
  // HammingLayout::WholeMark.
  auto mark = [&](__m256i syndrome) {
    const __m256i t = _mm256_or_si256(tag, syndrome);
    auto field = [&](std::uint32_t first, __m256i bit, std::uint32_t mask) {
      return _mm256_sllv_epi32(set(first), _mm256_and_si256(bit, set(mask)));
    };
    const __m256i marks = _mm256_or_si256(
        field(1, _mm256_xor_si256(t, high), 15),
        _mm256_or_si256(
            field(1U << 16, _mm256_srli_epi32(t, 4), 7),
            field(1U << 24, _mm256_xor_si256(_mm256_srli_epi32(t, 5), _mm256_srli_epi32(t, 2)),
                  7)));
    return _mm256_and_si256(marks, its_fields);
  };
  store(probe.mark_a, mark(a));
  store(probe.mark_b, mark(b));
}

template <bool kLast>
void PrepareAll(const HammingBallTable& ball, const HammingGeometry geometry,
                const HammingFields fields, HammingProbe* const* probes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    PrepareEight<kLast>(ball, geometry, fields, *probes[i], 0);
    PrepareEight<kLast>(ball, geometry, fields, *probes[i], 8);
  }
}

void Prepare(const HammingBallTable& ball, const HammingGeometry& geometry, HammingFields fields,
             HammingProbe* const* probes, std::size_t count) {
  if (geometry.bits == HammingGeometry::kBitsMax) {
    PrepareAll<true>(ball, geometry, fields, probes, count);
  } else {
    PrepareAll<false>(ball, geometry, fields, probes, count);
  }
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

// (Inlined always: the compiler may otherwise take it for a function that does nothing.)
inline __attribute__((always_inline)) void Fetch(const HammingLine* lines,
                                                 const HammingProbe& probe, unsigned i) {
  _mm_prefetch(reinterpret_cast<const char*>(&lines[probe.line[i]]), _MM_HINT_T1);
}

// A bit for each of eight 32-bit words that is not zero.
std::uint32_t NotZero(__m256i x) {
  __m256i zero = _mm256_cmpeq_epi32(x, _mm256_setzero_si256());
  return 0xffU & ~static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(zero)));
}

// Shuffles byte n of each half into all sixteen bytes of it. A table, for the compiler would make
// each anew in three instructions.
struct alignas(32) Spread {
  unsigned char byte[16][32];
};
constexpr Spread kSpread = [] {
  Spread spread{};
  for (unsigned n = 0; n < 16; ++n) {
    for (unsigned i = 0; i < 32; ++i) spread.byte[n][i] = static_cast<unsigned char>(n);
  }
  return spread;
}();

/// Of eight lines a bit each.
struct Eight {
  // Those with one of their two tags.
  std::uint32_t tagged;
  // Those whose filter has one of their marks.
  std::uint32_t elsewhere;
};

// Looks at the last sixteen bytes, tags and meta, of the probe's lines from `at` on. Straight on,
// without a branch: what is found is known only when the lines have come, and a branch guessed
// wrong would keep the processor from going on with what follows until then. Line n lies in the
// low, line 4 + n in the high lane of register n; turned about, word n of each is the same word
// of all eight.
template <bool kFetch, unsigned kAt>
inline __attribute__((always_inline)) Eight LookAtEight(const HammingLine* lines,
                                                        const HammingProbe& probe,
                                                        const HammingLine* next_lines,
                                                        const HammingProbe* next,
                                                        std::uint32_t* meta) {
  const __m256i tags = _mm256_load_si256(reinterpret_cast<const __m256i*>(probe.tags + kAt));
  const Spread* spread = &kSpread;
  __asm__("" : "+r"(spread));
  __m256i held[4];
  __m256i equal[4];
  alignas(32) std::uint32_t at44[8];
#pragma GCC unroll 4
  for (unsigned n = 0; n < 4; ++n) {
    if constexpr (kFetch) {
      Fetch(next_lines, *next, kAt + n);
      Fetch(next_lines, *next, kAt + 4 + n);
    }
    auto tail = [&](unsigned i) {
      const HammingLine& line = lines[probe.line[kAt + i]];
      at44[i] = static_cast<std::uint32_t>(line.words[5] >> 32);
      return _mm_load_si128(reinterpret_cast<const __m128i*>(&line.words[6]));
    };
    held[n] = _mm256_inserti128_si256(_mm256_castsi128_si256(tail(n)), tail(4 + n), 1);
    auto is = [&](unsigned byte) {
      __m256i tag = _mm256_shuffle_epi8(
          tags, _mm256_load_si256(reinterpret_cast<const __m256i*>(spread->byte[4 * n + byte])));
      return _mm256_cmpeq_epi8(held[n], tag);
    };
    equal[n] = _mm256_or_si256(is(0), is(1));
  }
  auto low = [](__m256i a, __m256i b) { return _mm256_unpacklo_epi32(a, b); };
  auto high = [](__m256i a, __m256i b) { return _mm256_unpackhi_epi32(a, b); };
  __m256i high01 = high(held[0], held[1]);
  __m256i high23 = high(held[2], held[3]);
  __m256i at56 = _mm256_unpacklo_epi64(high01, high23);
  __m256i metas = _mm256_unpackhi_epi64(high01, high23);
  __m256i low01 = low(equal[0], equal[1]);
  __m256i low23 = low(equal[2], equal[3]);
  // Of the fourth words, the metas, it means nothing that they equal a tag.
  __m256i tagged = _mm256_or_si256(
      _mm256_or_si256(_mm256_unpacklo_epi64(low01, low23), _mm256_unpackhi_epi64(low01, low23)),
      _mm256_unpacklo_epi64(high(equal[0], equal[1]), high(equal[2], equal[3])));
  _mm256_store_si256(reinterpret_cast<__m256i*>(meta + kAt), metas);
  auto load = [](const std::uint32_t* from) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
  };
  // HammingLine::FilterOf.
  __m256i first = _mm256_srli_epi32(metas, 16);
  __m256i second = _mm256_slli_epi32(_mm256_srli_epi32(at56, 24), 16);
  __m256i third = _mm256_and_si256(
      load(at44), _mm256_set1_epi32(static_cast<int>(HammingLayout::kThirdField)));
  __m256i filters = _mm256_or_si256(_mm256_or_si256(first, second), third);
  auto marked = [&](const std::uint32_t* marks) {
    __m256i mark = load(marks + kAt);
    return _mm256_cmpeq_epi32(_mm256_and_si256(filters, mark), mark);
  };
  __m256i elsewhere = _mm256_or_si256(marked(probe.mark_a), marked(probe.mark_b));
  return {NotZero(tagged), NotZero(_mm256_and_si256(first, elsewhere))};
}

template <bool kFetch>
void LookAtAll(const HammingLine* lines, const HammingProbe& probe, const HammingLine* next_lines,
               const HammingProbe* next, std::uint32_t* meta, std::uint32_t* tagged,
               std::uint32_t* elsewhere) {
  Eight first = LookAtEight<kFetch, 0>(lines, probe, next_lines, next, meta);
  Eight second = LookAtEight<kFetch, 8>(lines, probe, next_lines, next, meta);
  *tagged = first.tagged | second.tagged << 8;
  *elsewhere = first.elsewhere | second.elsewhere << 8;
}

std::uint32_t Scan(const HammingLine* lines, const HammingProbe& probe, unsigned limit,
                   const HammingLine* next_lines, const HammingProbe* next,
                   HammingPending& pending) {
  // Reads of lines stay between the reads of the state before and after.
  __asm__ volatile("" ::: "memory");
  alignas(32) std::uint32_t meta[16];
  std::uint32_t tagged;
  std::uint32_t elsewhere;
  if (next == nullptr) {
    LookAtAll<false>(lines, probe, next_lines, next, meta, &tagged, &elsewhere);
  } else {
    LookAtAll<true>(lines, probe, next_lines, next, meta, &tagged, &elsewhere);
  }
  // Line 0 is the home; where that is all, the others are the home again.
  const bool around = probe.count > 1;
  tagged &= around ? 0xfffe : 0;
  elsewhere &= around ? 0xffff : 1;

  const __m256i other = _mm256_set1_epi32(static_cast<int>(probe.other));
  const __m256i most = _mm256_set1_epi32(static_cast<int>(limit));
  std::uint32_t near = 0;
  for (; tagged != 0; tagged &= tagged - 1) {
    auto i = static_cast<unsigned>(__builtin_ctz(tagged));
    const HammingLine& line = lines[probe.line[i]];
    bool hit = (SlotsOfOthers(line, other, most) & SlotsOfTags(line, probe, i)) != 0;
    near |= static_cast<std::uint32_t>(hit) << i;
  }
  pending.lines = elsewhere;
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
