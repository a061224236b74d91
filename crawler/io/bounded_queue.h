#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"

namespace crawler {

/// A first-in first-out queue between fetching and processing in which a place is reserved before
/// the work that will fill it begins. Pages in flight and pages waiting therefore never exceed
/// the capacity together, and who pushes never blocks: pressure is felt where work is started.
///
///     if (!queue.Reserve()) return kBusy;   // fetching thread, before it starts a transfer
///     queue.Push(std::move(page));          // ... when the transfer is done
///     while (auto page = queue.Pop()) ...   // processing thread
///
/// Thread safety: all methods. Cost: one short mutex section each.
template <class T>
class BoundedQueue {
 public:
  /// REQUIRES: capacity > 0.
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) { CHECK(capacity > 0); }

  /// Takes one place; false when all are taken.
  bool Reserve() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    if (reserved_ + items_.size() >= capacity_) return false;
    ++reserved_;
    return true;
  }

  /// Gives a reserved place back unused.
  void Release() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    CHECK(reserved_ > 0);
    --reserved_;
  }

  /// Fills a reserved place. REQUIRES: an unused reservation, and Close() not called.
  void Push(T item) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    CHECK(reserved_ > 0 && !closed_);
    --reserved_;
    items_.push_back(std::move(item));
    not_empty_.NotifyOne();
  }

  /// Waits for an item; nothing once the queue is closed and drained.
  std::optional<T> Pop() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    while (items_.empty() && !closed_) not_empty_.Wait(mutex_);
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  /// Lets Pop() return nothing once the items there are are taken.
  void Close() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    closed_ = true;
    not_empty_.NotifyAll();
  }

  /// Items waiting to be popped.
  std::size_t size() const EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return items_.size();
  }

 private:
  const std::size_t capacity_;
  mutable base::Mutex mutex_;
  base::CondVar not_empty_;
  std::deque<T> items_ GUARDED_BY(mutex_);
  std::size_t reserved_ GUARDED_BY(mutex_) = 0;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace crawler
