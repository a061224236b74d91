#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include "crawler/crawl/crawl.h"
#include "tests/crawler/crawl/memory_web.h"
#include "tests/temp_folder.h"

namespace crawler {

/// A deterministic text of `words` words; two seeds give texts that share hardly a shingle.
inline std::string Prose(unsigned seed, int words) {
  std::mt19937 random(seed * 7919 + 1);
  static const char* const kSyllables[] = {"ka",  "lo",  "mi", "ter", "ran", "sul", "ve",  "on",
                                           "dra", "pel", "gu", "sti", "nor", "ba",  "ech", "wy"};
  std::string text;
  for (int i = 0; i < words; ++i) {
    if (i > 0) text += ' ';
    int syllables = 1 + static_cast<int>(random() % 3);
    for (int s = 0; s < syllables; ++s) text += kSyllables[random() % 16];
  }
  return text;
}

/// Runs whole crawls over a web in memory, in a data directory of its own.
class CrawlTest : public ::testing::Test {
 protected:
  CrawlTest() : web_(clock_) {
    options_.crawl.data = data_.string();
    options_.crawl.fetch_threads = 1;
    options_.crawl.process_threads = 2;
    options_.scope.reach = frontier::ScopeReach::kAny;
    options_.soft_404.probe = false;  // tests count requests
  }
  base::Result<std::unique_ptr<Crawl>> Create(Crawl::Earlier earlier = Crawl::Earlier::kResume) {
    auto make_fetcher = [this]() -> base::Result<std::unique_ptr<Fetcher>> {
      return std::make_unique<MemoryFetcher>(web_);
    };
    return Crawl::Create(options_, clock_, make_fetcher, earlier, open_store_);
  }

  /// Crawls from `seeds` to the end.
  CrawlSnapshot Run(const std::vector<std::string>& seeds) {
    auto crawl = Create();
    EXPECT_TRUE(crawl) << crawl.error().message;
    std::vector<frontier::Url> urls;
    for (const std::string& seed : seeds) urls.push_back(*frontier::Url::Parse(seed));
    EXPECT_TRUE((*crawl)->AddSeeds(urls));
    base::Status status = (*crawl)->Run();
    EXPECT_TRUE(status) << status.error().message;
    return (*crawl)->Snapshot();
  }

  /// The lines of a log in the data directory.
  std::vector<nlohmann::json> Log(const std::string& name) const {
    std::vector<nlohmann::json> lines;
    std::ifstream file(data_ / name);
    for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }
  std::set<std::string> Urls(const std::string& log) const {
    std::set<std::string> urls;
    for (const auto& line : Log(log)) urls.insert(line.at("url").get<std::string>());
    return urls;
  }

  static std::string Html(const std::string& text, const std::vector<std::string>& links = {}) {
    std::string html = "<html><head><title>" + text.substr(0, 12) + "</title></head><body><p>";
    html += text + "</p>";
    for (const std::string& link : links) html += "<a href=\"" + link + "\"></a>";
    return html + "</body></html>";
  }

  base::FakeClock clock_;
  MemoryWeb web_;
  const tests::TempFolder folder_;
  const std::filesystem::path data_ = folder_ / "data";
  Options options_;
  DataDirectory::OpenStore open_store_;  // empty: the real one
};

}  // namespace crawler
