#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "contentseen/options.h"

namespace contentseen {

/// An option that is a whole number, and its range.
struct OptionNumber {
  const char* option;
  std::int64_t value;
  std::int64_t min;
  std::int64_t max;
};

/// All on which what is remembered depends, in one order: what Validate() looks at and what an
/// image is known by. (Left out are documents_expected, a hint, and the secret key.)
std::vector<OptionNumber> OptionNumbers(const ContentSeenOptions& options);

/// Validate() but for the detector's name, which is nothing to who brings a detector of his own.
base::Status ValidateNumbers(const ContentSeenOptions& options);

}  // namespace contentseen
