// docs/formats.md against the program: what logs and summaries hold stands there.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "crawler/data/data_format.h"
#include "crawler/data/other_log.h"
#include "crawler/data/page_log.h"
#include "crawler/data/skip_log.h"
#include "crawler/page/disposition.h"
#include "crawler/report/progress.h"
#include "tests/read_file.h"

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

}  // namespace
}  // namespace crawler
