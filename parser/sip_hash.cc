#include "parser/sip_hash.h"

#include <random>

namespace parser {

const SipKey& ProcessSipKey() {
  static const SipKey key = [] {
    std::random_device random;
    const auto word = [&random] { return std::uint64_t{random()} << 32 | random(); };
    return SipKey{word(), word()};
  }();
  return key;
}

}  // namespace parser
