#pragma once

#include <string>

#include "crawler/evaluate/tuning.h"

namespace crawler {

/// For people: a histogram of near pairs and of random ones, how much alike their texts are, the
/// examples and the suggestion.
std::string TuningText(const Tuning& tuning, bool colours);

/// One JSON object: "pages", "near", "random", "k" (null where none is suggested), "reason" ...
std::string TuningJson(const Tuning& tuning);

}  // namespace crawler
