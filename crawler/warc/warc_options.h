#pragma once

#include <cstdint>

#include "crawler/warc/warc_record.h"

namespace crawler {

/// What of a crawl is archived, and how.
struct WarcOptions {
  /// What becomes of a page that is not new and not a copy byte for byte: kNear and kExactText.
  enum class Near : std::uint8_t { kFull, kDrop };

  bool warc = true;
  std::uint64_t warc_size = std::uint64_t{1} << 30;
  WarcDigest warc_digest = WarcDigest::kSha1;
  Near warc_near = Near::kFull;
  /// GzipMember()'s: 1 (fast) to 9 (small).
  int warc_level = 1;
};

}  // namespace crawler
