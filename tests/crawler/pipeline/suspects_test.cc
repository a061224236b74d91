#include "crawler/pipeline/suspects.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "store/memory_store.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

const std::string kBad = "http://a.test/bad";

class SuspectsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Suspects> Open(std::size_t slots = 2) {
    auto suspects = Suspects::Open(folder_ / kWorkingName, slots, store_);
    if (!suspects) ADD_FAILURE() << suspects.error().message;
    return suspects ? std::move(*suspects) : nullptr;
  }
  // As a process leaves the file that is killed while a thread works at the page.
  void DieAt(const std::string& url, std::size_t slot = 0) { Open()->Begin(slot, url); }
  /// A process of two threads, of which that at `url` does `fault`.
  void FaultAt(const std::string& url, const std::string& beside,
               const std::function<void()>& fault);

  tests::TempFolder folder_;
  store::MemoryStore store_;
};

/// Of what is sent to the process a thread takes what it does not block.
void Mask(int how) {
  sigset_t abort;
  sigemptyset(&abort);
  sigaddset(&abort, SIGABRT);
  pthread_sigmask(how, &abort, nullptr);
}

void SuspectsTest::FaultAt(const std::string& url, const std::string& beside,
                           const std::function<void()>& fault) {
  auto suspects = Open();
  const pid_t child = fork();  // no thread of ours runs yet
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit no_core{};
    setrlimit(RLIMIT_CORE, &no_core);
    close(STDERR_FILENO);  // a sanitizer's report is no news here
    Mask(SIG_BLOCK);       // but for who takes it: the thread at `url`
    std::thread([&] {
      suspects->Begin(0, beside);
      std::thread([&] {
        suspects->Begin(1, url);
        Mask(SIG_UNBLOCK);
        fault();
      }).join();
    }).join();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "it did not die";
}

/// Recursion without end, which no compiler makes a loop of.
int Deeper(int depth) {
  volatile char frame[4'096];
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : Deeper(depth + 1) + frame[0];
}

TEST_F(SuspectsTest, WhatTheProcessIsKilledAtTenTimesInARowIsDeadly) {
  for (unsigned deaths = 0; deaths < Suspects::kKillsMax; ++deaths) {
    EXPECT_FALSE(Open()->IsDeadly(kBad)) << "each opening counts a death once";
    DieAt(kBad, deaths % 2);
  }
  EXPECT_TRUE(Open()->IsDeadly(kBad));
  EXPECT_FALSE(Open()->IsDeadly("http://a.test/good"));
}

TEST_F(SuspectsTest, AFaultIsThatOfItsThreadAloneAndThreeAreDeadly) {
  for (unsigned deaths = 0; deaths < Suspects::kFaultsMax; ++deaths) {
    EXPECT_FALSE(Open()->IsDeadly(kBad));
    FaultAt(kBad, "http://a.test/good", [] { std::abort(); });
  }
  EXPECT_TRUE(Open()->IsDeadly(kBad));
  for (unsigned deaths = 0; deaths + 1 < Suspects::kKillsMax; ++deaths)
    DieAt("http://a.test/good");
  EXPECT_FALSE(Open()->IsDeadly("http://a.test/good")) << "it was only there";
}

TEST_F(SuspectsTest, AnOverflownStackIsAFault) {
  for (unsigned deaths = 0; deaths < Suspects::kFaultsMax; ++deaths) {
    FaultAt(kBad, "http://a.test/good", [] { Deeper(1); });
  }
  EXPECT_TRUE(Open()->IsDeadly(kBad));
}

TEST_F(SuspectsTest, ASignalFromAnotherProcessIsNoFault) {
  const pid_t parent = getpid();
  for (unsigned deaths = 0; deaths < Suspects::kFaultsMax; ++deaths) {
    FaultAt(kBad, "http://a.test/good", [parent] {
      const pid_t child = getpid();
      const pid_t other = fork();
      if (other == 0) _exit(kill(child, SIGABRT));
      while (getpid() != parent) pause();
    });
  }
  EXPECT_FALSE(Open()->IsDeadly(kBad));
}

TEST_F(SuspectsTest, WhatCameToAnEndIsNotCounted) {
  for (unsigned deaths = 0; deaths < Suspects::kKillsMax; ++deaths) {
    auto suspects = Open();
    suspects->Begin(0, kBad);
    suspects->Begin(1, "http://a.test/good");
    suspects->End(1);
    suspects->Begin(1, "http://a.test/other");
    suspects->End(1);
    suspects->End(0);
  }
  EXPECT_FALSE(Open()->IsDeadly(kBad));
  EXPECT_FALSE(Open()->IsDeadly("http://a.test/good"));
}

TEST_F(SuspectsTest, AGoodEndClearsTheDeathsBeforeEvenIfNothingIsCommittedAfterIt) {
  for (unsigned deaths = 0; deaths < 3 * Suspects::kKillsMax; ++deaths) {
    if (deaths % (Suspects::kKillsMax - 1) == 0) {
      auto suspects = Open();
      suspects->Begin(0, kBad);
      suspects->End(0);
    }
    DieAt(kBad);
    ASSERT_FALSE(Open()->IsDeadly(kBad)) << deaths;
  }
}

TEST_F(SuspectsTest, WhatWasGivenUpBeginsAnew) {
  for (unsigned deaths = 0; deaths < Suspects::kKillsMax; ++deaths) DieAt(kBad);
  EXPECT_TRUE(Open()->IsDeadly(kBad));
  store::Batch batch;
  Suspects::Forget(kBad, batch);
  ASSERT_TRUE(store_.Write(batch, store::Durability::kProcess));
  EXPECT_FALSE(Open()->IsDeadly(kBad));
  DieAt(kBad);
  EXPECT_FALSE(Open()->IsDeadly(kBad));
}

TEST_F(SuspectsTest, ThreadsOfAnEarlierProcessAreNotForgotten) {
  for (unsigned deaths = 0; deaths < Suspects::kKillsMax; ++deaths) Open(8)->Begin(7, kBad);
  EXPECT_TRUE(Open(1)->IsDeadly(kBad));
}

TEST_F(SuspectsTest, AUrlTooLongIsNotNotedAndAlmostTooLongIs) {
  const std::string fits = "http://a.test/" + std::string(4'088 - 14, 'x');
  for (unsigned deaths = 0; deaths < Suspects::kKillsMax; ++deaths) {
    DieAt(fits);
    DieAt(fits + "x", 1);
  }
  EXPECT_TRUE(Open()->IsDeadly(fits));
  EXPECT_FALSE(Open()->IsDeadly(fits + "x"));
}

TEST_F(SuspectsTest, AFileOfOtherBytesAndAFolderThatIsNoneAreTold) {
  tests::WriteFile(folder_ / kWorkingName, std::string(10'000, '\xff'));
  EXPECT_TRUE(Open()) << "lengths that cannot be are nothing";
  auto nowhere = Suspects::Open(folder_ / "none/working", 1, store_);
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message.find("none/working"), std::string::npos);
}

}  // namespace
}  // namespace crawler
