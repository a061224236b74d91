#include "contentseen/detectors/minwise.h"

#include <algorithm>

#include "base/check.h"
#include "contentseen/mix.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace contentseen {
namespace {

#if defined(__x86_64__)

constexpr std::size_t kLanes = 8;

__attribute__((target("avx512f,avx512dq"))) std::uint64_t MinOfEights(
    std::span<const std::uint64_t> set, std::uint64_t offset) {
  // The unmasked shift of gcc 12 warns of its own header.
  constexpr __mmask8 kAll = 0xFF;
  const __m512i add = _mm512_set1_epi64(static_cast<long long>(offset));
  const __m512i mix1 = _mm512_set1_epi64(static_cast<long long>(0xff51afd7ed558ccdULL));
  const __m512i mix2 = _mm512_set1_epi64(static_cast<long long>(0xc4ceb9fe1a85ec53ULL));
  __m512i least = _mm512_set1_epi64(-1);
  for (std::size_t i = 0; i + kLanes <= set.size(); i += kLanes) {
    __m512i x = _mm512_add_epi64(_mm512_loadu_si512(set.data() + i), add);
    x = _mm512_xor_si512(x, _mm512_maskz_srli_epi64(kAll, x, 33));
    x = _mm512_mullo_epi64(x, mix1);
    x = _mm512_xor_si512(x, _mm512_maskz_srli_epi64(kAll, x, 33));
    x = _mm512_mullo_epi64(x, mix2);
    x = _mm512_xor_si512(x, _mm512_maskz_srli_epi64(kAll, x, 33));
    least = _mm512_maskz_min_epu64(kAll, least, x);
  }
  alignas(64) std::uint64_t lanes[kLanes];
  _mm512_store_si512(lanes, least);
  return *std::min_element(lanes, lanes + kLanes);
}

void MinWiseAvx512(std::span<const std::uint64_t> set, std::span<std::uint64_t> minima) {
  const auto rest = set.subspan(set.size() / kLanes * kLanes);
  for (std::size_t i = 0; i < minima.size(); ++i) {
    minima[i] = MinOfEights(set, (i + 1) * kGoldenStep);
    for (const std::uint64_t x : rest) minima[i] = std::min(minima[i], MinWiseHash(x, i));
  }
}

#endif

}  // namespace

std::uint64_t MinWiseHash(std::uint64_t x, std::size_t i) {
  return Mix64(x + (i + 1) * kGoldenStep);
}

void MinWiseScalar(std::span<const std::uint64_t> set, std::span<std::uint64_t> minima) {
  CHECK(!set.empty());
  for (std::size_t i = 0; i < minima.size(); ++i) {
    std::uint64_t least = MinWiseHash(set[0], i);
    for (const std::uint64_t x : set.subspan(1)) least = std::min(least, MinWiseHash(x, i));
    minima[i] = least;
  }
}

void MinWise(std::span<const std::uint64_t> set, std::span<std::uint64_t> minima) {
  CHECK(!set.empty());
#if defined(__x86_64__)
  static const bool avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  if (avx512) return MinWiseAvx512(set, minima);
#endif
  MinWiseScalar(set, minima);
}

}  // namespace contentseen
