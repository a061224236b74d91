#include "contentseen/text/shingle_hash.h"

#include "contentseen/mix.h"
#include "contentseen/text/simd.h"

#if defined(CONTENTSEEN_X86)
#include <immintrin.h>
#endif

namespace contentseen {
namespace {

constexpr std::uint64_t kBase = 0x9E3779B97F4A7C15ULL;

#if defined(CONTENTSEEN_X86)

__attribute__((target("avx512f,avx512dq"))) void HashShinglesAvx512(
    std::span<const std::uint64_t> tokens, std::size_t length, std::uint64_t* out) {
  const std::size_t n = tokens.size() - length + 1;
  const __m512i base = _mm512_set1_epi64(static_cast<long long>(kBase));
  const __m512i mix1 = _mm512_set1_epi64(static_cast<long long>(0xff51afd7ed558ccdULL));
  const __m512i mix2 = _mm512_set1_epi64(static_cast<long long>(0xc4ceb9fe1a85ec53ULL));
  // A mask only because gcc 12 takes the plain shift's unused operand for uninitialised (PR
  // 105593).
  constexpr __mmask8 kAll = 0xFF;
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m512i x = _mm512_set1_epi64(static_cast<long long>(length));
    for (std::size_t j = 0; j < length; ++j) {
      x = _mm512_add_epi64(_mm512_mullo_epi64(x, base), _mm512_loadu_si512(tokens.data() + i + j));
    }
    x = _mm512_xor_si512(x, _mm512_maskz_srli_epi64(kAll, x, 33));
    x = _mm512_mullo_epi64(x, mix1);
    x = _mm512_xor_si512(x, _mm512_maskz_srli_epi64(kAll, x, 33));
    x = _mm512_mullo_epi64(x, mix2);
    x = _mm512_xor_si512(x, _mm512_maskz_srli_epi64(kAll, x, 33));
    _mm512_storeu_si512(out + i, x);
  }
  if (i < n) HashShinglesScalar(tokens.subspan(i), length, out + i);
}

#endif

}  // namespace

void HashShinglesScalar(std::span<const std::uint64_t> tokens, std::size_t length,
                        std::uint64_t* out) {
  for (std::size_t i = 0; i + length <= tokens.size(); ++i) {
    std::uint64_t sum = length;
    for (std::size_t j = 0; j < length; ++j) sum = sum * kBase + tokens[i + j];
    out[i] = Mix64(sum);
  }
}

void HashShingles(std::span<const std::uint64_t> tokens, std::size_t length, std::uint64_t* out) {
#if defined(CONTENTSEEN_X86)
  static const bool avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  if (avx512) return HashShinglesAvx512(tokens, length, out);
#endif
  HashShinglesScalar(tokens, length, out);
}

}  // namespace contentseen
