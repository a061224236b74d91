#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "crawler/disposition.h"
#include "frontier/url.h"
#include "parser/robots_txt.h"

namespace crawler {

/// The robots.txt rules of the origins being crawled. The frontier says when an origin must be
/// asked; this remembers what it answered.
///
/// Thread safety: all methods. Cost: a hash look-up under a short lock, then the rules of one
/// group outside it. Bounded by the number of origins that the frontier admits.
class RobotsCache {
 public:
  /// How a page ends that may not be fetched, and one line on why.
  struct Denial {
    Disposition disposition;
    std::string why;
  };

  /// `product_token` is the name that rules know us by.
  explicit RobotsCache(std::string product_token) : product_token_(std::move(product_token)) {}

  void Know(std::string_view origin, parser::RobotsTxt rules) EXCLUDES(mutex_);
  /// Its robots.txt could not be had, so RFC 9309 (section 2.3.1.4) disallows all of it: its pages
  /// end as `denial` says.
  void GiveUp(std::string_view origin, Denial denial) EXCLUDES(mutex_);

  /// Nothing when `url` may be fetched. REQUIRES: its origin is known or given up.
  std::optional<Denial> Denied(const frontier::Url& url) const EXCLUDES(mutex_);

 private:
  struct Entry {
    std::optional<Denial> given_up;
    parser::RobotsTxt rules;
  };

  const std::string product_token_;
  mutable base::Mutex mutex_;
  // Shared, so that rules are matched outside the lock while an entry is replaced.
  std::unordered_map<std::string, std::shared_ptr<const Entry>> entries_ GUARDED_BY(mutex_);
};

}  // namespace crawler
