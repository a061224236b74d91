#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "crawler/page/disposition.h"
#include "frontier/url.h"
#include "parser/robots_txt.h"

namespace crawler {

/// The robots.txt rules of the origins being crawled. The frontier says when an origin must be
/// asked; this remembers what it answered, as far as it concerns us.
///
/// Bounded in bytes: when the rules of all origins outgrow `bytes_max`, the longest ones are
/// dropped and their origin counts as unreachable. So who writes half a megabyte of rules to fill
/// our memory loses his own pages, and nobody else's.
///
/// Thread safety: all methods. Cost: a hash look-up under a short lock, then the rules of one
/// group outside it; Know() also O(log origins).
class RobotsCache {
 public:
  /// How a page ends that may not be fetched, and one line on why.
  struct Denial {
    Disposition disposition;
    std::string why;
    /// Judging it would have cost too much.
    bool too_costly = false;
  };

  /// `product_token` is the name that rules know us by.
  explicit RobotsCache(std::string product_token, std::size_t bytes_max = std::size_t{512} << 20)
      : product_token_(std::move(product_token)), bytes_max_(bytes_max) {}

  /// Gives the number of origins whose rules had to make room.
  std::uint64_t Know(std::string_view origin, const parser::RobotsTxt& rules) EXCLUDES(mutex_);
  /// Its robots.txt could not be had, so RFC 9309 (section 2.3.1.4) disallows all of it: its pages
  /// end as `denial` says.
  void GiveUp(std::string_view origin, Denial denial) EXCLUDES(mutex_);

  /// Nothing when `url` may be fetched. REQUIRES: its origin is known or given up.
  std::optional<Denial> Denied(const frontier::Url& url) const EXCLUDES(mutex_);

  /// Memory taken, and origins whose rules were dropped for want of it.
  std::size_t memory_bytes() const EXCLUDES(mutex_);
  std::uint64_t dropped() const EXCLUDES(mutex_);

 private:
  struct Entry {
    std::optional<Denial> given_up;
    parser::RobotsTxt rules;
    std::size_t bytes = 0;
  };

  void Put(std::string_view origin, Entry entry) REQUIRES(mutex_);
  void DropTheLongest() REQUIRES(mutex_);

  const std::string product_token_;
  const std::size_t bytes_max_;
  mutable base::Mutex mutex_;
  // Shared, so that rules are matched outside the lock while an entry is replaced.
  std::unordered_map<std::string, std::shared_ptr<const Entry>> entries_ GUARDED_BY(mutex_);
  // Origins that have rules, by the memory they take; the views are keys of entries_.
  std::set<std::pair<std::size_t, std::string_view>> by_bytes_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
  std::uint64_t dropped_ GUARDED_BY(mutex_) = 0;
};

}  // namespace crawler
