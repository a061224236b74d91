#pragma once

#include <cstddef>
#include <string_view>

namespace crawler {

/// The fewest insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`
/// (optimal string alignment). For short names: what did the user mean?
///
/// Thread safety: pure. Cost: |a| * |b| time, |b| memory.
std::size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace crawler
