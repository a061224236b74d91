#include "crawler/fetch/event_poll.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "base/check.h"

namespace crawler {
namespace {

std::string NoDescriptor(int error) {
  return std::string("cannot open an event queue: ") + std::strerror(error) +
         "; raise the limit of open files (ulimit -n) or lower the number of threads";
}

int TimeoutMillis(std::optional<std::chrono::nanoseconds> timeout) {
  if (!timeout) return -1;  // epoll's word for "until something happens"
  const auto millis = std::chrono::ceil<std::chrono::milliseconds>(*timeout).count();
  return static_cast<int>(std::clamp<std::int64_t>(millis, 0, std::numeric_limits<int>::max()));
}

// In an event's data, above the socket.
constexpr std::uint64_t kIdle = std::uint64_t{1} << 32;

int SocketOf(const epoll_event& event) {
  return static_cast<int>(event.data.u64 & std::numeric_limits<std::uint32_t>::max());
}

}  // namespace

base::Result<std::unique_ptr<EventPoll>> EventPoll::Create() {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return base::Fail(NoDescriptor(errno));
  const int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) {
    const int error = errno;
    close(epoll);
    return base::Fail(NoDescriptor(error));
  }
  std::unique_ptr<EventPoll> poll(new EventPoll(epoll, wake));
  poll->Watch(wake, {.readable = true});
  return poll;
}

EventPoll::~EventPoll() {
  close(wake_);
  close(epoll_);
}

void EventPoll::Watch(int socket, Interest interest) {
  epoll_event event{};
  event.events = (interest.readable ? EPOLLIN : 0u) | (interest.writable ? EPOLLOUT : 0u);
  event.data.u64 = static_cast<std::uint32_t>(socket);
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, socket, &event) == 0) return;
  CHECK(errno == ENOENT && epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) == 0);
}

void EventPoll::WatchIdle(int socket) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kIdle | static_cast<std::uint32_t>(socket);
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, socket, &event) == 0) return;
  CHECK(errno == ENOENT || errno == EBADF);
}

void EventPoll::Forget(int socket) {
  // A socket already closed is already forgotten.
  if (epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr) == 0) return;
  CHECK(errno == ENOENT || errno == EBADF);
}

EventPoll::Woken EventPoll::Wait(std::optional<std::chrono::nanoseconds> timeout) {
  std::array<epoll_event, kEventsMax> ready;
  const int count = epoll_wait(epoll_, ready.data(), kEventsMax, TimeoutMillis(timeout));
  CHECK(count >= 0 || errno == EINTR);
  Woken woken;
  std::size_t filled = 0;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = ready[static_cast<std::size_t>(i)];
    const int socket = SocketOf(event);
    if (socket == wake_) {
      std::uint64_t times = 0;
      woken.by_wake = read(wake_, &times, sizeof times) == sizeof times;
      continue;
    }
    events_[filled++] = {.socket = socket,
                         .readable = (event.events & EPOLLIN) != 0,
                         .writable = (event.events & EPOLLOUT) != 0,
                         .failed = (event.events & (EPOLLERR | EPOLLHUP)) != 0,
                         .idle = (event.data.u64 & kIdle) != 0};
  }
  woken.events = std::span(events_).first(filled);
  return woken;
}

void EventPoll::Wake() {
  const std::uint64_t once = 1;
  // Fails only when 2^64 wakes are pending, which wake as well.
  CHECK(write(wake_, &once, sizeof once) == sizeof once || errno == EAGAIN);
}

}  // namespace crawler
