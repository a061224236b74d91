#pragma once

#include <cstdint>

namespace contentseen {

/// The caller's name for a document: unique and never 0. Of equally good originals the smallest id
/// is taken. Which of two documents was judged first their ids do not tell: threads overtake each
/// other.
using DocumentId = std::uint64_t;

/// No document.
inline constexpr DocumentId kNoDocument = 0;

}  // namespace contentseen
