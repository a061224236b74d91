#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "crawler/command/command_line.h"
#include "crawler/data/other_log.h"
#include "crawler/data/page_log.h"
#include "crawler/data/skip_log.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using testing::HasSubstr;

class ReportCommandTest : public testing::Test {
 protected:
  ReportCommandTest() {
    SkipRecord page;
    page.kind = contentseen::Kind::kNear;
    page.url = "http://a.example/";
    tests::WriteFile(folder_ / kPageLogName, "");
    tests::WriteFile(folder_ / kSkipLogName, LogLine(page));
    tests::WriteFile(folder_ / kOtherLogName, "");
  }
  int Run(std::vector<std::string> words) {
    words.insert(words.begin(), "report");
    out_.clear();
    err_.clear();
    Terminal terminal{Output(&out_), Output(&err_)};
    return RunCommandLine(words, terminal);
  }
  std::string data() const { return folder_.path().string(); }

  tests::TempFolder folder_;
  std::string out_;
  std::string err_;
};

TEST_F(ReportCommandTest, WritesAPage) {
  const std::string file = (folder_ / "report.html").string();
  tests::WriteFile(file, "an earlier report");
  EXPECT_EQ(Run({data(), "-o", file}), kExitOk) << err_;
  EXPECT_THAT(out_, HasSubstr("1 skipped pages listed"));
  EXPECT_THAT(tests::ReadFile(file), HasSubstr("http://a.example/"));
  EXPECT_FALSE(std::filesystem::exists(file + ".part"));
  EXPECT_EQ(Run({data(), "-o", "-"}), kExitOk);
  EXPECT_EQ(out_, tests::ReadFile(file));
}

TEST_F(ReportCommandTest, SaysWhatIsWrong) {
  EXPECT_EQ(Run({data(), "--texts", "much"}), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("--texts"));
  EXPECT_EQ(Run({data(), "--rows", "-1"}), kExitUsage);
  EXPECT_EQ(Run({(folder_ / "none").string(), "-o", "-"}), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("none holds no crawl"));
  EXPECT_EQ(Run({data(), "-o", (folder_ / "no" / "folder.html").string()}), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("cannot be written: No such file or directory"));
}

}  // namespace
}  // namespace crawler
