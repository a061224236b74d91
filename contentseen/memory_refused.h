#pragma once

#include <new>
#include <string>

#include "base/result.h"

namespace contentseen {

/// What `make` makes; where memory is refused, a failure that says what for and what to do.
///
///     return UnlessRefusedMemory(make, "the Hamming index", "expect fewer fingerprints");
///
/// `make` returns a base::Result. A container's bad_alloc ends here.
template <class Make>
auto UnlessRefusedMemory(Make make, const std::string& what, const std::string& remedy)
    -> decltype(make()) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return base::Fail("memory is refused for " + what + ": " + remedy + ", or raise `ulimit -v`");
  }
}

}  // namespace contentseen
