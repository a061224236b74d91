#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "crawler/fetch/address_rules.h"

namespace crawler {

/// How many requests are under way to each address: ten thousand names may lead to one, and until
/// one of them has answered only who connects knows it.
///
///     if (!crowd.Enter(address)) return Later();
///     ...
///     crowd.Leave(address);
///
/// Thread safety: none. Cost: O(log addresses) each.
class AddressCrowd {
 public:
  /// REQUIRES: at_once_max > 0.
  explicit AddressCrowd(int at_once_max) : at_once_max_(at_once_max) {}

  bool HasRoom(const IpAddress& address) const {
    const auto found = counts_.find({address.high, address.low});
    return found == counts_.end() || found->second < at_once_max_;
  }
  /// False where it is full.
  bool Enter(const IpAddress& address) {
    int& count = counts_[{address.high, address.low}];
    if (count >= at_once_max_) return false;
    ++count;
    return true;
  }
  /// REQUIRES: an Enter() that gave true.
  void Leave(const IpAddress& address) {
    const auto found = counts_.find({address.high, address.low});
    if (--found->second == 0) counts_.erase(found);
  }

 private:
  const int at_once_max_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> counts_;
};

}  // namespace crawler
