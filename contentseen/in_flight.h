#pragma once

#include <cstdint>
#include <vector>

#include "base/mutex.h"
#include "contentseen/detectors/detector.h"
#include "contentseen/digest.h"

namespace contentseen {

/// The calls being judged at this moment, and the order among them: who conflicts with an earlier
/// call waits until that one is decided.
///
///     InFlight::Call call(in_flight, {body, text, &signature});   // announced, has its number
///     ...                                                         // what needs no waiting
///     call.WaitForEarlier();
///     ...                                                         // look, decide, insert
///                                                                 // decided when `call` ends
///
/// Promises: sequence numbers are drawn from 1 without gaps; two calls that conflict are never
/// both between the end of WaitForEarlier() and their own end, and of the two the one with the
/// smaller number goes first. Waiting is only ever for smaller numbers, so there is no deadlock.
///
/// Thread safety: all methods, at once. Cost: one short critical section to announce and one to
/// leave, in each at most one comparison a call in flight (so a thread).
class InFlight {
 public:
  /// What others need to know of a call to see whether it conflicts with theirs.
  struct Announcement {
    /// No key (all zero) conflicts with nothing.
    Key128 body{};
    Key128 text{};
    /// Null when the text takes no part in near comparison. Outlives the call.
    const Signature* signature = nullptr;
  };

  class Call {
   public:
    Call(InFlight& in_flight, const Announcement& announcement);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    std::uint64_t sequence() const { return sequence_; }
    /// Returns when every earlier call that conflicts with this one has ended.
    void WaitForEarlier();

   private:
    friend class InFlight;
    InFlight& in_flight_;
    const Announcement announcement_;
    std::uint64_t sequence_ = 0;
    // Sequence numbers of earlier calls in conflict, as of the announcement.
    std::vector<std::uint64_t> conflicts_;
  };

  /// `detector` tells which signatures conflict; outlives this.
  explicit InFlight(const Detector& detector) : detector_(detector) {}

 private:
  bool Conflict(const Announcement& a, const Announcement& b) const;
  bool AnyInFlight(const std::vector<std::uint64_t>& sequences) const REQUIRES(mutex_);

  const Detector& detector_;
  base::Mutex mutex_;
  base::CondVar ended_;
  std::uint64_t drawn_ GUARDED_BY(mutex_) = 0;
  std::uint64_t waiting_ GUARDED_BY(mutex_) = 0;
  // At most one a thread.
  std::vector<const Call*> calls_ GUARDED_BY(mutex_);
};

}  // namespace contentseen
