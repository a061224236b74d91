#include "contentseen/text/token_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace contentseen {

std::uint64_t TokenHash::Slowly(const Token& token) const {
  const char* const at = text_.data() + token.begin;
  if (token.size > kShortBytes) return XXH3_64bits_withSeed(at, token.size, key_);
  std::array<std::uint64_t, 2> halves{};
  std::memcpy(halves.data(), at, token.size);
  return Fold(halves[0], halves[1], token.size);
}

}  // namespace contentseen
