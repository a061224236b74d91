#include "crawler/data/journal.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "store/memory_store.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

// Larger than any block that the allocator keeps to itself.
constexpr std::size_t kLarge = std::size_t{64} << 20;

// Taken from the system and not given back; 0 under a sanitizer.
std::size_t BytesHeld() {
  const struct mallinfo2 held = ::mallinfo2();
  return held.uordblks + held.hblkhd;
}

class JournalTest : public testing::Test {
 protected:
  JournalTest() {
    LogFiles logs;
    for (std::size_t i = 0; i < kLogs; ++i) {
      auto log = LogFile::Open(folder_ / Name(static_cast<Log>(i)), {}, 1 << 30);
      CHECK(log.has_value());
      logs[i] = std::move(*log);
    }
    journal_.emplace(JournalOptions{}, store_, std::move(logs), clock_);
  }

  // What is held more after a commit of so many bytes.
  std::ptrdiff_t HeldAfterCommitOf(std::size_t bytes) {
    const std::size_t before = BytesHeld();
    {
      const std::string line(bytes, 'x');
      const Journal::Turn turn(*journal_);
      journal_->Add(Log::kOther, line);
    }
    EXPECT_TRUE(journal_->Commit());
    return static_cast<std::ptrdiff_t>(BytesHeld() - before);
  }

 private:
  const tests::TempFolder folder_;
  const base::FakeClock clock_;
  store::MemoryStore store_;
  std::optional<Journal> journal_;
};

TEST_F(JournalTest, ACommitThatWasLargeLeavesNoMemoryTaken) {
  EXPECT_LT(HeldAfterCommitOf(kLarge), static_cast<std::ptrdiff_t>(kLarge / 2));
}

// Those that are due by their size are a little larger than what makes them due: fresh memory for
// each would cost more than the copying.
TEST_F(JournalTest, ACommitOfTheUsualSizeLeavesItsMemoryToTheNext) {
  constexpr std::size_t kUsual = std::size_t{5} << 20;
  if (BytesHeld() == 0) GTEST_SKIP() << "under a sanitizer the allocator does not tell";
  EXPECT_GE(HeldAfterCommitOf(kUsual), static_cast<std::ptrdiff_t>(kUsual));
  // That of two serves by turns.
  EXPECT_GE(HeldAfterCommitOf(kUsual), static_cast<std::ptrdiff_t>(kUsual) - 4096);
  EXPECT_LT(HeldAfterCommitOf(kUsual), 4096);
}

}  // namespace
}  // namespace crawler
