#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "contentseen/mix.h"
#include "crawler/pipeline/soft_404.h"
#include "frontier/url.h"

namespace crawler {

/// Tells which pages that are not kept, since they ask not to be indexed, say only what was said
/// lately on their host. ContentSeen remembers none of them, so a calendar of such pages would
/// never be known for one.
///
/// Texts are the same that differ in words with digits, or in words of the page's own URL; one
/// that has no others says nothing, and is never met. It forgets: of two texts that want one place
/// the later one stays, so it errs towards "not met".
///
/// Thread safety: all methods. Cost: 256 KiB for all hosts together; some microseconds a text.
class UnkeptTexts {
 public:
  /// Whether `text` was met lately on the host of `url`; from now on it was.
  bool Meet(const frontier::Url& url, std::string_view text) {
    const NotFoundAnswer print = PrintOf(url, text);
    if (print.words == 0) return false;
    const std::uint64_t host = std::hash<std::string_view>()(url.host());
    const std::uint64_t hash = contentseen::Mix64(print.text_hash ^ host) | 1;
    return met_[(hash >> 1) % met_.size()].exchange(hash, std::memory_order_relaxed) == hash;
  }

 private:
  // Relaxed: each place stands by itself.
  std::vector<std::atomic<std::uint64_t>> met_ =
      std::vector<std::atomic<std::uint64_t>>(std::size_t{1} << 15);
};

}  // namespace crawler
