#include "base/descriptor.h"

#include <fcntl.h>

#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "base/system_failure.h"

namespace base {
namespace {

bool IsOpen(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

Descriptor Null() { return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

TEST(DescriptorTest, ClosesWithItsScope) {
  int fd = -1;
  {
    const Descriptor file = Null();
    ASSERT_TRUE(file.ok());
    fd = file.get();
    EXPECT_TRUE(IsOpen(fd));
  }
  EXPECT_FALSE(IsOpen(fd));
}

TEST(DescriptorTest, IsClosedOnceWhereverItWasMoved) {
  std::optional<Descriptor> first(Null());
  const int fd = first->get();
  Descriptor second(std::move(*first));
  first.reset();
  EXPECT_TRUE(IsOpen(fd));
  second = Null();  // what it held goes with what was assigned
  EXPECT_FALSE(IsOpen(fd));
  EXPECT_TRUE(IsOpen(second.get()));
}

TEST(DescriptorTest, HoldsNoneWhereOpeningFailed) {
  const Descriptor none(::open("/dev/null/none", O_RDONLY | O_CLOEXEC));
  const Status failed = SystemFailure("/dev/null/none", "cannot be opened");
  EXPECT_FALSE(none.ok());
  EXPECT_EQ(failed.error().message, "/dev/null/none: cannot be opened: Not a directory");
  const Status other = SystemFailure("x", "cannot be used", ENOSPC);
  EXPECT_EQ(other.error().message, "x: cannot be used: No space left on device");
}

}  // namespace
}  // namespace base
