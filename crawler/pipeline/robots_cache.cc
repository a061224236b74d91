#include "crawler/pipeline/robots_cache.h"

#include "base/check.h"

namespace crawler {

std::uint64_t RobotsCache::Know(std::string_view origin, const parser::RobotsTxt& rules) {
  Entry entry{std::nullopt, rules.Only(product_token_)};
  entry.bytes = sizeof entry + 2 * origin.size() + entry.rules.memory_bytes();
  base::MutexLock lock(mutex_);
  Put(origin, std::move(entry));
  const std::uint64_t dropped_before = dropped_;
  while (bytes_ > bytes_max_ && !by_bytes_.empty()) DropTheLongest();
  return dropped_ - dropped_before;
}

void RobotsCache::GiveUp(std::string_view origin, Denial denial) {
  base::MutexLock lock(mutex_);
  Put(origin, Entry{std::move(denial), {}});
}

void RobotsCache::Put(std::string_view origin, Entry entry) {
  const auto found = entries_.try_emplace(std::string(origin)).first;
  if (found->second && found->second->bytes > 0) {
    by_bytes_.erase({found->second->bytes, found->first});
    bytes_ -= found->second->bytes;
  }
  if (entry.bytes > 0) by_bytes_.emplace(entry.bytes, found->first);
  bytes_ += entry.bytes;
  found->second = std::make_shared<const Entry>(std::move(entry));
}

void RobotsCache::DropTheLongest() {
  ++dropped_;
  Put(by_bytes_.rbegin()->second,
      Entry{Denial{Disposition::kRobotsUnreachable,
                   "robots.txt: its rules found no room (see robots.cache_bytes_max)"},
            {}});
}

std::optional<RobotsCache::Denial> RobotsCache::Denied(const frontier::Url& url) const {
  std::shared_ptr<const Entry> entry;
  {
    base::MutexLock lock(mutex_);
    auto found = entries_.find(std::string(url.origin()));
    CHECK(found != entries_.end());
    entry = found->second;
  }
  if (entry->given_up) return entry->given_up;
  parser::RobotsTxt::Decision decision = entry->rules.Allows(product_token_, url.path_and_query());
  if (decision.allowed) return std::nullopt;
  std::string why = "robots.txt line " + std::to_string(decision.line);
  if (decision.too_costly) why += ": too costly to judge (see robots.match_bytes_max)";
  return Denial{Disposition::kRobotsDenied, std::move(why), decision.too_costly};
}

std::size_t RobotsCache::memory_bytes() const {
  base::MutexLock lock(mutex_);
  return bytes_;
}

std::uint64_t RobotsCache::dropped() const {
  base::MutexLock lock(mutex_);
  return dropped_;
}

}  // namespace crawler
