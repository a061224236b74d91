#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "crawler/fetch/curl_fetcher.h"
#include "crawler/fetch/fetcher.h"

namespace tests {

/// Hands out a list of URLs (ticket = position) and keeps the responses.
class ListSource final : public crawler::FetchSource {
 public:
  explicit ListSource(std::vector<std::string> urls, bool stopping = false)
      : urls_(std::move(urls)), stopping_(stopping) {}

  Next NextFetch() override {
    if (next_ == urls_.size()) return Finished{};
    if (next_ > 0 && between) between();
    const std::size_t ticket = next_++;
    return crawler::FetchRequest{ticket, urls_[ticket]};
  }
  void Fetched(crawler::FetchRequest request, crawler::FetchResponse response) override {
    CHECK(responses.emplace(request.ticket, std::move(response)).second);
  }
  bool stopping() const override { return stopping_; }

  std::map<std::uint64_t, crawler::FetchResponse> responses;
  /// Called before each URL but the first, by the thread that fetches.
  std::function<void()> between;

 private:
  const std::vector<std::string> urls_;
  const bool stopping_;
  std::size_t next_ = 0;
};

/// Options that let tests reach loopback, with limits that no test waits for.
inline crawler::FetcherOptions LoopbackOptions() {
  crawler::FetcherOptions options;
  options.allow_networks = {"127.0.0.0/8", "::1/128"};
  return options;
}

inline std::map<std::uint64_t, crawler::FetchResponse> FetchAll(
    std::vector<std::string> urls, crawler::FetcherOptions options = LoopbackOptions(),
    std::function<void()> between = {}) {
  static const base::SystemClock clock;
  auto fetcher = crawler::CurlFetcher::Create(std::move(options), clock);
  CHECK(fetcher.has_value());
  ListSource source(std::move(urls));
  source.between = std::move(between);
  (*fetcher)->Run(source);
  return std::move(source.responses);
}

inline crawler::FetchResponse FetchOne(const std::string& url,
                                       crawler::FetcherOptions options = LoopbackOptions()) {
  auto responses = FetchAll({url}, std::move(options));
  CHECK(responses.size() == 1);
  return std::move(responses.begin()->second);
}

}  // namespace tests
