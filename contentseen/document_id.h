#pragma once

#include <cstdint>

namespace contentseen {

/// The caller's name for a document: unique, never 0, and handed out in increasing order, so that
/// of two documents the one with the smaller id is the earlier.
using DocumentId = std::uint64_t;

/// No document.
inline constexpr DocumentId kNoDocument = 0;

}  // namespace contentseen
