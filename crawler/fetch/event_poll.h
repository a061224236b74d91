#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <span>

#include "base/result.h"

namespace crawler {

/// Waits for many sockets, a deadline and other threads at once: epoll with an eventfd.
///
///     auto poll = EventPoll::Create();
///     (*poll)->Watch(socket, {.readable = true});
///     for (const EventPoll::Event& event : (*poll)->Wait(100ms).events) ...
///
/// Thread safety: Wake() from any thread; all else from one.
/// Ownership: the sockets stay the caller's; one that is closed is forgotten by itself.
/// Cost: one system call a method, two for a socket's first Watch().
class EventPoll {
 public:
  struct Interest {
    bool readable = false;
    bool writable = false;
  };
  struct Event {
    int socket = 0;
    bool readable = false;
    bool writable = false;
    bool failed = false;
    /// On a socket of which nothing is expected; `readable` and `failed` say what came.
    bool idle = false;
  };
  struct Woken {
    /// Valid until the next Wait().
    std::span<const Event> events;
    /// Wake() was called since the last Wait() that said so.
    bool by_wake = false;
  };

  /// Fails when the process has no more descriptors.
  static base::Result<std::unique_ptr<EventPoll>> Create();
  ~EventPoll();
  EventPoll(const EventPoll&) = delete;
  EventPoll& operator=(const EventPoll&) = delete;

  /// Waits for these things on `socket`, and for none that was asked for before.
  void Watch(int socket, Interest interest);
  /// Nothing is expected of `socket` until the next Watch(): what comes all the same, an end too,
  /// is an idle event, at each Wait() until it is forgotten. Nothing where it is not watched.
  void WatchIdle(int socket);
  void Forget(int socket);
  /// Sleeps until something happens or `timeout` (rounded up to 1 ms) is over; without one, as
  /// long as it takes.
  Woken Wait(std::optional<std::chrono::nanoseconds> timeout);
  void Wake();

 private:
  static constexpr int kEventsMax = 256;

  EventPoll(int epoll, int wake) : epoll_(epoll), wake_(wake) {}

  const int epoll_;
  const int wake_;
  std::array<Event, kEventsMax> events_{};
};

}  // namespace crawler
