#pragma once

#include <rapidcheck.h>

#include <cstdlib>
#include <utility>

namespace tests {

/// rc::check with a fixed seed, so that a run is repeatable, and more cases than its default.
/// RC_PARAMS in the environment overrides both: RC_PARAMS="seed=7 max_success=100000".
///
///     EXPECT_TRUE(tests::Holds([](int a, int b) { RC_ASSERT(a + b == b + a); }));
template <class Property>
bool Holds(Property&& property) {
  static const int fixed = setenv("RC_PARAMS", "seed=20260101 max_success=1000", 0);
  (void)fixed;
  return rc::check(std::forward<Property>(property));
}

}  // namespace tests
