// docs/formats.md against the program: what logs and summaries hold stands there.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "crawler/crawl/crawl_state.h"
#include "crawler/crawl/data_directory.h"
#include "crawler/data/data_format.h"
#include "crawler/data/other_log.h"
#include "crawler/data/page_log.h"
#include "crawler/data/skip_log.h"
#include "crawler/page/disposition.h"
#include "crawler/report/progress.h"
#include "tests/crawler/run_program.h"
#include "tests/read_file.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

std::string Formats() {
  return tests::ReadFile(std::filesystem::path(CONTENTSEEN_SOURCE) / "docs/formats.md");
}

void ExpectKeys(const std::string& object) {
  const std::string formats = Formats();
  const nlohmann::json parsed = nlohmann::json::parse(object);
  EXPECT_FALSE(parsed.empty());
  for (const auto& [key, value] : parsed.items()) {
    EXPECT_NE(formats.find('`' + key + '`'), std::string::npos) << key;
  }
}

TEST(FormatsDocument, HasEveryDisposition) {
  const std::string formats = Formats();
  for (std::size_t i = 0; i < kDispositions; ++i) {
    const auto disposition = static_cast<Disposition>(i);
    std::string row = "\n| `";
    row.append(Name(disposition)).append("` | ").append(Name(GroupOf(disposition)));
    row.append(" | ").append(Describe(disposition)).append(" |\n");
    EXPECT_NE(formats.find(row), std::string::npos) << row;
  }
}

TEST(FormatsDocument, HasEveryFieldOfTheLogs) {
  ExpectKeys(LogLine(PageRecord()));
  ExpectKeys(LogLine(SkipRecord()));
  ExpectKeys(LogLine(OtherRecord()));
}

TEST(FormatsDocument, IsOfThisVersion) {
  EXPECT_NE(Formats().find("Format version **" + std::string(kFormatVersion) + "**"),
            std::string::npos);
}

TEST(FormatsDocument, HasEveryKeyOfTheSummary) { ExpectKeys(SummaryJson({})); }

TEST(FormatsDocument, HasEveryStateAndWhatStatusAdds) {
  const tests::TempFolder folder;
  const std::string data = (folder / "data").string();
  const std::string formats = Formats();
  const std::size_t row = formats.find("\n| `state` |");
  ASSERT_NE(row, std::string::npos);
  const std::string states = formats.substr(row, formats.find('\n', row + 1) - row);
  const auto expect_told = [&](const std::string& state) {
    const std::string status = tests::RunProgram({"status", "--json", "--data", data}).out;
    ExpectKeys(status);
    EXPECT_EQ(nlohmann::json::parse(status)["state"], state);
    EXPECT_NE(states.find('`' + state + '`'), std::string::npos) << state;
  };
  {
    const auto crawled = DataDirectory::Open(data, {});
    ASSERT_TRUE(crawled) << crawled.error().message;
    expect_told("running");
  }
  expect_told("not begun");
  for (const std::string state : {"ended", "stopped"}) {
    CrawlSnapshot at;
    if (state == "stopped") at.frontier.queued = 1;
    {
      const auto crawled = DataDirectory::Open(data, {});
      ASSERT_TRUE(crawled) << crawled.error().message;
      store::Batch batch;
      PutSnapshot(at, batch);
      ASSERT_TRUE((*crawled)->store().Write(batch, store::Durability::kProcess));
    }
    expect_told(state);
  }
}

}  // namespace
}  // namespace crawler
