#pragma once

#include <cstdint>
#include <set>

#include "base/mutex.h"
#include "contentseen/document_id.h"
#include "contentseen/verdict.h"

namespace crawler {

/// Lets pages into the archive in the order of their verdicts, whatever the order in which threads
/// are done with them: who judges the archive's pages one by one then comes to the verdicts that
/// the crawl came to (`contentseen dedup`).
///
///     order.Announce(page.id);            // about to be judged
///     order.Await(page.verdict);          // its turn has come
///     order.Passed(page.id, page.verdict);
///
/// A page that was called a copy by its bytes alone has no place in that order; it comes after the
/// page that it is a copy of.
///
/// Thread safety: all methods. A page is waited for only by pages judged after it, so somebody can
/// always go on. REQUIRES: each page announced, once judged, passes, and nobody who has announced
/// one waits for who waits here. Cost: a short lock; a page waits while earlier ones are archived.
class ArchiveOrder {
 public:
  void Announce(contentseen::DocumentId id) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    under_way_.insert(id);
  }
  void Await(const contentseen::Verdict& verdict) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    while (verdict.sequence > next_ ||
           (verdict.sequence == 0 && under_way_.count(verdict.same_bytes_as) > 0)) {
      changed_.Wait(mutex_);
    }
  }
  /// REQUIRES: Await() has returned.
  void Passed(contentseen::DocumentId id, const contentseen::Verdict& verdict) EXCLUDES(mutex_) {
    if (verdict.sequence == 0) return;  // never announced
    base::MutexLock lock(mutex_);
    under_way_.erase(id);
    next_ = verdict.sequence + 1;
    changed_.NotifyAll();
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  std::set<contentseen::DocumentId> under_way_ GUARDED_BY(mutex_);
  std::uint64_t next_ GUARDED_BY(mutex_) = 1;
};

}  // namespace crawler
