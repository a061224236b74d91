#include "crawler/robots_cache.h"

#include <utility>

#include "base/check.h"

namespace crawler {

void RobotsCache::Know(std::string_view origin, parser::RobotsTxt rules) {
  auto entry = std::make_shared<const Entry>(Entry{std::nullopt, std::move(rules)});
  base::MutexLock lock(mutex_);
  entries_[std::string(origin)] = std::move(entry);
}

void RobotsCache::GiveUp(std::string_view origin, Denial denial) {
  auto entry = std::make_shared<const Entry>(Entry{std::move(denial), {}});
  base::MutexLock lock(mutex_);
  entries_[std::string(origin)] = std::move(entry);
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
  return Denial{Disposition::kRobotsDenied, "robots.txt line " + std::to_string(decision.line)};
}

}  // namespace crawler
