#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "crawler/fetch/fetcher.h"

namespace crawler {

/// A web in memory: what each URL answers, and who asked for what and when.
///
///     MemoryWeb web(clock);
///     web.Page("http://a.test/", "<a href=b>to b</a>");
///     web.Robots("http://a.test", "User-agent: *\nDisallow: /private");
///
/// What is not there answers 404, robots.txt included. Thread safety: all methods.
class MemoryWeb {
 public:
  using Answer = std::function<FetchResponse(int nth)>;  // nth: 1 for the first request
  struct Request {
    std::string url;
    base::Time when;
  };

  explicit MemoryWeb(base::FakeClock& clock) : clock_(clock) {}

  static FetchResponse Html(std::string body) {
    FetchResponse response;
    response.status = 200;
    response.headers = {{"content-type", "text/html; charset=utf-8"}};
    response.wire_bytes = body.size();
    response.body = std::move(body);
    return response;
  }
  static FetchResponse Status(int status,
                              std::vector<std::pair<std::string, std::string>> headers = {}) {
    FetchResponse response;
    response.status = status;
    response.headers = std::move(headers);
    return response;
  }
  static FetchResponse Failure(FetchError error) {
    FetchResponse response;
    response.error = error;
    response.error_detail = std::string(Name(error));
    return response;
  }

  void Page(const std::string& url, std::string body) { Set(url, Html(std::move(body))); }
  void Robots(const std::string& origin, std::string text) {
    FetchResponse response = Html(std::move(text));
    response.headers = {{"content-type", "text/plain"}};
    Set(origin + "/robots.txt", std::move(response));
  }
  void Set(const std::string& url, FetchResponse response) {
    SetAnswer(url, [response](int) { return response; });
  }
  void SetAnswer(const std::string& url, Answer answer) {
    std::lock_guard lock(mutex_);
    answers_[url] = std::move(answer);
  }

  /// What answers for every URL that begins so and was not set, robots.txt included.
  void Otherwise(const std::string& prefix,
                 std::function<FetchResponse(const std::string& url)> answer) {
    std::lock_guard lock(mutex_);
    otherwise_[prefix] = std::move(answer);
  }

  FetchResponse Fetch(const std::string& url) {
    std::lock_guard lock(mutex_);
    requests_.push_back({url, clock_.Now()});
    int nth = ++counts_[url];
    auto found = answers_.find(url);
    FetchResponse response = found == answers_.end() ? OtherAnswer(url) : found->second(nth);
    response.started = clock_.Now();
    return response;
  }

  std::vector<Request> requests() const {
    std::lock_guard lock(mutex_);
    return requests_;
  }
  int CountOf(const std::string& url) const {
    std::lock_guard lock(mutex_);
    auto found = counts_.find(url);
    return found == counts_.end() ? 0 : found->second;
  }
  base::FakeClock& clock() { return clock_; }

 private:
  FetchResponse OtherAnswer(const std::string& url) {
    for (auto& [prefix, answer] : otherwise_) {
      if (url.starts_with(prefix)) return answer(url);
    }
    return Status(404);
  }

  base::FakeClock& clock_;
  mutable std::mutex mutex_;
  std::map<std::string, Answer> answers_;
  std::map<std::string, std::function<FetchResponse(const std::string&)>> otherwise_;
  std::map<std::string, int> counts_;
  std::vector<Request> requests_;
};

/// Fetches from a MemoryWeb. Where a real fetcher would wait for a time, it moves the fake clock
/// there: a crawl with an hour of politeness runs in milliseconds.
class MemoryFetcher final : public Fetcher {
 public:
  explicit MemoryFetcher(MemoryWeb& web) : web_(web) {}

  void Run(FetchSource& source) override {
    for (;;) {
      int seen = Wakes();
      FetchSource::Next next = source.NextFetch();
      if (auto* request = std::get_if<FetchRequest>(&next)) {
        FetchResponse response = web_.Fetch(request->url);
        if (response.body.size() > request->body_bytes_max.value_or(response.body.size())) {
          response.body.resize(*request->body_bytes_max);
          response.body_cut = true;
        }
        source.Fetched(std::move(*request), std::move(response));
      } else if (auto* wait = std::get_if<FetchSource::WaitUntil>(&next)) {
        web_.clock().AdvanceTo(wait->when);
      } else if (std::holds_alternative<FetchSource::WaitForWake>(next)) {
        std::unique_lock lock(mutex_);
        woken_.wait(lock, [&] { return wakes_ != seen; });
      } else {
        return;
      }
    }
  }
  void Wake() override {
    std::lock_guard lock(mutex_);
    ++wakes_;
    woken_.notify_all();
  }
  void Stop() override { Wake(); }

 private:
  int Wakes() {
    std::lock_guard lock(mutex_);
    return wakes_;
  }

  MemoryWeb& web_;
  std::mutex mutex_;
  std::condition_variable woken_;
  int wakes_ = 0;
};

}  // namespace crawler
