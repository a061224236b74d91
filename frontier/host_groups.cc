#include "frontier/host_groups.h"

#include <algorithm>
#include <string>

#include "base/check.h"

namespace frontier {

std::uint32_t HostGroups::Find(std::string_view name) {
  if (auto known = numbers_.find(name); known != numbers_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(groups_.size());
  numbers_.emplace(std::string(name), number);
  groups_.emplace_back();
  return number;
}

std::optional<std::uint32_t> HostGroups::FindKnown(std::string_view name) const {
  auto known = numbers_.find(name);
  if (known == numbers_.end()) return std::nullopt;
  return known->second;
}

bool HostGroups::Free(std::uint32_t group, base::Time now) const {
  if (group == kNone) return true;
  const Group& g = groups_[group];
  return g.hosts <= 1 || (g.leased < leases_max_ && g.rest_until <= now);
}

void HostGroups::Join(std::uint32_t group, std::uint32_t host) {
  if (behind_.size() <= host) behind_.resize(host + 1U, kNone);
  Group& g = groups_[group];
  behind_[host] = kNone;
  (g.first == kNone ? g.first : behind_[g.last]) = host;
  g.last = host;
  Replace(group);
}

std::optional<std::uint32_t> HostGroups::Next(base::Time now) {
  if (turns_.empty() || turns_.TopTime() > now) return std::nullopt;
  const std::uint32_t group = turns_.TopHost();
  Group& g = groups_[group];
  const std::uint32_t host = g.first;
  g.first = behind_[host];
  Replace(group);
  return host;
}

std::optional<base::Time> HostGroups::NextTime() const {
  if (turns_.empty()) return std::nullopt;
  return turns_.TopTime();
}

void HostGroups::Lease(std::uint32_t group, base::Time rest_until) {
  if (group == kNone) return;
  Group& g = groups_[group];
  ++g.leased;
  g.rest_until = std::max(g.rest_until, rest_until);
  Replace(group);
}

void HostGroups::End(std::uint32_t group, base::Time rest_until) {
  if (group == kNone) return;
  Group& g = groups_[group];
  CHECK(g.leased > 0);
  --g.leased;
  g.rest_until = std::max(g.rest_until, rest_until);
  Replace(group);
}

void HostGroups::GiveBack(std::uint32_t group, base::Time began, base::Duration rest) {
  if (group == kNone) return;
  Group& g = groups_[group];
  if (g.rest_until == began + rest) g.rest_until = began;
  End(group, began);
}

void HostGroups::Replace(std::uint32_t group) {
  const Group& g = groups_[group];
  if (g.first == kNone || g.leased >= leases_max_) {
    turns_.Remove(group);
  } else if (!turns_.Has(group) || turns_.TimeOf(group) != g.rest_until) {
    turns_.Set(group, g.rest_until);
  }
}

}  // namespace frontier
