#include "contentseen/detectors/supershingles.h"

#include <bit>

#include "base/check.h"
#include "contentseen/detectors/minwise.h"
#include "contentseen/mix.h"
#include "contentseen/text/shingle_hash.h"

namespace contentseen {

Supershingles SupershinglesOf(std::span<const std::uint64_t> shingles) {
  std::array<std::uint64_t, kSupershingles * kSupershingleMinima> minima;
  MinWise(shingles, minima);
  Supershingles supershingles;
  for (std::size_t i = 0; i < kSupershingles; ++i) {
    const std::span group =
        std::span(minima).subspan(i * kSupershingleMinima, kSupershingleMinima);
    HashShinglesScalar(group, kSupershingleMinima, &supershingles[i]);
  }
  return supershingles;
}

std::vector<std::uint64_t> SupershingleKeys(std::span<const std::uint64_t> supershingles,
                                            std::uint32_t least) {
  CHECK(supershingles.size() == kSupershingles && least >= 1 && least <= kSupershingles);
  std::vector<std::uint64_t> keys;
  for (std::uint32_t chosen = 1; chosen < 1u << kSupershingles; ++chosen) {
    if (static_cast<std::uint32_t>(std::popcount(chosen)) != least) continue;
    std::uint64_t key = chosen;
    for (std::uint32_t i = 0; i < kSupershingles; ++i) {
      if ((chosen >> i & 1) != 0) key = Mix64(key) + supershingles[i];
    }
    keys.push_back(Mix64(key));
  }
  return keys;
}

}  // namespace contentseen
