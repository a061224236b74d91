#include "crawler/data/data_lock.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "tests/temp_folder.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class DataLockTest : public testing::Test {
 protected:
  std::unique_ptr<DataLock> Take() const {
    auto lock = DataLock::Take(data_.string());
    EXPECT_TRUE(lock) << lock.error().message;
    return lock ? std::move(*lock) : nullptr;
  }

  const tests::TempFolder folder_;
  const fs::path data_ = folder_ / "data";
};

TEST_F(DataLockTest, IsHeldByOneAtATime) {
  const auto lock = Take();
  EXPECT_TRUE(lock->CheckHeld());
  EXPECT_FALSE(DataLock::Take(data_.string()));
  EXPECT_TRUE(lock->CheckHeld());
}

TEST_F(DataLockTest, IsNotHeldOfADirectoryThatIsGone) {
  const auto lock = Take();
  fs::remove_all(data_);
  const base::Status held = lock->CheckHeld();
  ASSERT_FALSE(held);
  EXPECT_THAT(held.error().message, HasSubstr(data_.string() + " was moved or deleted"));
}

TEST_F(DataLockTest, IsNotHeldOfADirectoryThatTookItsPlace) {
  const auto lock = Take();
  fs::rename(data_, folder_ / "moved");
  const auto other = Take();
  EXPECT_FALSE(lock->CheckHeld());
  EXPECT_TRUE(other->CheckHeld());
}

TEST_F(DataLockTest, IsHeldWhereTheDirectoryIsMovedAndBack) {
  const auto lock = Take();
  fs::rename(data_, folder_ / "moved");
  fs::rename(folder_ / "moved", data_);
  EXPECT_TRUE(lock->CheckHeld());
}

}  // namespace
}  // namespace crawler
