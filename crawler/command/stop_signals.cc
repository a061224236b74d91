#include "crawler/command/stop_signals.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/check.h"

namespace crawler {

StopSignals::StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    CHECK(::sigaction(signal, nullptr, &now) == 0);
    // Who ignores one for us means it: nohup, a shell's background job.
    if (now.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  CHECK(pthread_sigmask(SIG_BLOCK, &signals, &before_) == 0);
  descriptor_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  CHECK(descriptor_ >= 0);
}

StopSignals::~StopSignals() {
  ::close(descriptor_);
  CHECK(pthread_sigmask(SIG_SETMASK, &before_, nullptr) == 0);
}

bool StopSignals::Take() {
  signalfd_siginfo info{};
  return ::read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info);
}

void StopSignals::Wait(std::optional<double> seconds) {
  pollfd awaited{descriptor_, POLLIN, 0};
  int ready = ::poll(&awaited, 1, seconds ? static_cast<int>(*seconds * 1000) : -1);
  CHECK(ready >= 0 || errno == EINTR);
}

DeadlySignals::DeadlySignals(const StopSignals& signals) {
  try {
    taker_ = std::thread([before = signals.before_, over = over_.get_future()] {
      CHECK(pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
      over.wait();
    });
  } catch (const std::system_error&) {
    return;  // no room for a thread: they wait for who asks for them
  }
}

DeadlySignals::~DeadlySignals() {
  over_.set_value();
  if (taker_.joinable()) taker_.join();
}

}  // namespace crawler
