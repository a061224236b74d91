#pragma once

#include <csignal>
#include <optional>

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
  sigset_t before_{};
  int descriptor_;
};

}  // namespace crawler
