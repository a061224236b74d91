#pragma once

#include <cstdint>
#include <random>

namespace base {

/// 64 bits from the system that nobody outside can know: the seed of a hash table that strangers
/// fill, who could otherwise choose what collides in it.
///
/// Thread safety: yes. Cost: a call to the system or a slow instruction; once a table, not once an
/// entry.
inline std::uint64_t RandomSeed() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace base
