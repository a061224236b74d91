// Compiled with -mavx512f -mavx512bw -mavx512vl -mavx512vpopcntdq. Nothing here but this file's
// own functions; see hamming_scan_avx2.cc.
#include "contentseen/hamming/hamming_scan.h"

#if defined(CONTENTSEEN_HAMMING_X86)

// GCC 12 warns of its own header's deliberately undefined registers (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

namespace contentseen {
namespace {

// All sixteen codewords at once; see HammingGeometry.
void PrepareOne(const HammingBallTable& ball, const HammingGeometry& geometry,
                const HammingFields fields, HammingProbe& probe) {
  const bool last = geometry.bits == HammingGeometry::kBitsMax;
  const std::uint32_t rest_bits = last ? 1 : HammingGeometry::kBitsMax - geometry.bits;
  const std::uint32_t bit31 = probe.codeword >> 26;
  auto set = [](std::uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); };
  auto load = [&](const std::uint32_t(*table)[16]) {
    return _mm512_load_si512(table[probe.syndrome]);
  };

  __m512i word = _mm512_xor_si512(set(probe.codeword & HammingGeometry::kInformation),
                                  load(ball.codeword_flips));
  word = _mm512_and_si512(_mm512_mullo_epi32(word, set(HammingGeometry::kMix)),
                          set(HammingGeometry::kInformation));
  word = _mm512_xor_si512(word, _mm512_srli_epi32(word, 13));

  __m512i group = _mm512_and_si512(word, set((1U << geometry.bits) - 1));
  __m512i rest =
      last ? set(bit31)
           : _mm512_srlv_epi32(_mm512_and_si512(word, set((1U << HammingGeometry::kTopFirst) - 1)),
                               set(geometry.bits));
  __m512i fraction =
      _mm512_or_si512(_mm512_sllv_epi32(_mm512_and_si512(rest, set(1)), set(rest_bits - 1)),
                      _mm512_srli_epi32(rest, 1));
  fraction = _mm512_or_si512(
      fraction,
      _mm512_sllv_epi32(_mm512_srli_epi32(word, HammingGeometry::kTopFirst), set(rest_bits)));
  __mmask16 grown = _mm512_cmplt_epu32_mask(group, set(geometry.split));
  __m512i share = _mm512_mask_add_epi32(set(geometry.share), grown, set(geometry.share), set(1));
  __m512i line = _mm512_srlv_epi32(_mm512_mullo_epi32(fraction, share),
                                   set(rest_bits + HammingGeometry::kTopBits));
  line = _mm512_or_si512(_mm512_sllv_epi32(line, set(geometry.bits)), group);

  __m512i tag = _mm512_slli_epi32(
      _mm512_and_si512(_mm512_srli_epi32(word, HammingGeometry::kTagFirst), set(3)), 5);
  tag = _mm512_or_si512(tag, set(bit31 << 7));
  __m512i a = _mm512_or_si512(tag, load(ball.syndrome_a));
  __m512i b = _mm512_or_si512(tag, load(ball.syndrome_b));
  const __m512i its_fields = _mm512_mask_blend_epi32(grown, set(fields.before), set(fields.grown));
  // HammingLayout::WholeMark.
  auto mark = [&](__m512i t) {
    __m512i high = _mm512_srli_epi32(t, 5);
    __m512i first = _mm512_and_si512(_mm512_xor_si512(t, _mm512_and_si512(high, set(3))), set(15));
    __m512i second = _mm512_and_si512(_mm512_srli_epi32(t, 4), set(7));
    __m512i third = _mm512_and_si512(_mm512_xor_si512(high, _mm512_srli_epi32(t, 2)), set(7));
    __m512i bits = _mm512_or_si512(_mm512_sllv_epi32(set(1), first),
                                   _mm512_sllv_epi32(set(1U << 16), second));
    bits = _mm512_or_si512(bits, _mm512_sllv_epi32(set(1U << 24), third));
    return _mm512_and_si512(bits, its_fields);
  };
  _mm512_store_si512(probe.line, line);
  _mm512_store_si512(probe.tags, _mm512_or_si512(a, _mm512_slli_epi32(b, 8)));
  _mm512_store_si512(probe.mark_a, mark(a));
  _mm512_store_si512(probe.mark_b, mark(b));
}

void Prepare(const HammingBallTable& ball, const HammingGeometry& geometry, HammingFields fields,
             HammingProbe* const* probes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) PrepareOne(ball, geometry, fields, *probes[i]);
}

// Of a whole line: 32-bit lanes 0..11 are the other halves, bytes 48..59 the tags, 32-bit lane 15
// the meta.
__m512i Load(const HammingLine& line) { return _mm512_load_si512(line.words); }
constexpr unsigned kFirstTag = 48;
constexpr __mmask16 kAllSlots = (1U << HammingLine::kSlotsMax) - 1;

// Slots whose other half is within `limit`.
__mmask16 SlotsOfOthers(__m512i line, __m512i other, __m512i limit) {
  return _mm512_mask_cmple_epu32_mask(kAllSlots,
                                      _mm512_popcnt_epi32(_mm512_xor_si512(line, other)), limit);
}

std::uint32_t Within(const HammingLine& line, std::uint32_t other, unsigned limit) {
  __asm__ volatile("" ::: "memory");
  return SlotsOfOthers(Load(line), _mm512_set1_epi32(static_cast<int>(other)),
                       _mm512_set1_epi32(static_cast<int>(limit)));
}

// Slots of the probe's line i that have one of its tags and another half near enough.
__mmask64 SlotsNear(__m512i line, const HammingProbe& probe, unsigned i, __m512i other,
                    __m512i limit) {
  // In memory first a, then b.
  const auto* tags = reinterpret_cast<const char*>(&probe.tags[i]);
  __mmask64 equal = _kor_mask64(_mm512_cmpeq_epi8_mask(line, _mm512_set1_epi8(tags[0])),
                                _mm512_cmpeq_epi8_mask(line, _mm512_set1_epi8(tags[1])));
  return _kand_mask64(_kshiftri_mask64(equal, kFirstTag), SlotsOfOthers(line, other, limit));
}

/// Of each of a probe's lines the last word and the four bytes from 44 on, which have filter and
/// meta.
struct Tails {
  alignas(64) std::uint64_t last[16];
  alignas(64) std::uint32_t at44[16];

  void Read(unsigned i, const HammingLine& line) {
    last[i] = line.words[7];
    at44[i] = static_cast<std::uint32_t>(line.words[5] >> 32);
  }
  // Half 0, the low one, or 1 of the last words.
  __m512i Halves(int half) const {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_epi32(_mm512_load_si512(last),
                                     _mm512_add_epi32(even, _mm512_set1_epi32(half)),
                                     _mm512_load_si512(last + 8));
  }
  __m512i Metas() const { return Halves(1); }
  // HammingLine::FilterOf.
  __m512i Filters() const {
    __m512i first = _mm512_srli_epi32(Metas(), 16);
    __m512i second = _mm512_slli_epi32(_mm512_srli_epi32(Halves(0), 24), 16);
    __m512i third = _mm512_and_si512(
        _mm512_load_si512(at44), _mm512_set1_epi32(static_cast<int>(HammingLayout::kThirdField)));
    return _mm512_or_si512(_mm512_or_si512(first, second), third);
  }
};

// Straight on, without a branch: what is found is known only when the lines have come, and a
// branch guessed wrong would keep the processor from going on with what follows until then.
// Returns whether any line has something near.
template <bool kFetch>
bool ScanAll(const HammingLine* lines, const HammingProbe& probe, unsigned limit,
             const HammingLine* next_lines, const HammingProbe* next, Tails& tails) {
  const __m512i other = _mm512_set1_epi32(static_cast<int>(probe.other));
  const __m512i most = _mm512_set1_epi32(static_cast<int>(limit));
  __mmask64 any = 0;
#pragma GCC unroll 15
  for (unsigned i = 1; i < 16; ++i) {
    if constexpr (kFetch) {
      _mm_prefetch(reinterpret_cast<const char*>(&next_lines[next->line[i]]), _MM_HINT_T1);
    }
    const HammingLine& at = lines[probe.line[i]];
    any = _kor_mask64(any, SlotsNear(Load(at), probe, i, other, most));
    tails.Read(i, at);
  }
  return any != 0;
}

std::uint32_t NearLines(const HammingLine* lines, const HammingProbe& probe, unsigned limit) {
  const __m512i other = _mm512_set1_epi32(static_cast<int>(probe.other));
  const __m512i most = _mm512_set1_epi32(static_cast<int>(limit));
  std::uint32_t near = 0;
  for (unsigned i = 1; i < 16; ++i) {
    __mmask64 slots = SlotsNear(Load(lines[probe.line[i]]), probe, i, other, most);
    near |= static_cast<std::uint32_t>(slots != 0) << i;
  }
  return near;
}

std::uint32_t Scan(const HammingLine* lines, const HammingProbe& probe, unsigned limit,
                   const HammingLine* next_lines, const HammingProbe* next,
                   HammingPending& pending) {
  // Reads of lines stay between the reads of the state before and after.
  __asm__ volatile("" ::: "memory");
  Tails tails;
  std::uint32_t near = 0;
  __mmask16 all = 0xffff;
  tails.Read(0, lines[probe.line[0]]);
  if (probe.count > 1) {
    bool any = next == nullptr ? ScanAll<false>(lines, probe, limit, next_lines, next, tails)
                               : ScanAll<true>(lines, probe, limit, next_lines, next, tails);
    if (any) near = NearLines(lines, probe, limit);
  } else {
    all = 1;
    for (unsigned i = 1; next != nullptr && i < 16; ++i) {
      _mm_prefetch(reinterpret_cast<const char*>(&next_lines[next->line[i]]), _MM_HINT_T1);
    }
  }
  __m512i metas = tails.Metas();
  __m512i filters = tails.Filters();
  auto marked = [&](const std::uint32_t* marks) {
    __m512i mark = _mm512_load_si512(marks);
    return _mm512_cmpeq_epi32_mask(_mm512_and_si512(filters, mark), mark);
  };
  __mmask16 any_there =
      _mm512_mask_test_epi32_mask(all, metas, _mm512_set1_epi32(static_cast<int>(0xffff0000)));
  __mmask16 elsewhere = any_there & (marked(probe.mark_a) | marked(probe.mark_b));
  pending.lines = elsewhere;
  pending.count = static_cast<std::uint32_t>(__builtin_popcount(elsewhere));
  _mm512_store_si512(pending.home,
                     _mm512_maskz_compress_epi32(elsewhere, _mm512_load_si512(probe.line)));
  _mm512_store_si512(pending.meta, _mm512_maskz_compress_epi32(elsewhere, metas));
  __asm__ volatile("" ::: "memory");
  return near;
}

bool Near(const HammingLine* const* overflow, unsigned count, std::uint64_t query, unsigned k) {
  __asm__ volatile("" ::: "memory");
  const __m512i q = _mm512_set1_epi64(static_cast<long long>(query));
  const __m512i limit = _mm512_set1_epi64(static_cast<long long>(k));
  unsigned near = 0;
  for (unsigned n = 0; n < count; ++n) {
    __m512i ones = _mm512_popcnt_epi64(_mm512_xor_si512(Load(*overflow[n]), q));
    near |= _mm512_cmple_epu64_mask(ones, limit);
  }
  return near != 0;
}

std::uint64_t ScanWords(const std::uint64_t* words, std::uint64_t count, std::uint64_t query,
                        unsigned k) {
  const __m512i q = _mm512_set1_epi64(static_cast<long long>(query));
  const __m512i limit = _mm512_set1_epi64(static_cast<long long>(k));
  for (std::uint64_t i = 0; i < count; i += 8) {
    std::uint64_t left = count - i;
    auto lanes = static_cast<__mmask8>(left >= 8 ? 255U : (1U << left) - 1);
    __m512i ones =
        _mm512_popcnt_epi64(_mm512_xor_si512(q, _mm512_maskz_loadu_epi64(lanes, words + i)));
    unsigned near = _mm512_mask_cmple_epu64_mask(lanes, ones, limit);
    if (near != 0) return i + static_cast<unsigned>(__builtin_ctz(near));
  }
  return count;
}

// With block `block` lowest.
std::uint64_t Turned(std::uint64_t x, unsigned block) {
  return x >> (16 * block % 64) | x << ((64 - 16 * block) % 64);
}

// Bits in each of 32 16-bit words that differ from those at `words`.
__m512i Differing(const std::uint16_t* words, __m512i word) {
  const __m512i nibble = _mm512_set1_epi8(15);
  const __m512i counts =
      _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  __m512i x = _mm512_xor_si512(word, _mm512_load_si512(words));
  return _mm512_add_epi8(
      _mm512_shuffle_epi8(counts, _mm512_and_si512(x, nibble)),
      _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi16(x, 4), nibble)));
}

std::size_t NearBlocks(const HammingJoinLine* lines, const std::uint64_t* x, std::size_t count,
                       unsigned block, unsigned k, std::uint32_t* near) {
  const __m512i limit = _mm512_set1_epi16(static_cast<short>(k));
  const __m512i each = _mm512_set1_epi8(1);
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t turned = Turned(x[i], block);
    const HammingJoinLine& line = lines[turned & 0xffff];
    __m512i next = Differing(line.next, _mm512_set1_epi16(static_cast<short>(turned >> 16)));
    __m512i after = Differing(line.after, _mm512_set1_epi16(static_cast<short>(turned >> 32)));
    __m512i ones = _mm512_maddubs_epi16(_mm512_add_epi8(next, after), each);
    near[found] = static_cast<std::uint32_t>(i);
    found += _mm512_cmple_epi16_mask(ones, limit) != 0 || line.full != 0 ? 1 : 0;
  }
  return found;
}

// The same with the instruction that counts bits of 16-bit words.
__attribute__((target("avx512bitalg"))) std::size_t NearBlocksBitalg(const HammingJoinLine* lines,
                                                                     const std::uint64_t* x,
                                                                     std::size_t count,
                                                                     unsigned block, unsigned k,
                                                                     std::uint32_t* near) {
  const __m512i limit = _mm512_set1_epi16(static_cast<short>(k));
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t turned = Turned(x[i], block);
    const HammingJoinLine& line = lines[turned & 0xffff];
    __m512i next = _mm512_set1_epi16(static_cast<short>(turned >> 16));
    __m512i after = _mm512_set1_epi16(static_cast<short>(turned >> 32));
    __m512i ones = _mm512_add_epi16(
        _mm512_popcnt_epi16(_mm512_xor_si512(next, _mm512_load_si512(line.next))),
        _mm512_popcnt_epi16(_mm512_xor_si512(after, _mm512_load_si512(line.after))));
    near[found] = static_cast<std::uint32_t>(i);
    found += _mm512_cmple_epi16_mask(ones, limit) != 0 || line.full != 0 ? 1 : 0;
  }
  return found;
}

}  // namespace

const HammingKernels kHammingAvx512BitalgKernels = {"avx512", Prepare,   Within,          Scan,
                                                    Near,     ScanWords, NearBlocksBitalg};
const HammingKernels kHammingAvx512Kernels = {"avx512", Prepare,   Within,    Scan,
                                              Near,     ScanWords, NearBlocks};

}  // namespace contentseen

#endif
