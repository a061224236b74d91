#include "contentseen/text/tally.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "contentseen/text/simd.h"

#if defined(CONTENTSEEN_X86)
#include <immintrin.h>
#endif

namespace contentseen {
namespace {

// A slot: the hash's bits 8..31, and in the low byte how often it was met, 255 at most; 0 when
// free. A bucket is filled from its first slot on; what finds it full goes to the next one.
constexpr std::uint32_t kSlots = 8;
constexpr std::uint32_t kCountMask = 0xFF;
static_assert(Tally::kCountMax <= kCountMask / 2 + 1);

std::uint32_t Tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash) & ~kCountMask; }
// Where the hash's bucket begins among the slots.
std::size_t Bucket(std::uint64_t hash, std::size_t slot_mask) { return hash >> 32 & slot_mask; }

// Four slots side by side, by the compiler's own vectors: SSE2, NEON, or plain words.
using Lanes [[gnu::vector_size(16)]] = std::uint32_t;

// The slot of `hash` in a bucket: its own, or the first free one; kSlots when there is neither.
std::uint32_t Find(const std::uint32_t* slots, std::uint32_t tag) {
  // Which slots have the tag, in eight bits, and above them which are free.
  constexpr Lanes kLow = {1, 2, 4, 8};
  constexpr Lanes kHigh = {16, 32, 64, 128};
  Lanes low;
  Lanes high;
  std::memcpy(&low, slots, sizeof low);
  std::memcpy(&high, slots + kSlots / 2, sizeof high);
  const Lanes found = ((((low ^ tag) & ~kCountMask) == 0) & kLow) |
                      ((((high ^ tag) & ~kCountMask) == 0) & kHigh) |
                      ((low == 0) & (kLow << kSlots)) | ((high == 0) & (kHigh << kSlots));
  std::array<std::uint64_t, 2> words;
  std::memcpy(words.data(), &found, sizeof found);
  const std::uint64_t both = words[0] | words[1];
  const auto bits = static_cast<std::uint32_t>(both | both >> 32);
  return bits == 0 ? kSlots : static_cast<std::uint32_t>(std::countr_zero(bits)) % kSlots;
}

Tally::Damped DampByLanes(std::uint32_t* slots, std::size_t slot_mask, std::uint64_t* hashes,
                          std::size_t n) {
  std::uint64_t* write = hashes;
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t hash = hashes[i];
    const std::uint32_t tag = Tag(hash);
    std::size_t at = Bucket(hash, slot_mask);
    std::uint32_t slot = Find(slots + at, tag);
    while (slot == kSlots) [[unlikely]] {
        at = (at + kSlots) & slot_mask;
        slot = Find(slots + at, tag);
      }
    std::uint32_t* const place = slots + at + slot;
    const std::uint32_t count = std::min((*place & kCountMask) + 1, kCountMask);
    *place = tag | count;
    distinct += count == 1 && tag != 0;
    *write = hash;
    write += (count & (count - 1)) == 0;
  }
  return {static_cast<std::size_t>(write - hashes), distinct};
}

#if defined(CONTENTSEEN_X86)

// Ternary logic: the first operand chooses a bit of the second where it is 1, of the third where
// 0.
constexpr int kChoose = 0xCA;

// The same on the bucket as one vector, which is written back whole: a narrow write would hold up
// the next wide read. Counts saturate at 255.
__attribute__((target("avx512f,avx512bw,avx512vl,bmi"))) Tally::Damped DampAvx512(
    std::uint32_t* slots, std::size_t slot_mask, std::uint64_t* hashes, std::size_t n) {
  const __m256i count_mask = _mm256_set1_epi32(kCountMask);
  const __m256i one = _mm256_set1_epi32(1);
  std::uint64_t* write = hashes;
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t hash = hashes[i];
    const __m256i tag = _mm256_set1_epi32(static_cast<int>(hash));
    for (std::size_t at = Bucket(hash, slot_mask);; at = (at + kSlots) & slot_mask) {
      auto* const bucket = reinterpret_cast<__m256i*>(slots + at);
      const __m256i before = _mm256_loadu_si256(bucket);
      // What differs above the counts, and the counts.
      const __m256i differing = _mm256_andnot_si256(count_mask, _mm256_xor_si256(before, tag));
      const __m256i count = _mm256_and_si256(before, count_mask);
      const __mmask8 own = _mm256_testn_epi32_mask(differing, differing);
      const __mmask8 free = _mm256_testn_epi32_mask(before, before);
      const std::uint32_t found = own | std::uint32_t{free} << kSlots;
      if (found == 0) [[unlikely]]
        continue;
      distinct += own == 0;
      const std::uint32_t first = found & (~found + 1);
      const auto slot = static_cast<__mmask8>(first | first >> kSlots);
      // The tag's bits, and of the count one more.
      const __m256i more = _mm256_adds_epu8(count, one);
      const __m256i after = _mm256_ternarylogic_epi32(count_mask, more, tag, kChoose);
      _mm256_storeu_si256(bucket, _mm256_mask_mov_epi32(before, slot, after));
      *write = hash;
      // The new count has no bit in common with the old one: it is a power of two.
      write += _mm256_mask_testn_epi32_mask(slot, more, count) != 0;
      break;
    }
  }
  return {static_cast<std::size_t>(write - hashes), distinct};
}

#endif

}  // namespace

void Tally::Clear(std::size_t hashes) {
  // At most two and a half to five of eight slots are taken.
  const std::size_t buckets = std::bit_ceil(hashes / 5 + 1);
  slots_.assign(buckets * kSlots, 0);
  slot_mask_ = (buckets - 1) * kSlots;
}

Tally::Damped Tally::Damp(std::uint64_t* hashes, std::size_t n) {
  Clear(n);
#if defined(CONTENTSEEN_X86)
  static const bool avx512 =
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (avx512) return DampAvx512(slots_.data(), slot_mask_, hashes, n);
#endif
  return DampByLanes(slots_.data(), slot_mask_, hashes, n);
}

Tally::Damped Tally::DampPortably(std::uint64_t* hashes, std::size_t n) {
  Clear(n);
  return DampByLanes(slots_.data(), slot_mask_, hashes, n);
}

}  // namespace contentseen
