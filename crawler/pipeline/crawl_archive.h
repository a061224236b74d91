#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "crawler/data/journal.h"
#include "crawler/warc/archive_order.h"
#include "crawler/warc/page_archive.h"
#include "crawler/warc/warc_options.h"
#include "crawler/warc/warc_writer.h"
#include "store/store.h"

namespace crawler {

/// How far the WARC files of the crawl in `store` count: not at all where no commit says so.
base::Result<WarcPosition> ArchivePosition(const store::Store& store);

/// The WARC files of a crawl's data directory as a part of its journal: how far they count stands
/// in each commit, and who goes on with the crawl finds them cut back to that.
///
///     auto archive = CrawlArchive::Open({.directory = data / kWarcFolder}, output,
///                                       store::Durability::kProcess, store, clock);
///     journal.Join(**archive);
///     (*archive)->Announce(page.id);                   // within a Turn
///     (*archive)->Keep(page, disposition, k);          // within the same
///
/// Pages that were judged stand in the files in the order of their verdicts: see ArchiveOrder.
/// What cannot be written waits in memory, and commits fail until it can: so a full disk pauses
/// the crawl, and no page is committed without its records.
///
/// Thread safety: all methods.
class CrawlArchive final : public Journal::Part {
 public:
  static base::Result<std::unique_ptr<CrawlArchive>> Open(WarcWriterOptions files,
                                                          const WarcOptions& output,
                                                          store::Durability durability,
                                                          const store::Store& store,
                                                          const base::Clock& clock);

  /// The page that will have this id is about to be judged. REQUIRES: Keep() or Forgo() follows.
  void Announce(contentseen::DocumentId id) { order_.Announce(id); }
  /// Keeps what came for a page judged with threshold `k`; a robots.txt too, of which the others
  /// do not matter. Waits for pages judged before it.
  void Keep(const Page& page, Disposition disposition, int k) EXCLUDES(mutex_);
  /// Keeps nothing of it.
  void Forgo(const Page& page) {
    order_.Await(page.verdict);
    order_.Passed(page.id, page.verdict);
  }
  /// Finishes the last file. REQUIRES: what was kept is committed.
  base::Status Close() { return pages_->files().Close(); }

  base::Status Flush() override EXCLUDES(mutex_);
  /// What could not be written: Save() would not add it, but it is memory until a commit succeeds.
  std::size_t unsaved_bytes() const override {
    return waiting_bytes_.load(std::memory_order_relaxed);
  }
  void Save(store::Batch& batch) override;
  std::size_t memory_bytes() const { return pages_->files().memory_bytes(); }

 private:
  CrawlArchive(std::unique_ptr<PageArchive> pages, bool sync)
      : pages_(std::move(pages)), sync_(sync) {}

  const std::unique_ptr<PageArchive> pages_;
  const bool sync_;
  ArchiveOrder order_;

  base::Mutex mutex_;
  // In their order; what comes later waits behind them.
  std::deque<ArchivedPage> waiting_ GUARDED_BY(mutex_);
  // Of those, about. Relaxed: a moment sooner or later does not matter.
  std::atomic<std::size_t> waiting_bytes_{0};
};

}  // namespace crawler
