#include "contentseen/digest_map.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace contentseen {

std::size_t DigestMapSlots(std::size_t slots, std::size_t entries) {
  constexpr std::size_t kSlotsMin = 16;
  slots = std::max(kSlotsMin, slots);
  while (entries > slots / 4 * 3) slots *= 2;
  CHECK(slots - 1 <= std::numeric_limits<std::uint32_t>::max());
  return slots;
}

}  // namespace contentseen
