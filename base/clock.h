#pragma once

#include <atomic>
#include <chrono>

namespace base {

/// Monotonic time: delays, leases, timeouts. A jump of the wall clock does not move it.
using Time = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;
/// Wall-clock time: for showing and logging only.
using WallTime = std::chrono::system_clock::time_point;

/// Where time comes from, so that tests own it. Nobody in this house sleeps on a clock: who must
/// wait waits for an event with a deadline (see crawler/fetch/fetcher.h).
///
/// Thread safety: all methods.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() const = 0;
  virtual WallTime WallNow() const = 0;
};

/// The machine's clocks.
class SystemClock final : public Clock {
 public:
  Time Now() const override { return std::chrono::steady_clock::now(); }
  WallTime WallNow() const override { return std::chrono::system_clock::now(); }
};

/// A clock that stands still until a test moves it. Starts at one hour after the epoch of the
/// monotonic clock and at 2026-01-01T00:00:00Z of the wall clock; both move together.
class FakeClock final : public Clock {
 public:
  Time Now() const override { return Time(std::chrono::hours(1)) + Elapsed(); }
  WallTime WallNow() const override {
    return WallTime(std::chrono::seconds(1767225600)) +
           std::chrono::duration_cast<WallTime::duration>(Elapsed() +
                                                          Duration(wall_jumps_.load()));
  }
  /// Moves the wall clock alone, as its owner or a time server does.
  void JumpWall(Duration by) { wall_jumps_.fetch_add(by.count()); }
  void Advance(Duration by) { elapsed_.fetch_add(by.count()); }
  /// Moves to `when`; does nothing if that is past.
  void AdvanceTo(Time when) {
    Duration::rep target = (when - Time(std::chrono::hours(1))).count();
    Duration::rep now = elapsed_.load();
    while (now < target && !elapsed_.compare_exchange_weak(now, target)) {
    }
  }

 private:
  Duration Elapsed() const { return Duration(elapsed_.load()); }
  // Sequentially consistent: a test that advances the clock and then wakes a thread expects that
  // thread to see the new time.
  std::atomic<Duration::rep> elapsed_{0};
  std::atomic<Duration::rep> wall_jumps_{0};
};

}  // namespace base
