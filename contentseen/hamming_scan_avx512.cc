// Compiled with -mavx512f -mavx512bw -mavx512vl -mavx512vpopcntdq. Nothing here but this file's
// own functions; see hamming_scan_avx2.cc.
#include "contentseen/hamming_scan.h"

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
void Prepare(const HammingBallTable& ball, HammingProbe& probe) {
  const HammingGeometry& geometry = probe.geometry;
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
           : _mm512_srlv_epi32(_mm512_and_si512(word, set((1U << 22) - 1)), set(geometry.bits));
  __m512i fraction =
      _mm512_or_si512(_mm512_sllv_epi32(_mm512_and_si512(rest, set(1)), set(rest_bits - 1)),
                      _mm512_srli_epi32(rest, 1));
  fraction =
      _mm512_or_si512(fraction, _mm512_sllv_epi32(_mm512_srli_epi32(word, 22), set(rest_bits)));
  __mmask16 grown = _mm512_cmplt_epu32_mask(group, set(geometry.split));
  __m512i share = _mm512_mask_add_epi32(set(geometry.share), grown, set(geometry.share), set(1));
  __m512i line = _mm512_srlv_epi32(_mm512_mullo_epi32(fraction, share), set(rest_bits + 4));
  line = _mm512_or_si512(_mm512_sllv_epi32(line, set(geometry.bits)), group);

  __m512i tag = _mm512_slli_epi32(_mm512_and_si512(_mm512_srli_epi32(word, 12), set(1023)), 5);
  tag = _mm512_or_si512(tag, set(bit31 << 15));
  __m512i a = _mm512_or_si512(tag, load(ball.syndrome_a));
  __m512i b = _mm512_or_si512(tag, load(ball.syndrome_b));
  auto filter_bit = [&](__m512i t) {
    __m512i bit = _mm512_and_si512(_mm512_xor_si512(t, _mm512_srli_epi32(t, 5)), set(15));
    return _mm512_sllv_epi32(set(1U << 16), bit);
  };
  _mm512_store_si512(probe.line, line);
  _mm512_store_si512(probe.tags, _mm512_or_si512(a, _mm512_slli_epi32(b, 16)));
  _mm512_store_si512(probe.filter, _mm512_or_si512(filter_bit(a), filter_bit(b)));
}

// The second half of a line: two others, ten tags, meta.
__m256i Tags(const HammingLine& line) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(&line.words[4]));
}
constexpr std::uint32_t kTags = 0x3ff0;

HammingScanResult Scan(const HammingLine* lines, const HammingProbe& probe,
                       const HammingLine* next_lines, const HammingProbe* next) {
  // Reads of lines stay between the reads of the state before and after.
  __asm__ volatile("" ::: "memory");
  HammingScanResult found;
  std::uint32_t ahead = next == nullptr ? 0 : next->count;
  for (std::uint32_t i = 1; i < probe.count; ++i) {
    if (i < ahead) {
      _mm_prefetch(reinterpret_cast<const char*>(&next_lines[next->line[i]]), _MM_HINT_T0);
    }
    const HammingLine& line = lines[probe.line[i]];
    __m256i tags = Tags(line);
    std::uint32_t a =
        _mm256_cmpeq_epi16_mask(tags, _mm256_set1_epi16(static_cast<short>(probe.tags[i])));
    std::uint32_t b =
        _mm256_cmpeq_epi16_mask(tags, _mm256_set1_epi16(static_cast<short>(probe.tags[i] >> 16)));
    auto meta = static_cast<std::uint32_t>(line.words[7] >> 32);
    found.tags |= static_cast<std::uint32_t>(((a | b) & kTags) != 0) << i;
    found.elsewhere |= static_cast<std::uint32_t>((meta & probe.filter[i]) != 0) << i;
  }
  for (std::uint32_t i = probe.count; i < ahead; ++i) {
    _mm_prefetch(reinterpret_cast<const char*>(&next_lines[next->line[i]]), _MM_HINT_T0);
  }
  __asm__ volatile("" ::: "memory");
  return found;
}

std::uint32_t Match(const HammingLine& line, std::uint32_t tag, std::uint32_t mask) {
  __asm__ volatile("" ::: "memory");
  __m256i differing =
      _mm256_and_si256(_mm256_xor_si256(Tags(line), _mm256_set1_epi16(static_cast<short>(tag))),
                       _mm256_set1_epi16(static_cast<short>(mask)));
  return (static_cast<std::uint32_t>(_mm256_testn_epi16_mask(differing, differing)) & kTags) >> 4;
}

bool Near(const HammingLine& overflow, std::uint64_t query, unsigned k) {
  __asm__ volatile("" ::: "memory");
  __m512i ones = _mm512_popcnt_epi64(_mm512_xor_si512(
      _mm512_load_si512(overflow.words), _mm512_set1_epi64(static_cast<long long>(query))));
  return _mm512_cmple_epu64_mask(ones, _mm512_set1_epi64(static_cast<long long>(k))) != 0;
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

std::uint32_t Near16(const std::uint16_t* words, std::uint16_t word, unsigned k) {
  const __m512i nibble = _mm512_set1_epi8(15);
  const __m512i counts =
      _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  __m512i x =
      _mm512_xor_si512(_mm512_set1_epi16(static_cast<short>(word)), _mm512_load_si512(words));
  __m512i ones = _mm512_add_epi8(
      _mm512_shuffle_epi8(counts, _mm512_and_si512(x, nibble)),
      _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi16(x, 4), nibble)));
  __m512i sum = _mm512_maddubs_epi16(ones, _mm512_set1_epi8(1));
  return _mm512_cmple_epu16_mask(sum, _mm512_set1_epi16(static_cast<short>(k)));
}

bool NearBlocks(const std::uint16_t* const* lines, std::uint64_t x, unsigned k,
                std::uint32_t* near) {
  std::uint32_t any = 0;
  for (unsigned b = 0; b < 4; ++b) {
    near[b] = Near16(lines[b], static_cast<std::uint16_t>(x >> (16 * (b + 1) % 64)), k);
    any |= near[b];
  }
  return any != 0;
}

}  // namespace

const HammingKernels kHammingAvx512Kernels = {"avx512", Prepare,   Scan,      Near,
                                              Match,    ScanWords, NearBlocks};

}  // namespace contentseen

#endif
