// The demo web, crawled over real HTTP: every case that it holds ends as it says.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <nlohmann/json.hpp>
#include "crawler/crawl/crawl.h"
#include "crawler/crawl/curl_fetchers.h"
#include "crawler/crawl/seeds.h"
#include "crawler/demo/demo_web.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

class DemoCrawlTest : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  void CrawlDemoWeb(std::uint32_t threads) {
    auto port = web_.Start("127.0.0.1", 0);
    ASSERT_TRUE(port) << port.error().message;
    Options options;
    options.crawl.data = data_.string();
    options.crawl.process_threads = threads;
    options.scope.reach = frontier::ScopeReach::kAny;
    options.frontier.delay = std::chrono::seconds(0);
    options.frontier.connections_per_host = threads;
    options.fetch.allow_networks = {"127.0.0.0/8", "::1/128"};
    auto crawl = Crawl::Create(options, clock_, CurlFetchers(options, clock_));
    ASSERT_TRUE(crawl) << crawl.error().message;
    std::vector<frontier::Url> seeds;
    for (const std::string& seed : web_.seeds()) seeds.push_back(*frontier::Url::Parse(seed));
    ASSERT_TRUE((*crawl)->AddSeeds(seeds));
    base::Status status = (*crawl)->Run();
    ASSERT_TRUE(status) << status.error().message;
    end_ = (*crawl)->Snapshot();
  }

  // How each URL ended, by the logs: "stored", a kind of duplicate, or a disposition.
  std::map<std::string, std::string> Ends() const {
    std::map<std::string, std::string> ends;
    auto read = [&](const char* log, auto how) {
      std::ifstream file(data_ / log);
      for (std::string line; std::getline(file, line);) {
        nlohmann::json json = nlohmann::json::parse(line);
        EXPECT_TRUE(ends.emplace(json.at("final_url"), how(json)).second) << line;
      }
    };
    read("pages.jsonl", [](const auto&) { return std::string("stored"); });
    read("skipped.jsonl", [](const auto& json) {
      const bool near = json.at("kind") == "near";
      EXPECT_EQ(json.at("evidence") == "", !near) << json;
      EXPECT_EQ(json.at("basis") == "", !near) << json;
      return json.at("kind").template get<std::string>();
    });
    read("other.jsonl",
         [](const auto& json) { return json.at("disposition").template get<std::string>(); });
    return ends;
  }

  base::SystemClock clock_;
  DemoWeb web_;
  const tests::TempFolder folder_;
  const std::filesystem::path data_ = folder_ / "data";
  CrawlSnapshot end_;
};

// Of copies, whichever comes first is stored and the others end as the case says; which one that
// is depends on the order of the threads, so it is not asked.
void ExpectCase(const DemoCase& demo, std::map<std::string, std::string>& ends) {
  SCOPED_TRACE(demo.name);
  bool is_duplicate = GroupOf(demo.expected) == DispositionGroup::kSkipped;
  std::map<std::string, int> counts;
  for (const std::string& url : demo.urls) {
    EXPECT_TRUE(ends.contains(url)) << url << " was never judged";
    ++counts[ends[url]];
  }
  int urls = static_cast<int>(demo.urls.size());
  std::string expected(Name(demo.expected));
  EXPECT_EQ(counts["stored"], is_duplicate ? 1 : demo.expected == Disposition::kStored ? urls : 0);
  EXPECT_EQ(counts[expected], is_duplicate ? urls - 1 : urls);
}

TEST_P(DemoCrawlTest, EveryCaseEndsAsItSays) {
  ASSERT_NO_FATAL_FAILURE(CrawlDemoWeb(GetParam()));
  std::map<std::string, std::string> ends = Ends();
  std::set<std::string> kinds;
  for (const DemoCase& demo : web_.cases()) {
    ExpectCase(demo, ends);
    kinds.insert(std::string(Name(demo.expected)));
    if (demo.expected == Disposition::kRobotsDenied) {
      for (const std::string& url : demo.urls) EXPECT_EQ(web_.RequestsTo(url), 0U) << url;
    }
  }
  EXPECT_TRUE(kinds.contains("near") && kinds.contains("exact-bytes") &&
              kinds.contains("exact-text") && kinds.contains("stored"));
  EXPECT_EQ(end_.statistics.Ended(),
            end_.frontier.pages + end_.statistics.Of(Disposition::kRobotsDenied));
  EXPECT_EQ(end_.statistics.Ended(), ends.size());
}

TEST(DemoSeeds, TheExampleSeedsAreThoseOfTheDemoWeb) {
  auto seeds = ReadSeeds({CONTENTSEEN_EXAMPLES "/seeds.txt"}, {});
  ASSERT_TRUE(seeds) << seeds.error().message;
  std::vector<std::string> urls;
  for (const frontier::Url& url : seeds->urls) urls.push_back(url.text());
  EXPECT_EQ(urls, DemoSite(8090).seeds());
}

INSTANTIATE_TEST_SUITE_P(Threads, DemoCrawlTest, ::testing::Values(1U, 2U, 8U));

}  // namespace
}  // namespace crawler
