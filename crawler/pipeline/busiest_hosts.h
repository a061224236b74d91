#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/mutex.h"

namespace crawler {

/// The hosts with most pages, in bounded memory: the Space-Saving algorithm (Metwally, Agrawal,
/// El Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data Streams", ICDT 2005).
///
///     BusiestHosts hosts(1'000);
///     hosts.Add("example.org", false);
///     for (const BusiestHosts::Host& host : hosts.Top(10)) Show(host.name, host.pages);
///
/// Promises: exact while there are no more hosts than counters. Beyond, a host's count is too
/// large by at most its `surplus`, and every host with more than 1/counters of all pages is there.
///
/// Thread safety: all methods. Cost: Add() takes the logarithm of the number of counters.
class BusiestHosts {
 public:
  struct Host {
    std::string name;
    std::uint64_t pages = 0;
    std::uint64_t skipped = 0;  // of these, duplicates; counted since the host got its counter
    std::uint64_t near = 0;     // of those, near-duplicates
    std::uint64_t surplus = 0;  // pages that may have been another host's
  };

  /// REQUIRES: counters > 0.
  explicit BusiestHosts(std::size_t counters) : counters_(counters) {}

  /// `near` implies `skipped`.
  void Add(std::string_view host, bool skipped, bool near = false) EXCLUDES(mutex_);
  /// Most pages first, then by name.
  std::vector<Host> Top(std::size_t count) const EXCLUDES(mutex_);

 private:
  const std::size_t counters_;
  mutable base::Mutex mutex_;
  std::map<std::string, Host, std::less<>> hosts_ GUARDED_BY(mutex_);
  // By pages; the names are the keys of hosts_.
  std::set<std::pair<std::uint64_t, std::string_view>> order_ GUARDED_BY(mutex_);
};

}  // namespace crawler
