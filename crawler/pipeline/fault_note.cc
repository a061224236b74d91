#include "crawler/pipeline/fault_note.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <memory>

#include "base/check.h"

namespace crawler {
namespace {

constexpr std::array kFaults = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// What to do with each when it was noted. Written before the handlers are set, then constant.
std::array<struct sigaction, kFaults.size()> before;

// Lock-free, so that a handler may read it; constinit, so that reading it calls nothing.
constinit thread_local std::atomic<std::uint32_t*> word_of_thread = nullptr;
static_assert(std::atomic<std::uint32_t*>::is_always_lock_free);

// Async-signal-safe.
void NoteAndGoOn(int signal, siginfo_t* info, void*) {
  // By the processor or the kernel, or by abort(), which sends it to itself.
  const bool own = info->si_code > 0 || info->si_pid == getpid();
  if (std::uint32_t* word = word_of_thread.load(std::memory_order_relaxed); own && word) {
    std::atomic_ref<std::uint32_t>(*word).store(1, std::memory_order_release);
  }
  for (std::size_t i = 0; i < kFaults.size(); ++i) {
    if (kFaults[i] == signal) sigaction(signal, &before[i], nullptr);
  }
  // What faulted does so again on return, and dies as it would have; what was sent is sent again.
  if (info->si_code <= 0) raise(signal);
}

/// Where the handler runs when the thread's own stack is what overflowed. One that is there
/// already (a sanitizer's) stays.
class SignalStack {
 public:
  SignalStack() {
    stack_t now{};
    CHECK(sigaltstack(nullptr, &now) == 0);
    if (!(now.ss_flags & SS_DISABLE)) return;
    room_ = std::make_unique<std::byte[]>(kBytes);
    const stack_t mine{.ss_sp = room_.get(), .ss_flags = 0, .ss_size = kBytes};
    CHECK(sigaltstack(&mine, nullptr) == 0);
  }
  ~SignalStack() {
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    if (room_) CHECK(sigaltstack(&none, nullptr) == 0);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr std::size_t kBytes = 64 << 10;  // AVX-512's registers alone take 3 KiB
  std::unique_ptr<std::byte[]> room_;
};

bool SetHandlers() {
  struct sigaction action {};
  action.sa_sigaction = NoteAndGoOn;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < kFaults.size(); ++i) {
    CHECK(sigaction(kFaults[i], nullptr, &before[i]) == 0);
    CHECK(sigaction(kFaults[i], &action, nullptr) == 0);
  }
  return true;
}

}  // namespace

void NoteFaultsIn(std::uint32_t* word) {
  [[maybe_unused]] static const bool set = SetHandlers();
  [[maybe_unused]] thread_local const SignalStack stack;
  word_of_thread.store(word, std::memory_order_relaxed);
}

}  // namespace crawler
