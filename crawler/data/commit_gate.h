#pragma once

#include <cstddef>

#include "base/mutex.h"

namespace crawler {

/// Lets a commit fall between pages: pages that change something go through one by one or many at
/// once, and a commit waits until none is inside, takes what they left, and opens again.
///
/// Why: a page that is called a duplicate, or a link that is called seen, rests on what another
/// page has just put in memory. Were the first committed without the second, a crash in between
/// would leave a duplicate of a page that nobody has. Who enters before it changes anything in
/// memory, and leaves after its records stand in the open commit, is in the same commit as
/// whatever it rests on, or in a later one. (Merely to look, nobody need enter.)
///
/// Thread safety: all methods. Cost: two short locks a page; a commit waits for the pages inside,
/// which neither fetch nor parse there.
class CommitGate {
 public:
  void Enter() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    while (closed_) changed_.Wait(mutex_);
    ++inside_;
  }
  void Leave() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    if (--inside_ == 0 && closed_) changed_.NotifyAll();
  }
  /// Returns once nobody is inside. REQUIRES: not closed; the caller is not inside.
  void Close() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    closed_ = true;
    while (inside_ > 0) changed_.Wait(mutex_);
  }
  void Open() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    closed_ = false;
    changed_.NotifyAll();
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  std::size_t inside_ GUARDED_BY(mutex_) = 0;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace crawler
