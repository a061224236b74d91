#pragma once

#include <pthread.h>

#include <csignal>
#include <ctime>

#include "base/check.h"

namespace crawler {

/// TLS writes to a connection that the peer has closed raise SIGPIPE; here they are to be errors.
/// A pending one stays with this thread and dies with it.
class SigpipeBlocked {
 public:
  SigpipeBlocked() {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    CHECK(pthread_sigmask(SIG_BLOCK, &pipe, &before_) == 0);
    was_blocked_ = sigismember(&before_, SIGPIPE) == 1;
  }
  ~SigpipeBlocked() {
    if (was_blocked_) return;
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    const timespec now{};
    while (sigtimedwait(&pipe, nullptr, &now) == SIGPIPE) {
    }
    CHECK(pthread_sigmask(SIG_SETMASK, &before_, nullptr) == 0);
  }
  SigpipeBlocked(const SigpipeBlocked&) = delete;
  SigpipeBlocked& operator=(const SigpipeBlocked&) = delete;

 private:
  sigset_t before_{};
  bool was_blocked_ = false;
};

}  // namespace crawler
