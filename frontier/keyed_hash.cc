#include "frontier/keyed_hash.h"

#include <xxhash.h>

namespace frontier {

std::size_t KeyedHash::operator()(std::string_view text) const {
  return XXH3_64bits_withSeed(text.data(), text.size(), key_);
}

}  // namespace frontier
