#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "crawler/io/http_server.h"

namespace crawler {

/// The threads of an HttpServer. cpp-httplib gives one to each connection for as long as it is
/// open; here they grow to what is open at a time, up to a number. Connections beyond that wait,
/// and when kWaitingMax do, who accepts them waits too: the rest is the kernel's, which takes no
/// descriptor of ours for them. (cpp-httplib's own accepts them all, until there is no descriptor
/// left for anything else.)
///
///     server.new_task_queue = [] { return new HttpThreads(4); };
///
/// Thread safety: enqueue() and shutdown() from the thread that accepts.
class HttpThreads final : public httplib::TaskQueue {
 public:
  static constexpr std::size_t kWaitingMax = 32;

  explicit HttpThreads(std::size_t threads_max) : threads_max_(threads_max) {}

  void enqueue(std::function<void()> task) override EXCLUDES(mutex_) {
    // Where the system starts no thread, the one that accepts does the work.
    if (!Queue(task)) task();
  }
  /// Returns when all is done.
  void shutdown() override EXCLUDES(mutex_) {
    std::vector<std::thread> threads;
    {
      base::MutexLock lock(mutex_);
      closed_ = true;
      changed_.NotifyAll();
      threads.swap(threads_);
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  bool Queue(std::function<void()>& task) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    if (tasks_.size() >= idle_ && threads_.size() < threads_max_) {
      try {
        threads_.emplace_back([this] { Work(); });
      } catch (const std::system_error&) {
        if (threads_.empty()) return false;
      }
    }
    while (tasks_.size() >= kWaitingMax) changed_.Wait(mutex_);
    tasks_.push_back(std::move(task));
    changed_.NotifyAll();
    return true;
  }
  void Work() EXCLUDES(mutex_) {
    while (const std::function<void()> task = Next()) task();
  }
  /// Empty once closed and all is done.
  std::function<void()> Next() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    ++idle_;
    while (tasks_.empty() && !closed_) changed_.Wait(mutex_);
    --idle_;
    if (tasks_.empty()) return {};
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    changed_.NotifyAll();
    return task;
  }

  const std::size_t threads_max_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ GUARDED_BY(mutex_);
  std::size_t idle_ GUARDED_BY(mutex_) = 0;  // threads waiting for a task
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace crawler
