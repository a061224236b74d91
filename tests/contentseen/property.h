#pragma once

#include <rapidcheck.h>

#include <cstdlib>

namespace tests {

/// rc::check() with a fixed seed, unless RC_PARAMS says otherwise: a run repeats itself.
template <class Property>
bool Holds(Property property) {
  setenv("RC_PARAMS", "seed=20261120", /*overwrite=*/0);
  return rc::check(property);
}

}  // namespace tests
