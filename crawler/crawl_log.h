#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "contentseen/document_id.h"
#include "crawler/data_lock.h"
#include "crawler/disposition.h"
#include "crawler/jsonl.h"
#include "crawler/page.h"
#include "crawler/text_store.h"

namespace crawler {

/// Everything a crawl writes down, in its data directory: pages.jsonl (stored pages),
/// skipped.jsonl (duplicates, with their originals), other.jsonl (pages that ended otherwise) and
/// texts/ (the texts of all judged pages, for `contentseen skipped --diff`).
///
///     auto log = CrawlLog::Open("contentseen-data", k, options, clock);
///     (*log)->Announce(page);
///     ... the verdict ...
///     base::Status written = (*log)->Skipped(page);
///
/// Thread safety: all methods. Cost: one write() a line; memory: about 100 bytes for each judged
/// page and the URL of each stored one, to name originals by.
class CrawlLog {
 public:
  /// What to do about an earlier crawl in the directory.
  enum class Earlier : std::uint8_t { kRefuse, kErase };

  /// Makes the directory where it is missing. Fails when it holds an earlier crawl that is not to
  /// be erased, is in use by another process, or cannot be written. Erases what crawls write, and
  /// nothing else; what a failing call made it removes again.
  static base::Result<std::unique_ptr<CrawlLog>> Open(const std::string& directory, int k,
                                                      const TextStoreOptions& options,
                                                      const base::Clock& clock,
                                                      Earlier earlier = Earlier::kRefuse);
  /// Whether `directory` holds what a crawl wrote.
  static bool IsThere(const std::string& directory);

  /// Makes `page.id` known, so that a duplicate of it can name it. Before it is judged.
  void Announce(const Page& page) EXCLUDES(mutex_);
  /// A new page: its text, then its line in pages.jsonl.
  base::Status Stored(const Page& page);
  /// A duplicate: its text where it is its own, then its line in skipped.jsonl.
  base::Status Skipped(const Page& page) EXCLUDES(mutex_);
  /// Any page: a line in other.jsonl unless it was stored, skipped or put back.
  base::Status Ended(const Page& page, Disposition disposition);
  /// Links on a skipped page, also where its bytes were recognised without parsing.
  std::uint64_t LinksOf(const Page& page) const EXCLUDES(mutex_);

 private:
  // What is remembered of a judged page.
  struct Known {
    std::string url;  // empty once it turned out a duplicate: then nobody names it
    base::WallTime time{};
    std::uint32_t links = 0;
  };

  CrawlLog(int k, const TextStoreOptions& options, const base::Clock& clock,
           std::unique_ptr<DataLock> lock);
  base::Status OpenFiles(const std::string& directory, const TextStoreOptions& options);
  Known Find(contentseen::DocumentId id) const EXCLUDES(mutex_);
  // The key under which the page's text is kept, 0 for none.
  std::uint64_t TextOf(const Page& page) const;

  const int k_;
  const bool keeps_texts_;
  const base::Clock& clock_;
  const std::unique_ptr<DataLock> lock_;
  std::unique_ptr<JsonlWriter> pages_;
  std::unique_ptr<JsonlWriter> skipped_;
  std::unique_ptr<JsonlWriter> other_;
  std::unique_ptr<TextStore> texts_;

  mutable base::Mutex mutex_;
  std::unordered_map<contentseen::DocumentId, Known> known_ GUARDED_BY(mutex_);
};

}  // namespace crawler
