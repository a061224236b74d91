#include "crawler/command/pager.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "tests/temp_folder.h"

namespace crawler {
namespace {

/// A terminal of ten lines; what is written to it can be read.
class PagerTest : public testing::Test {
 protected:
  PagerTest() : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_GE(master_, 0);
    EXPECT_EQ(::grantpt(master_), 0);
    EXPECT_EQ(::unlockpt(master_), 0);
    slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    EXPECT_GE(slave_, 0);
    termios settings{};
    ::tcgetattr(slave_, &settings);
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);  // newlines stay as they are
    ::tcsetattr(slave_, TCSANOW, &settings);
    winsize size{};
    size.ws_row = 10;
    size.ws_col = 80;
    ::ioctl(slave_, TIOCSWINSZ, &size);
  }
  ~PagerTest() override {
    ::close(slave_);
    ::close(master_);
    ::unsetenv("PAGER");
  }

  /// What the terminal shows once `text` was paged by `pager`.
  std::string Shown(const char* pager, const std::string& text) {
    ::setenv("PAGER", pager, 1);
    Output out(slave_);
    WritePaged(out, text);
    EXPECT_EQ(::write(slave_, "$", 1), 1);
    std::string shown;
    for (char c = 0; ::read(master_, &c, 1) == 1 && c != '$';) shown += c;
    return shown;
  }

  static std::string Lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "line\n";
    return text;
  }

  const int master_;
  int slave_ = -1;
  tests::TempFolder folder_;
};

TEST_F(PagerTest, ALongTextGoesThroughThePager) {
  EXPECT_EQ(Shown("sed s/line/paged/", Lines(10)).substr(0, 6), "paged\n");
  EXPECT_EQ(Shown("sed s/line/paged/", Lines(9)), Lines(9)) << "it fits";
}

TEST_F(PagerTest, NoPagerIsWanted) {
  EXPECT_EQ(Shown("", Lines(12)), Lines(12));
  EXPECT_EQ(Shown("cat", Lines(12)), Lines(12));
}

TEST_F(PagerTest, APagerThatIsNotThereLosesNothing) {
  const std::string shown = Shown("no-such-program 2>/dev/null", Lines(12));
  EXPECT_EQ(shown, Lines(12));
}

TEST_F(PagerTest, APagerThatIsQuitEarlyEndsQuietly) {
  EXPECT_EQ(Shown("true", Lines(100'000)), "");
}

TEST_F(PagerTest, WithoutATerminalThereIsNone) {
  ::setenv("PAGER", "sed s/line/paged/", 1);
  std::string text;
  Output string(&text, 80);
  WritePaged(string, Lines(50));
  EXPECT_EQ(text, Lines(50));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  Output pipe(ends[1]);
  WritePaged(pipe, Lines(20));
  char read[200];
  EXPECT_EQ(::read(ends[0], read, sizeof read), 100);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace crawler
