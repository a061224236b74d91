#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "frontier/host_heap.h"
#include "frontier/keyed_hash.h"

namespace frontier {

/// Hosts that share what must be treated gently: a registered domain, or an address. A group is
/// asked as if only a few of its hosts were crawled at a time, however many it has; the others
/// stand in a line and come one by one. A group of one host asks nothing of it.
///
///     HostGroups domains(/*leases_max=*/4, hash_key);
///     std::uint32_t group = domains.Find("example.com");   // made when it is new
///     domains.Enter(group);                                // a host belongs to it
///     if (domains.Free(group, now)) domains.Lease(group, now + delay / 4);
///     else domains.Join(group, host);                      // until Next() names it
///
/// Thread safety: as a value. Cost: O(log groups) for Join, Next, Lease and End; about 150 bytes a
/// group and 4 a host.
class HostGroups {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// `leases_max`: requests to one group at the same time; from 1.
  HostGroups(std::uint32_t leases_max, std::uint64_t hash_key)
      : leases_max_(leases_max), numbers_(0, KeyedHash(hash_key)) {}

  std::size_t size() const { return groups_.size(); }
  /// The group of that name.
  std::uint32_t Find(std::string_view name);
  std::optional<std::uint32_t> FindKnown(std::string_view name) const;

  /// A host begins or ceases to belong to it.
  void Enter(std::uint32_t group) { ++groups_[group].hosts; }
  void Leave(std::uint32_t group) { --groups_[group].hosts; }
  std::uint32_t hosts(std::uint32_t group) const { return groups_[group].hosts; }
  /// URLs accepted for its hosts.
  std::uint64_t& accepted(std::uint32_t group) { return groups_[group].accepted; }

  /// A host of it may be asked now, as far as the group is concerned.
  bool Free(std::uint32_t group, base::Time now) const;
  /// Puts a host at the end of its line. REQUIRES: it stands in no line.
  void Join(std::uint32_t group, std::uint32_t host);
  /// The first of a line whose turn has come; it leaves the line.
  std::optional<std::uint32_t> Next(base::Time now);
  /// When Next() will have one; nothing before a lease ends.
  std::optional<base::Time> NextTime() const;

  /// A request to one of its hosts begins; none of another one before `rest_until`.
  void Lease(std::uint32_t group, base::Time rest_until);
  /// It has ended.
  void End(std::uint32_t group, base::Time rest_until);
  /// The request that began then with that rest was not sent: unless there was another meanwhile,
  /// the group may be asked again from then on.
  void GiveBack(std::uint32_t group, base::Time began, base::Duration rest);

 private:
  struct Group {
    base::Time rest_until = base::Time::min();
    std::uint64_t accepted = 0;
    std::uint32_t hosts = 0;
    std::uint32_t leased = 0;
    // Its line.
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  /// Puts a group where it belongs among those that have a line.
  void Replace(std::uint32_t group);

  const std::uint32_t leases_max_;
  NumberByName numbers_;
  std::vector<Group> groups_;
  // By host: who stands behind it.
  std::vector<std::uint32_t> behind_;
  // Groups that have a line and a lease to give, by when.
  HostHeap turns_;
};

}  // namespace frontier
