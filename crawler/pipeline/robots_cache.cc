#include "crawler/pipeline/robots_cache.h"

#include <variant>

#include "crawler/pipeline/robots_record.h"

namespace crawler {
namespace {

// What a place in the table costs beside its key's characters, about.
constexpr std::size_t kPlaceBytes = 96;

std::size_t PlaceBytes(const std::string& origin) { return kPlaceBytes + origin.size(); }

}  // namespace

std::uint64_t RobotsCache::Know(std::string_view origin, const parser::RobotsTxt& rules) {
  EntryPointer entry = EntryOf(rules);
  base::MutexLock lock(mutex_);
  fresh_.insert_or_assign(std::string(origin), std::move(entry));
  return std::exchange(dropped_, 0);
}

base::Result<bool> RobotsCache::Knows(std::string_view origin) {
  base::MutexLock lock(mutex_);
  const auto found = Find(std::string(origin));
  if (!found) return base::Fail(found.error().message);
  return *found != nullptr && !(*found)->given_up;
}

void RobotsCache::GiveUp(std::string_view origin, Denial denial) {
  EntryPointer entry = EntryOf(std::move(denial));
  base::MutexLock lock(mutex_);
  fresh_.insert_or_assign(std::string(origin), std::move(entry));
}

RobotsCache::EntryPointer RobotsCache::EntryOf(const parser::RobotsTxt& rules) const {
  // Most origins have no rule for us: they share one entry, which costs nothing.
  static const auto kNoRules = std::make_shared<const Entry>();
  Entry entry{std::nullopt, rules.Only(options_.product_token)};
  const std::size_t bytes = entry.rules.memory_bytes();
  if (bytes <= kNoRules->rules.memory_bytes()) return kNoRules;
  entry.bytes = sizeof entry + bytes;
  return std::make_shared<const Entry>(std::move(entry));
}

RobotsCache::EntryPointer RobotsCache::EntryOf(Denial denial) {
  Entry entry{std::move(denial), {}};
  entry.bytes = sizeof entry + entry.given_up->why.size();
  return std::make_shared<const Entry>(std::move(entry));
}

base::Result<std::optional<RobotsCache::Denial>> RobotsCache::Denied(const frontier::Url& url) {
  EntryPointer entry;
  {
    base::MutexLock lock(mutex_);
    auto found = Find(std::string(url.origin()));
    if (!found) return base::Fail(found.error().message);
    if (*found == nullptr) {
      return base::Fail("nothing is known of the robots.txt of " + std::string(url.origin()));
    }
    entry = std::move(*found);
  }
  if (entry->given_up) return entry->given_up;
  parser::RobotsTxt::Decision decision =
      entry->rules.Allows(options_.product_token, url.path_and_query());
  if (decision.allowed) return std::nullopt;
  std::string why = "robots.txt line " + std::to_string(decision.line);
  if (decision.too_costly) why += ": too costly to judge (see robots.match_bytes_max)";
  return Denial{Disposition::kRobotsDenied, std::move(why), decision.too_costly};
}

base::Result<RobotsCache::EntryPointer> RobotsCache::Find(const std::string& origin) {
  for (const Entries* known : {&fresh_, &saving_, &cached_}) {
    if (auto found = known->find(origin); found != known->end()) return found->second;
  }
  auto read = Read(origin);
  if (read && *read != nullptr) Cache(origin, *read);
  return read;
}

base::Result<RobotsCache::EntryPointer> RobotsCache::Read(const std::string& origin) const {
  if (store_ == nullptr) return nullptr;
  auto record = ReadRobots(*store_, origin);
  if (!record) return base::Fail(record.error().message);
  if (!*record) return nullptr;
  if (auto* denial = std::get_if<Denial>(&**record)) return EntryOf(std::move(*denial));
  return EntryOf(parser::RobotsTxt::Parse(std::get<std::string>(**record), options_.limits));
}

void RobotsCache::Cache(const std::string& origin, EntryPointer entry) {
  if (const auto earlier = cached_.find(origin); earlier != cached_.end()) {
    cached_bytes_ -= PlaceBytes(origin) + earlier->second->bytes;
    cached_.erase(earlier);
  }
  const std::size_t bytes = PlaceBytes(origin) + entry->bytes;
  if (bytes > options_.bytes_max) {  // read each time
    ++dropped_;
    return;
  }
  if (cached_bytes_ + bytes > options_.bytes_max) {
    dropped_ += cached_.size();
    cached_.clear();
    cached_bytes_ = 0;
  }
  cached_.emplace(origin, std::move(entry));
  cached_bytes_ += bytes;
}

void RobotsCache::Save(store::Batch&) {
  base::MutexLock lock(mutex_);
  saving_ = std::exchange(fresh_, {});
}

void RobotsCache::Saved() {
  base::MutexLock lock(mutex_);
  for (auto& [origin, entry] : saving_) Cache(origin, std::move(entry));
  saving_.clear();
}

std::size_t RobotsCache::memory_bytes() const {
  base::MutexLock lock(mutex_);
  return cached_bytes_;
}

}  // namespace crawler
