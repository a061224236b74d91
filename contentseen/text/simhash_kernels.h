#pragma once

#include <cstddef>
#include <cstdint>

// How SimHash counts bits. Each kernel adds, for every bit i, the weights of those of `n` hashes
// that have bit i set to counts[i]. `weights` may be null: then each weighs 1.
// REQUIRES: n <= kKernelHashesMax, so that 32-bit sums do not overflow.
namespace contentseen {

inline constexpr std::size_t kKernelHashesMax = std::size_t{1} << 24;

using CountBits = void (*)(const std::uint64_t* hashes, const std::uint8_t* weights, std::size_t n,
                           std::uint32_t* counts);

/// The reference: one bit at a time.
void CountBitsScalar(const std::uint64_t* hashes, const std::uint8_t* weights, std::size_t n,
                     std::uint32_t* counts);
/// Eight byte-wide counters in each of eight 64-bit words; any machine.
void CountBitsSwar(const std::uint64_t* hashes, const std::uint8_t* weights, std::size_t n,
                   std::uint32_t* counts);
#if defined(__x86_64__)
/// Each hash spread over 64 bytes by shuffle and compare. REQUIRES: AVX2.
void CountBitsAvx2(const std::uint64_t* hashes, const std::uint8_t* weights, std::size_t n,
                   std::uint32_t* counts);
/// Each hash is the mask of one addition to 64 bytes. REQUIRES: AVX-512 F, BW.
void CountBitsAvx512(const std::uint64_t* hashes, const std::uint8_t* weights, std::size_t n,
                     std::uint32_t* counts);
#endif

}  // namespace contentseen
