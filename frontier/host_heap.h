#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace frontier {

/// Hosts by the time at which each may next be asked: a binary heap that knows each host's place,
/// so that its time can be changed. Of hosts with the same time the one set first comes first,
/// therefore hosts without a delay take turns.
///
/// Thread safety: as a value. Cost: O(log hosts) for Set and Remove, O(1) for the others; 28 bytes
/// a host.
class HostHeap {
 public:
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }

  /// REQUIRES: not empty.
  std::uint32_t TopHost() const { return entries_.front().host; }
  base::Time TopTime() const { return entries_.front().time; }

  bool Has(std::uint32_t host) const { return host < places_.size() && places_[host] != kNowhere; }
  /// REQUIRES: Has(host).
  base::Time TimeOf(std::uint32_t host) const { return entries_[places_[host]].time; }

  /// Gives `host` a time, and a place behind all hosts of that time.
  void Set(std::uint32_t host, base::Time time);
  /// Does nothing if it is not there.
  void Remove(std::uint32_t host);

 private:
  struct Entry {
    base::Time time;
    std::uint64_t turn;
    std::uint32_t host;

    bool operator<(const Entry& other) const {
      return time != other.time ? time < other.time : turn < other.turn;
    }
  };
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  void Put(std::size_t place, const Entry& entry);
  /// Moves the entry at `place` to where it belongs.
  void Settle(std::size_t place);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> places_;  // by host
  std::uint64_t turns_ = 0;
};

}  // namespace frontier
