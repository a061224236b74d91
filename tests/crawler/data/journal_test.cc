#include "crawler/data/journal.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <string>

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

TEST(Journal, ACommitThatWasLargeLeavesNoMemoryTaken) {
  const tests::TempFolder folder;
  const base::FakeClock clock;
  store::MemoryStore store;
  LogFiles logs;
  for (std::size_t i = 0; i < kLogs; ++i) {
    auto log = LogFile::Open(folder / Name(static_cast<Log>(i)), {}, 1 << 30);
    ASSERT_TRUE(log) << log.error().message;
    logs[i] = std::move(*log);
  }
  Journal journal({}, store, std::move(logs), clock);
  const std::size_t before = BytesHeld();
  {
    const std::string line(kLarge, 'x');
    const Journal::Turn turn(journal);
    journal.Add(Log::kOther, line);
  }
  ASSERT_TRUE(journal.Commit());
  EXPECT_LT(BytesHeld(), before + kLarge / 2);
}

}  // namespace
}  // namespace crawler
