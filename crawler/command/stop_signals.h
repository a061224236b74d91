#pragma once

#include <csignal>
#include <future>
#include <optional>
#include <thread>

namespace crawler {

/// SIGINT, SIGTERM and SIGHUP as something to wait for: blocked in this thread and in all that it
/// starts from now on, until the object goes; then they end the program again as before.
///
///     StopSignals signals;              // before anything that starts threads
///     poll({signals.descriptor(), POLLIN}, ...);
///     if (signals.Take()) ...
///
/// A signal goes to any thread that does not block it: this must stand before the threads of
/// libraries too (RocksDB's, for one).
///
/// Thread safety: none.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Readable when a signal has come.
  int descriptor() const { return descriptor_; }
  /// Takes one signal that has come; false when there is none.
  bool Take();
  /// Returns at a signal, or after `seconds`.
  void Wait(std::optional<double> seconds);

 private:
  friend class DeadlySignals;

  sigset_t before_{};
  int descriptor_;
};

/// While it stands, a signal that `signals` would keep ends the program at once: for work that
/// takes long, asks nobody whether to stop, and may be cut off anywhere, as by kill -9.
///
///     StopSignals signals;
///     {
///       const DeadlySignals deadly(signals);
///       OpenWhatIsLarge();
///     }
///
/// Thread safety: none. Ownership: `signals` must outlive it. Cost: a thread.
class DeadlySignals {
 public:
  explicit DeadlySignals(const StopSignals& signals);
  ~DeadlySignals();
  DeadlySignals(const DeadlySignals&) = delete;
  DeadlySignals& operator=(const DeadlySignals&) = delete;

 private:
  std::promise<void> over_;
  std::thread taker_;  // the one thread that does not block them
};

}  // namespace crawler
