#include "contentseen/hamming/hamming_code.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace contentseen {
namespace {

constexpr std::uint32_t kInformation = (1U << 26) - 1;

}  // namespace

std::vector<HammingBallEntry> HammingCode::Ball(std::uint32_t syndrome, unsigned radius) {
  CHECK(syndrome < 32);
  CHECK(radius <= 2);
  // By linearity the ball around any half with this syndrome is the one around its leader, shifted
  // by the codeword.
  std::map<std::uint32_t, HammingBallEntry> entries;
  auto add = [&](std::uint32_t error) {
    HammingCell cell = Encode(kLeaders[syndrome] ^ error);
    std::uint32_t flips = cell.codeword & kInformation;
    HammingBallEntry& entry = entries[flips];
    entry.codeword_flips = flips;
    bool flipped = (cell.codeword >> 26) != 0;
    (flipped ? entry.syndromes_flipped : entry.syndromes) |= 1U << cell.syndrome;
  };
  add(0);
  if (radius >= 1) {
    for (unsigned i = 0; i < 32; ++i) {
      add(1U << i);
      if (radius == 1) continue;
      for (unsigned j = 0; j < i; ++j) add(1U << i | 1U << j);
    }
  }
  // The home codeword has no flips, so it is the first in the map's order.
  std::vector<HammingBallEntry> ball;
  ball.reserve(entries.size());
  for (const auto& [flips, entry] : entries) ball.push_back(entry);
  return ball;
}

}  // namespace contentseen
