#include "parser/sip_hash.h"

#include "base/random_seed.h"

namespace parser {

const SipKey& ProcessSipKey() {
  static const SipKey key = {base::RandomSeed(), base::RandomSeed()};
  return key;
}

}  // namespace parser
