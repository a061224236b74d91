#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
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
  enum class Answer {
    kAllowed,
    kDenied,
    kUnreachable,  // its robots.txt could not be had: RFC 9309 section 2.3.1.4 disallows all
    kUnknown,      // never told
  };

  /// `product_token` is the name that rules know us by.
  explicit RobotsCache(std::string product_token) : product_token_(std::move(product_token)) {}

  void Know(std::string_view origin, parser::RobotsTxt rules) EXCLUDES(mutex_);
  /// Given up, after the attempts that the pipeline allows. `why` is one line for logs.
  void GiveUp(std::string_view origin, std::string why) EXCLUDES(mutex_);

  /// May `url` be fetched? `why`, where not null, gets one line when it may not.
  Answer Ask(const frontier::Url& url, std::string* why = nullptr) const EXCLUDES(mutex_);

 private:
  struct Entry {
    bool unreachable = false;
    std::string why;
    parser::RobotsTxt rules;
  };

  const std::string product_token_;
  mutable base::Mutex mutex_;
  // Shared, so that rules are matched outside the lock while an entry is replaced.
  std::unordered_map<std::string, std::shared_ptr<const Entry>> entries_ GUARDED_BY(mutex_);
};

}  // namespace crawler
