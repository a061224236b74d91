#pragma once

#include <cstddef>

namespace tests {

/// What this program has from operator new: at this moment, and at most since the last reset. The
/// arena of the parser is not in it (Document::tree_bytes is).
std::size_t AllocatedBytes();
std::size_t PeakBytes();
void ResetPeak();

}  // namespace tests
