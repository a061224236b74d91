#include "crawler/fetch/event_poll.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

namespace crawler {
namespace {

using std::chrono::nanoseconds;

class EventPollTest : public ::testing::Test {
 protected:
  EventPollTest() {
    auto poll = EventPoll::Create();
    EXPECT_TRUE(poll.has_value());
    poll_ = std::move(*poll);
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0);
  }
  ~EventPollTest() override {
    close(ends_[0]);
    close(ends_[1]);
  }

  std::unique_ptr<EventPoll> poll_;
  std::array<int, 2> ends_{};
};

TEST_F(EventPollTest, TellsWhatIsReady) {
  poll_->Watch(ends_[0], {.readable = true});
  EXPECT_TRUE(poll_->Wait(nanoseconds(0)).events.empty());
  ASSERT_EQ(write(ends_[1], "x", 1), 1);
  const auto woken = poll_->Wait(std::nullopt);
  ASSERT_EQ(woken.events.size(), 1u);
  EXPECT_EQ(woken.events[0].socket, ends_[0]);
  EXPECT_TRUE(woken.events[0].readable);
  EXPECT_FALSE(woken.events[0].writable);
  EXPECT_FALSE(woken.by_wake);
}

TEST_F(EventPollTest, WatchAnewAndForget) {
  poll_->Watch(ends_[0], {.readable = true});
  poll_->Watch(ends_[0], {.writable = true});
  auto woken = poll_->Wait(std::nullopt);
  ASSERT_EQ(woken.events.size(), 1u);
  EXPECT_TRUE(woken.events[0].writable);
  poll_->Forget(ends_[0]);
  EXPECT_TRUE(poll_->Wait(nanoseconds(0)).events.empty());
  poll_->Forget(ends_[0]);  // again does no harm
}

TEST_F(EventPollTest, TellsWhatComesOnAnIdleSocketUntilItIsWatchedAgain) {
  poll_->Watch(ends_[0], {.readable = true, .writable = true});
  poll_->WatchIdle(ends_[0]);
  EXPECT_TRUE(poll_->Wait(nanoseconds(0)).events.empty());
  ASSERT_EQ(write(ends_[1], "x", 1), 1);
  auto woken = poll_->Wait(std::nullopt);
  ASSERT_EQ(woken.events.size(), 1u);
  EXPECT_EQ(woken.events[0].socket, ends_[0]);
  EXPECT_TRUE(woken.events[0].idle);
  poll_->Watch(ends_[0], {.readable = true});
  woken = poll_->Wait(std::nullopt);
  ASSERT_EQ(woken.events.size(), 1u);
  EXPECT_FALSE(woken.events[0].idle);
}

// Another socket may have its number by now.
TEST_F(EventPollTest, ASocketThatIsNotWatchedDoesNotBecomeIdle) {
  poll_->WatchIdle(ends_[0]);
  poll_->Watch(ends_[1], {.readable = true});
  const int number = ends_[1];
  close(ends_[1]);
  poll_->WatchIdle(number);
  ASSERT_EQ(dup2(ends_[0], number), number);
  EXPECT_TRUE(poll_->Wait(nanoseconds(0)).events.empty());
}

TEST_F(EventPollTest, SeesThatThePeerIsGone) {
  poll_->Watch(ends_[0], {.readable = true});
  ASSERT_EQ(shutdown(ends_[1], SHUT_RDWR), 0);
  const auto woken = poll_->Wait(std::nullopt);
  ASSERT_EQ(woken.events.size(), 1u);
  EXPECT_TRUE(woken.events[0].failed);
}

TEST_F(EventPollTest, WakeBeforeWaitingIsNotLost) {
  poll_->Wake();
  poll_->Wake();
  EXPECT_TRUE(poll_->Wait(std::nullopt).by_wake);
  EXPECT_FALSE(poll_->Wait(nanoseconds(0)).by_wake);
}

TEST_F(EventPollTest, WakesFromAnotherThread) {
  std::thread other([this] { poll_->Wake(); });
  EXPECT_TRUE(poll_->Wait(std::nullopt).by_wake);
  other.join();
}

TEST_F(EventPollTest, ATimeoutEndsTheWait) {
  const auto woken = poll_->Wait(nanoseconds(1));
  EXPECT_TRUE(woken.events.empty());
  EXPECT_FALSE(woken.by_wake);
}

}  // namespace
}  // namespace crawler
