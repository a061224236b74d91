#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "frontier/frontier.h"

namespace frontier {

inline Url U(std::string_view text) { return Url::Parse(text).value(); }

/// A frontier on a fake clock whose scope is the web.
class FrontierTest : public testing::Test {
 protected:
  explicit FrontierTest(ScopeOptions scope = {.reach = ScopeReach::kAny})
      : scope_(Scope::Make(std::move(scope)).value()) {
    options_.jitter_percent = 0;
  }

  Frontier& frontier() {
    if (frontier_ == nullptr) frontier_ = std::make_unique<Frontier>(options_, *scope_, clock_);
    return *frontier_;
  }

  ScheduleCounts Schedule(const std::vector<std::string>& texts) {
    std::vector<Candidate> candidates;
    candidates.reserve(texts.size());
    for (const std::string& text : texts) candidates.push_back(Candidate{.url = U(text)});
    return frontier().Schedule(candidates);
  }

  /// The lease that must come now.
  Lease Take() {
    Acquired next = frontier().Acquire();
    CHECK(std::holds_alternative<Lease>(next));
    return std::get<Lease>(std::move(next));
  }
  /// The next page, after whatever wait it takes; robots leases are ended as known at once.
  /// Nothing when Acquire says neither a lease nor a time.
  std::optional<Lease> NextPage() {
    while (true) {
      Acquired next = frontier().Acquire();
      if (const auto* wait = std::get_if<WaitUntil>(&next)) {
        clock_.AdvanceTo(wait->when);
      } else if (!std::holds_alternative<Lease>(next)) {
        return std::nullopt;
      } else if (std::get<Lease>(next).kind() != Lease::Kind::kRobots) {
        return std::get<Lease>(std::move(next));
      } else {
        frontier().EndRobots(std::get<Lease>(std::move(next)), Ending{}, RobotsKnown{});
      }
    }
  }
  Lease TakePage() { return NextPage().value(); }
  std::string TakePageAndEnd(const Ending& ending = {}) {
    Lease lease = TakePage();
    std::string text = lease.url().text();
    frontier().End(std::move(lease), ending);
    return text;
  }
  /// Crawls until the end; the URLs in the order leased.
  std::vector<std::string> CrawlAll() {
    std::vector<std::string> order;
    while (std::optional<Lease> page = NextPage()) {
      order.push_back(page->url().text());
      frontier().End(std::move(*page), Ending{});
    }
    return order;
  }
  /// Answers for robots.txt of `hosts` hosts that are due.
  void AnswerRobots(int hosts) {
    for (int i = 0; i < hosts; ++i) frontier().EndRobots(Take(), Ending{}, RobotsKnown{});
  }

  /// How long Acquire says to wait.
  base::Duration Wait() {
    Acquired next = frontier().Acquire();
    CHECK(std::holds_alternative<WaitUntil>(next));
    return std::get<WaitUntil>(next).when - clock_.Now();
  }
  bool MustWaitForChange() { return std::holds_alternative<WaitForChange>(frontier().Acquire()); }
  bool HasFinished() { return std::holds_alternative<Finished>(frontier().Acquire()); }

  std::uint64_t Over(const ScheduleCounts& counts, ScheduleLimit limit) {
    return counts.over_limit[static_cast<std::size_t>(limit)];
  }

  FrontierOptions options_;
  base::FakeClock clock_;
  std::unique_ptr<Scope> scope_;
  std::unique_ptr<Frontier> frontier_;
};

}  // namespace frontier
