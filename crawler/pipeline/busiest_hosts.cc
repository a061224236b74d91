#include "crawler/pipeline/busiest_hosts.h"

#include <algorithm>

namespace crawler {

void BusiestHosts::Add(std::string_view host, bool skipped, bool near) {
  base::MutexLock lock(mutex_);
  auto found = hosts_.find(host);
  if (found != hosts_.end()) {
    order_.erase({found->second.pages, found->first});
  } else {
    Host fresh{.name = std::string(host)};
    if (hosts_.size() >= counters_) {
      // The host with fewest pages gives up its counter, count and all.
      const std::string_view least = order_.begin()->second;
      fresh.pages = fresh.surplus = order_.begin()->first;
      order_.erase(order_.begin());
      hosts_.erase(hosts_.find(least));
    }
    found = hosts_.emplace(std::string(host), std::move(fresh)).first;
  }
  found->second.pages += 1;
  found->second.skipped += skipped ? 1 : 0;
  found->second.near += near ? 1 : 0;
  order_.emplace(found->second.pages, found->first);
}

std::vector<BusiestHosts::Host> BusiestHosts::Top(std::size_t count) const {
  base::MutexLock lock(mutex_);
  std::vector<Host> top;
  // A few more than asked for, so that those of equal counts are in the order of their names.
  for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
    if (top.size() >= count && at->first < top.back().pages) break;
    top.push_back(hosts_.find(at->second)->second);
  }
  std::stable_sort(top.begin(), top.end(), [](const Host& a, const Host& b) {
    return a.pages != b.pages ? a.pages > b.pages : a.name < b.name;
  });
  top.resize(std::min(top.size(), count));
  return top;
}

}  // namespace crawler
