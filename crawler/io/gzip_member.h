#pragma once

#include <string>
#include <string_view>

namespace crawler {

/// `bytes` (below 4 GiB) as one gzip member (RFC 1952). Level: 0 (not compressed, a checksum's
/// cost), 1 (fast) to 9 (small).
///
/// Level 1 is isa-l's second, the others are libdeflate's: a page of 20 KB takes half the time of
/// libdeflate's first, and 2 % more room (docs/performance.md).
///
/// Thread safety: any thread; each keeps some hundred KiB for every level it has used.
std::string GzipMember(std::string_view bytes, int level);

}  // namespace crawler
