#pragma once

#include <condition_variable>
#include <mutex>

// Clang's thread-safety analysis; nothing with other compilers.
// https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
#if defined(__clang__)
#define BASE_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define BASE_THREAD_ANNOTATION(x)
#endif
#define CAPABILITY(x) BASE_THREAD_ANNOTATION(capability(x))
#define SCOPED_CAPABILITY BASE_THREAD_ANNOTATION(scoped_lockable)
#define GUARDED_BY(x) BASE_THREAD_ANNOTATION(guarded_by(x))
#define PT_GUARDED_BY(x) BASE_THREAD_ANNOTATION(pt_guarded_by(x))
#define REQUIRES(...) BASE_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define ACQUIRE(...) BASE_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define RELEASE(...) BASE_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define EXCLUDES(...) BASE_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS BASE_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace base {

/// std::mutex that clang can check: `int n_ GUARDED_BY(mutex_);`.
class CAPABILITY("mutex") Mutex {
 public:
  void Lock() ACQUIRE() { mutex_.lock(); }
  void Unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

/// Holds a Mutex for a scope.
class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// Condition variable for a Mutex. Wait in a loop that tests the condition:
///
///     base::MutexLock lock(mutex_);
///     while (queue_.empty()) not_empty_.Wait(mutex_);
class CondVar {
 public:
  /// Releases `mutex`, waits for a notification (or spuriously), takes `mutex` again.
  void Wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    cond_.wait(lock);
    lock.release();
  }
  void NotifyOne() { cond_.notify_one(); }
  void NotifyAll() { cond_.notify_all(); }

 private:
  std::condition_variable cond_;
};

}  // namespace base
