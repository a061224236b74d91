#include "crawler/pipeline/suspects.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

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

  tests::TempFolder folder_;
  store::MemoryStore store_;
};

TEST_F(SuspectsTest, WhatTheProcessDiesAtThreeTimesIsDeadly) {
  for (unsigned deaths = 0; deaths < Suspects::kDeathsMax; ++deaths) {
    EXPECT_EQ(Open()->IsSuspect(kBad), deaths > 0);
    EXPECT_FALSE(Open()->IsDeadly(kBad)) << "each opening counts a death once";
    DieAt(kBad, deaths % 2);
  }
  EXPECT_TRUE(Open()->IsDeadly(kBad));
  EXPECT_FALSE(Open()->IsSuspect("http://a.test/good"));
}

TEST_F(SuspectsTest, WhatCameToAnEndIsNotSuspected) {
  {
    auto suspects = Open();
    suspects->Begin(0, kBad);
    suspects->Begin(1, "http://a.test/good");
    suspects->End(1);
    suspects->Begin(1, "http://a.test/other");
    suspects->End(1);
    suspects->End(0);
  }
  EXPECT_FALSE(Open()->IsSuspect(kBad));
  EXPECT_FALSE(Open()->IsSuspect("http://a.test/good"));
}

TEST_F(SuspectsTest, AGoodEndClearsTheDeathsBefore) {
  DieAt(kBad);
  DieAt(kBad);
  EXPECT_TRUE(Open()->IsSuspect(kBad));
  store::Batch batch;
  Suspects::Clear(kBad, batch);
  ASSERT_TRUE(store_.Write(batch, store::Durability::kProcess));
  EXPECT_FALSE(Open()->IsSuspect(kBad));
  DieAt(kBad);
  EXPECT_FALSE(Open()->IsDeadly(kBad));
}

TEST_F(SuspectsTest, ThreadsOfAnEarlierProcessAreNotForgotten) {
  Open(8)->Begin(7, kBad);
  EXPECT_TRUE(Open(1)->IsSuspect(kBad));
}

TEST_F(SuspectsTest, AUrlTooLongIsNotNotedAndAlmostTooLongIs) {
  const std::string fits = "http://a.test/" + std::string(4'092 - 14, 'x');
  DieAt(fits);
  DieAt(fits + "x", 1);
  EXPECT_TRUE(Open()->IsSuspect(fits));
  EXPECT_FALSE(Open()->IsSuspect(fits + "x"));
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
