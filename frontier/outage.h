#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace frontier {

/// Whether it is the crawl's own network that is down, and not its hosts.
///
/// One host that falls silent says nothing; kAddresses of them at as many addresses, all well
/// until now, one after the other and without an answer of anybody in between, do. From then on
/// somebody is asked every kProbeEvery, until the first answer: that of any host. Hosts that had
/// failed before, or never answered, say nothing: at the end of a crawl there may be no others.
///
/// Thread safety: one thread at a time. Cost: nothing to speak of.
class Outage {
 public:
  static constexpr std::size_t kAddresses = 8;
  static constexpr base::Duration kProbeEvery = std::chrono::seconds(5);
  /// After that silence it is taken for what it looks like: the hosts' own.
  static constexpr base::Duration kLongest = std::chrono::hours(24);

  /// Somebody has answered, whatever it was, a request that was sent at `asked`: before the
  /// silence began, and it may have come before, too, and have been looked at only now.
  void Answered(base::Time asked) {
    if (count_ > 0 && asked < silent_from_) return;
    count_ = 0;
    since_.reset();
  }

  /// Nothing was heard of a host that had answered the request before; `address` is the number of
  /// its address.
  void Silent(std::uint32_t address, base::Time now) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (silent_[i] == address) return;
    }
    if (count_ == kAddresses) return;
    if (count_ == 0) silent_from_ = now;
    silent_[count_++] = address;
    if (count_ < kAddresses) return;
    since_ = now;
    next_probe_ = now + kProbeEvery;
  }

  bool On(base::Time now) const { return since_ && now - *since_ < kLongest; }
  /// How long already; 0 while there is none.
  base::Duration Lasting(base::Time now) const {
    return On(now) ? now - *since_ : base::Duration(0);
  }
  /// Nobody is to be asked before.
  base::Time Opens(base::Time now) const { return On(now) ? next_probe_ : base::Time::min(); }
  /// Somebody is asked.
  void Asked(base::Time now) { next_probe_ = now + kProbeEvery; }

 private:
  std::array<std::uint32_t, kAddresses> silent_{};
  std::size_t count_ = 0;
  base::Time silent_from_{};
  std::optional<base::Time> since_;
  base::Time next_probe_{};
};

}  // namespace frontier
