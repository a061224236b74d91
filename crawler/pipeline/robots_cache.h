#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "base/result.h"
#include "crawler/data/journal.h"
#include "crawler/page/disposition.h"
#include "frontier/url.h"
#include "parser/robots_txt.h"
#include "store/store.h"

namespace crawler {

/// The robots.txt rules of the origins being crawled. The frontier says when an origin must be
/// asked; what it answered stands in the store (robots_record.h), and this remembers it, as far as
/// it concerns us.
///
/// Bounded in bytes: when what the store has too outgrows `bytes_max`, all of that is forgotten,
/// and read again where a page comes. So nobody's pages are denied for want of room; who writes
/// half a megabyte of rules to fill our memory costs us some reading.
///
/// Thread safety: all methods. Cost: a hash look-up under a short lock, then the rules of one
/// group outside it; where they must be read again, that under the lock.
class RobotsCache final : public Journal::Part {
 public:
  /// How a page ends that may not be fetched, and one line on why.
  struct Denial {
    Disposition disposition;
    std::string why;
    /// Judging it would have cost too much.
    bool too_costly = false;
  };

  struct Options {
    /// The name that rules know us by.
    std::string product_token;
    parser::RobotsLimits limits = {};
    std::size_t bytes_max = std::size_t{512} << 20;
  };

  /// Without a store nothing is forgotten.
  explicit RobotsCache(Options options, const store::Store* store = nullptr)
      : options_(std::move(options)), store_(store) {}

  /// REQUIRES, as for GiveUp(): the caller has a Turn, in which it adds the record to the journal
  /// that this is a part of. Gives the number of origins that had to make room since the last
  /// call.
  std::uint64_t Know(std::string_view origin, const parser::RobotsTxt& rules) EXCLUDES(mutex_);
  /// What it answered is known, by this process or an earlier one. Fails when that cannot be read.
  base::Result<bool> Knows(std::string_view origin) EXCLUDES(mutex_);
  /// Its robots.txt cannot be had, so RFC 9309 (section 2.3.1.4) disallows all of it: its pages
  /// end as `denial` says.
  void GiveUp(std::string_view origin, Denial denial) EXCLUDES(mutex_);

  /// Nothing when `url` may be fetched. Fails when that cannot be read. REQUIRES: its origin is
  /// known or given up, by this process or an earlier one.
  base::Result<std::optional<Denial>> Denied(const frontier::Url& url) EXCLUDES(mutex_);

  void Save(store::Batch& batch) override EXCLUDES(mutex_);
  void Saved() override EXCLUDES(mutex_);

  /// Memory taken by what may be forgotten.
  std::size_t memory_bytes() const EXCLUDES(mutex_);

 private:
  struct Entry {
    std::optional<Denial> given_up;
    parser::RobotsTxt rules;
    std::size_t bytes = 0;  // its own; 0 for one that is shared
  };
  // Shared, so that rules are matched outside the lock while an entry is replaced.
  using EntryPointer = std::shared_ptr<const Entry>;
  using Entries = std::unordered_map<std::string, EntryPointer>;

  EntryPointer EntryOf(const parser::RobotsTxt& rules) const;
  static EntryPointer EntryOf(Denial denial);
  // Null where nothing is known.
  base::Result<EntryPointer> Find(const std::string& origin) REQUIRES(mutex_);
  base::Result<EntryPointer> Read(const std::string& origin) const;
  void Cache(const std::string& origin, EntryPointer entry) REQUIRES(mutex_);

  const Options options_;
  const store::Store* const store_;
  mutable base::Mutex mutex_;
  // What came since the last Save(), what is being written since, and what the store has: an
  // earlier one counts before a later one.
  Entries fresh_ GUARDED_BY(mutex_);
  Entries saving_ GUARDED_BY(mutex_);
  Entries cached_ GUARDED_BY(mutex_);
  std::size_t cached_bytes_ GUARDED_BY(mutex_) = 0;
  std::uint64_t dropped_ GUARDED_BY(mutex_) = 0;
};

}  // namespace crawler
