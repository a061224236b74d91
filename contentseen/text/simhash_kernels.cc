#include "contentseen/text/simhash_kernels.h"

#include <array>

#include "contentseen/text/simd.h"

#if defined(CONTENTSEEN_X86)
#include <immintrin.h>
#endif

namespace contentseen {
namespace {

constexpr unsigned kByteMax = 255;

// How many hashes from `i` on can be added to byte-wide counters without overflow.
std::size_t BatchEnd(const std::uint8_t* weights, std::size_t i, std::size_t n) {
  if (weights == nullptr) return n - i < kByteMax ? n : i + kByteMax;
  unsigned sum = weights[i];
  for (++i; i < n && sum + weights[i] <= kByteMax; ++i) sum += weights[i];
  return i;
}

}  // namespace

void CountBitsScalar(const std::uint64_t* hashes, const std::uint8_t* weights, std::size_t n,
                     std::uint32_t* counts) {
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t weight = weights == nullptr ? 1 : weights[k];
    for (int i = 0; i < 64; ++i) {
      if ((hashes[k] >> i & 1) != 0) counts[i] += weight;
    }
  }
}

void CountBitsSwar(const std::uint64_t* hashes, const std::uint8_t* weights, std::size_t n,
                   std::uint32_t* counts) {
  constexpr std::uint64_t kLowBits = 0x0101010101010101ULL;
  for (std::size_t k = 0; k < n;) {
    const std::size_t end = BatchEnd(weights, k, n);
    // Byte j of lane i counts bit 8j + i.
    std::array<std::uint64_t, 8> lanes{};
    for (; k < end; ++k) {
      const std::uint64_t hash = hashes[k];
      const std::uint64_t weight = weights == nullptr ? 1 : weights[k];
      for (std::size_t i = 0; i < 8; ++i) lanes[i] += (hash >> i & kLowBits) * weight;
    }
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t j = 0; j < 8; ++j) {
        counts[j * 8 + i] += static_cast<std::uint32_t>(lanes[i] >> (j * 8) & kByteMax);
      }
    }
  }
}

#if defined(CONTENTSEEN_X86)

__attribute__((target("avx2"))) void CountBitsAvx2(const std::uint64_t* hashes,
                                                   const std::uint8_t* weights, std::size_t n,
                                                   std::uint32_t* counts) {
  // Byte i of the spread hash holds the hash's byte i / 8, of which bit i % 8 is kept.
  const __m256i low_bytes =
      _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i high_bytes = _mm256_setr_epi64x(0x0404040404040404, 0x0505050505050505,
                                                0x0606060606060606, 0x0707070707070707);
  const __m256i bits = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ULL));
  for (std::size_t k = 0; k < n;) {
    const std::size_t end = BatchEnd(weights, k, n);
    __m256i low = _mm256_setzero_si256();
    __m256i high = _mm256_setzero_si256();
    for (; k < end; ++k) {
      const __m256i hash = _mm256_set1_epi64x(static_cast<long long>(hashes[k]));
      const __m256i weight =
          _mm256_set1_epi8(static_cast<char>(weights == nullptr ? 1 : weights[k]));
      const __m256i l = _mm256_and_si256(_mm256_shuffle_epi8(hash, low_bytes), bits);
      const __m256i h = _mm256_and_si256(_mm256_shuffle_epi8(hash, high_bytes), bits);
      low = _mm256_add_epi8(low, _mm256_and_si256(_mm256_cmpeq_epi8(l, bits), weight));
      high = _mm256_add_epi8(high, _mm256_and_si256(_mm256_cmpeq_epi8(h, bits), weight));
    }
    alignas(32) std::array<std::uint8_t, 64> bytes;
    _mm256_store_si256(reinterpret_cast<__m256i*>(bytes.data()), low);
    _mm256_store_si256(reinterpret_cast<__m256i*>(bytes.data() + 32), high);
    for (std::size_t i = 0; i < 64; ++i) counts[i] += bytes[i];
  }
}

__attribute__((target("avx512f,avx512bw"))) void CountBitsAvx512(const std::uint64_t* hashes,
                                                                 const std::uint8_t* weights,
                                                                 std::size_t n,
                                                                 std::uint32_t* counts) {
  for (std::size_t k = 0; k < n;) {
    const std::size_t end = BatchEnd(weights, k, n);
    __m512i sums = _mm512_setzero_si512();
    for (; k < end; ++k) {
      const __m512i weight =
          _mm512_set1_epi8(static_cast<char>(weights == nullptr ? 1 : weights[k]));
      sums = _mm512_mask_add_epi8(sums, _cvtu64_mask64(hashes[k]), sums, weight);
    }
    alignas(64) std::array<std::uint8_t, 64> bytes;
    _mm512_store_si512(bytes.data(), sums);
    for (std::size_t i = 0; i < 64; ++i) counts[i] += bytes[i];
  }
}

#endif

}  // namespace contentseen
