#include "crawler/robots_cache.h"

#include <utility>

namespace crawler {

void RobotsCache::Know(std::string_view origin, parser::RobotsTxt rules) {
  auto entry = std::make_shared<const Entry>(Entry{false, {}, std::move(rules)});
  base::MutexLock lock(mutex_);
  entries_[std::string(origin)] = std::move(entry);
}

void RobotsCache::GiveUp(std::string_view origin, std::string why) {
  auto entry = std::make_shared<const Entry>(Entry{true, std::move(why), {}});
  base::MutexLock lock(mutex_);
  entries_[std::string(origin)] = std::move(entry);
}

RobotsCache::Answer RobotsCache::Ask(const frontier::Url& url, std::string* why) const {
  std::shared_ptr<const Entry> entry;
  {
    base::MutexLock lock(mutex_);
    auto found = entries_.find(std::string(url.origin()));
    if (found == entries_.end()) return Answer::kUnknown;
    entry = found->second;
  }
  if (entry->unreachable) {
    if (why != nullptr) *why = "robots.txt: " + entry->why;
    return Answer::kUnreachable;
  }
  parser::RobotsTxt::Decision decision = entry->rules.Allows(product_token_, url.path_and_query());
  if (decision.allowed) return Answer::kAllowed;
  if (why != nullptr) *why = "robots.txt line " + std::to_string(decision.line);
  return Answer::kDenied;
}

}  // namespace crawler
