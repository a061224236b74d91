#include "contentseen/detectors/projection.h"

#include <bit>

#include "base/check.h"
#include "contentseen/fingerprint.h"
#include "contentseen/mix.h"
#include "contentseen/text/simhash.h"

namespace contentseen {
namespace {

// Up to this distance a part of its own for every bit that may differ leaves 24 bits to each.
constexpr std::uint32_t kDistanceOfExactParts = 15;
constexpr std::uint32_t kDistanceOfParts = 31;

// Rounds down, also below 0. REQUIRES: divisor > 0.
int FloorDivide(int dividend, int divisor) {
  return dividend / divisor - (dividend % divisor < 0 ? 1 : 0);
}

// `size` bits from `begin` on, at most 64 of them.
std::uint64_t Bits(std::span<const std::uint64_t> words, std::uint32_t begin, std::uint32_t size) {
  const std::uint32_t shift = begin % 64;
  std::uint64_t bits = words[begin / 64] >> shift;
  if (shift + size > 64) bits |= words[begin / 64 + 1] << (64 - shift);
  return size == 64 ? bits : bits & ((std::uint64_t{1} << size) - 1);
}

std::uint64_t KeyOf(std::uint32_t begin, std::uint64_t bits) {
  return Mix64(bits + (begin + 1) * kGoldenStep);
}

}  // namespace

Projection ProjectionOf(std::span<const std::uint64_t> tokens) {
  Projection projection;
  std::vector<std::uint64_t> rows(tokens.size());
  for (std::size_t word = 0; word < projection.size(); ++word) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      rows[i] = Mix64(tokens[i] + (word + 1) * kGoldenStep);
    SimHash sums;
    sums.Add(rows);
    projection[word] = sums.Finish();
  }
  return projection;
}

std::uint32_t EqualBits(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  int differ = 0;
  for (std::size_t i = 0; i < kProjectionWords; ++i) differ += Distance(a[i], b[i]);
  return kProjectionBits - static_cast<std::uint32_t>(differ);
}

ProjectionParts::ProjectionParts(std::uint32_t distance) {
  CHECK(distance <= kDistanceOfParts);
  const int k = static_cast<int>(distance);
  int m = distance <= kDistanceOfExactParts ? k + 1 : k / 2 + 1;
  if (m < static_cast<int>(kProjectionWords)) m = kProjectionWords;  // none above 64 bits
  std::uint32_t begin = 0;
  for (int i = 0; i < m; ++i) {
    const auto end = static_cast<std::uint32_t>(static_cast<int>(kProjectionBits) * (i + 1) / m);
    const int changed_max = FloorDivide(k - m + 1 + i, m);
    if (changed_max >= 0) parts_.push_back({begin, end - begin, changed_max});
    begin = end;
  }
}

std::vector<std::uint64_t> ProjectionParts::Keys(std::span<const std::uint64_t> projection) const {
  std::vector<std::uint64_t> keys;
  for (const Part& part : parts_) {
    keys.push_back(KeyOf(part.begin, Bits(projection, part.begin, part.size)));
  }
  return keys;
}

std::vector<std::uint64_t> ProjectionParts::KeysToAsk(
    std::span<const std::uint64_t> projection) const {
  std::vector<std::uint64_t> keys;
  for (const Part& part : parts_) {
    const std::uint64_t bits = Bits(projection, part.begin, part.size);
    keys.push_back(KeyOf(part.begin, bits));
    if (part.changed_max == 0) continue;
    for (std::uint32_t i = 0; i < part.size; ++i) {
      keys.push_back(KeyOf(part.begin, bits ^ std::uint64_t{1} << i));
    }
  }
  return keys;
}

}  // namespace contentseen
