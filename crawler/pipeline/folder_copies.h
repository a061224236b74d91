#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace crawler {

/// Counts the pages whose relative links are followed although another folder or port of their
/// host has the same page. A host whose every folder has (a session id in the path, /a/a/a/...)
/// would hold a crawl for ever, so there are only so many of each host in a run.
///
/// Hosts that share a place share its count, so it errs towards not following.
///
/// Thread safety: all methods. Cost: 256 KiB for all hosts together.
class FolderCopies {
 public:
  static constexpr std::uint8_t kOfHostMax = 20;

  /// Whether one more of `host` may be followed; it counts.
  bool Take(std::string_view host) {
    std::atomic<std::uint8_t>& count =
        counts_[std::hash<std::string_view>()(host) % counts_.size()];
    std::uint8_t taken = count.load(std::memory_order_relaxed);
    while (taken < kOfHostMax) {
      if (count.compare_exchange_weak(taken, taken + 1, std::memory_order_relaxed)) return true;
    }
    return false;
  }

 private:
  // Relaxed: each place stands by itself.
  std::vector<std::atomic<std::uint8_t>> counts_ =
      std::vector<std::atomic<std::uint8_t>>(std::size_t{1} << 18);
};

}  // namespace crawler
