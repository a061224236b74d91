// The frontier against a model that is simple enough to be believed: random operations, and after
// each the model says what could have been answered.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "frontier/frontier.h"

namespace frontier {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

enum class State { kWaiting, kBackOff, kLeased, kDone };

struct ModelUrl {
  State state = State::kWaiting;
  std::uint64_t order = 0;  // of acceptance
  std::uint32_t attempt = 0;
  bool ahead = false;  // given back or retried: overtakes those that wait
  base::Time back_off_until{};
};

struct ModelOrigin {
  enum class Robots { kUnknown, kLeased, kKnown, kUnreachable } robots = Robots::kUnknown;
  base::Time robots_until{};
  bool first_page = false;  // none was leased since the robots.txt was known
  base::Duration crawl_delay{0};
  std::uint32_t robots_failures = 0;
  std::map<std::string, ModelUrl> urls;

  /// Back-offs that are over make their URLs wait.
  bool HasWaiting(base::Time now) const {
    return std::any_of(urls.begin(), urls.end(), [now](const auto& entry) {
      const ModelUrl& url = entry.second;
      return url.state == State::kWaiting ||
             (url.state == State::kBackOff && url.back_off_until <= now);
    });
  }
  std::optional<base::Time> Opens(base::Time now) const {
    if (!HasWaiting(now) || robots == Robots::kLeased) return std::nullopt;
    return robots == Robots::kUnreachable ? robots_until : base::Time::min();
  }
};

struct ModelHost {
  std::map<std::string, ModelOrigin> origins;
  base::Time rest_until = base::Time::min();
  std::uint32_t leased = 0;

  base::Duration CrawlDelay() const {
    base::Duration longest{0};
    for (const auto& [name, origin] : origins) longest = std::max(longest, origin.crawl_delay);
    return longest;
  }
  std::uint32_t Connections(const FrontierOptions& options) const {
    return CrawlDelay() > seconds(0) ? 1 : options.connections_per_host;
  }
};

class ModelTest : public testing::TestWithParam<unsigned> {
 protected:
  ModelTest()
      : random_(GetParam()),
        scope_(Scope::Make({.reach = ScopeReach::kAny}).value()),
        frontier_(MakeOptions(), *scope_, clock_) {}

  FrontierOptions MakeOptions() {
    options_.connections_per_host = 1 + Draw(3);
    options_.delay = milliseconds(Draw(3) * 700);
    options_.pages_max = Draw(4) == 0 ? 10 + Draw(20) : 1'000'000;
    options_.queued_max = Draw(4) == 0 ? 15 : 1'000'000;
    options_.retry_delay = seconds(5);
    options_.retry_delay_max = seconds(15);
    options_.jitter_percent = 0;
    options_.hash_key = GetParam();
    return options_;
  }

  unsigned Draw(unsigned below) { return static_cast<unsigned>(random_() % below); }

  ModelHost& HostOf(const Url& url) { return hosts_[std::string(url.host())]; }
  ModelOrigin& OriginOf(const Url& url) { return HostOf(url).origins[std::string(url.origin())]; }

  void Schedule() {
    std::string text = Draw(3) == 0 ? "https://" : "http://";
    text += "host" + std::to_string(Draw(4)) + (Draw(6) == 0 ? ":81/" : "/") +
            std::to_string(Draw(12));
    Candidate candidate{.url = Url::Parse(text).value(), .depth = Draw(3)};
    ScheduleCounts counts = frontier_.Schedule({&candidate, 1});
    auto& urls = OriginOf(candidate.url).urls;
    if (!urls.contains(text) && waiting_ >= options_.queued_max) {
      EXPECT_EQ(counts.over_limit[static_cast<std::size_t>(ScheduleLimit::kQueued)], 1U);
      return;
    }
    auto [entry, added] = urls.try_emplace(text);
    EXPECT_EQ(counts.queued, added ? 1U : 0U) << text;
    EXPECT_EQ(counts.seen, added ? 0U : 1U) << text;
    if (!added) return;
    entry->second.order = ++orders_;
    ++waiting_;
  }

  /// The earliest time at which the frontier has something to do; nothing if it has to be told.
  std::optional<base::Time> Earliest() const {
    std::optional<base::Time> first;
    auto offer = [&first](base::Time when) {
      if (!first || when < *first) first = when;
    };
    const base::Time now = clock_.Now();
    for (const auto& [name, host] : hosts_) {
      for (const auto& [origin_name, origin] : host.origins) {
        for (const auto& [text, url] : origin.urls) {
          bool ahead = url.state == State::kBackOff && url.back_off_until > now;
          if (ahead) offer(url.back_off_until);
        }
        std::optional<base::Time> opens = origin.Opens(now);
        if (!opens || host.leased >= host.Connections(options_)) continue;
        offer(std::max(*opens, host.rest_until));
      }
    }
    return first;
  }

  void Acquire() {
    const base::Time now = clock_.Now();
    const bool spent = pages_ >= options_.pages_max;
    std::optional<base::Time> earliest = Earliest();
    Acquired next = frontier_.Acquire();
    if (auto* lease = std::get_if<Lease>(&next)) {
      ASSERT_FALSE(spent);
      ASSERT_TRUE(earliest && *earliest <= now);
      if (lease->kind() == Lease::Kind::kPage) {
        CheckPage(*lease);
      } else {
        CheckRobots(*lease);
      }
      ++HostOf(lease->url()).leased;
      leases_.push_back(std::move(*lease));
    } else if (const auto* wait = std::get_if<WaitUntil>(&next)) {
      ASSERT_FALSE(spent);
      ASSERT_TRUE(earliest.has_value());
      ASSERT_EQ(wait->when, *earliest);
      ASSERT_GT(wait->when, now);
    } else if (std::holds_alternative<WaitForChange>(next)) {
      ASSERT_FALSE(leases_.empty());
      ASSERT_TRUE(spent || !earliest);
    } else {
      ASSERT_TRUE(leases_.empty());
      ASSERT_TRUE(spent || waiting_ == 0);
    }
  }

  void CheckPolite(const Url& url) {
    ASSERT_LT(HostOf(url).leased, HostOf(url).Connections(options_));
    ASSERT_LE(HostOf(url).rest_until, clock_.Now());
  }

  void CheckPage(const Lease& lease) {
    CheckPolite(lease.url());
    const base::Time now = clock_.Now();
    ModelOrigin& origin = OriginOf(lease.url());
    ASSERT_EQ(origin.robots, ModelOrigin::Robots::kKnown);
    ASSERT_TRUE(origin.first_page || origin.robots_until > now);
    if (origin.robots_until <= now) origin.robots_until = now + minutes(1);
    origin.first_page = false;
    ASSERT_TRUE(origin.urls.contains(lease.url().text())) << lease.url().text();
    ModelUrl& url = origin.urls.at(lease.url().text());
    if (url.state == State::kBackOff && url.back_off_until <= now) url.state = State::kWaiting;
    ASSERT_EQ(url.state, State::kWaiting) << lease.url().text();
    ASSERT_EQ(lease.candidate().attempt, url.attempt);
    for (const auto& [text, other] : origin.urls) {
      if (other.state != State::kWaiting || &other == &url || url.ahead) continue;
      ASSERT_TRUE(!other.ahead && url.order < other.order) << text << " should come first";
    }
    url.state = State::kLeased;
    --waiting_;
    ++pages_;
  }

  void CheckRobots(const Lease& lease) {
    CheckPolite(lease.url());
    const base::Time now = clock_.Now();
    ModelOrigin& origin = OriginOf(lease.url());
    ASSERT_EQ(lease.url().path(), "/robots.txt");
    ASSERT_TRUE(origin.HasWaiting(now));
    ASSERT_NE(origin.robots, ModelOrigin::Robots::kLeased);
    bool old = origin.robots_until <= now && !origin.first_page;
    ASSERT_TRUE(origin.robots == ModelOrigin::Robots::kUnknown || old);
    ASSERT_EQ(lease.candidate().attempt, origin.robots_failures);
    origin.robots = ModelOrigin::Robots::kLeased;
  }

  Lease TakeLease() {
    std::swap(leases_[Draw(static_cast<unsigned>(leases_.size()))], leases_.back());
    Lease lease = std::move(leases_.back());
    leases_.pop_back();
    --HostOf(lease.url()).leased;
    return lease;
  }

  void Rest(const Url& url, const Ending& ending) {
    ModelHost& host = HostOf(url);
    const base::Duration delay = std::max<base::Duration>(options_.delay, host.CrawlDelay());
    base::Time now = clock_.Now();
    if (ending.requested) host.rest_until = std::max(host.rest_until, now + delay);
    if (ending.park.count() > 0) host.rest_until = std::max(host.rest_until, now + ending.park);
  }

  void Drop() {
    Lease lease = TakeLease();
    ModelOrigin& origin = OriginOf(lease.url());
    if (lease.kind() == Lease::Kind::kRobots) {
      origin.robots = ModelOrigin::Robots::kUnknown;
      return;
    }
    ModelUrl& url = origin.urls.at(lease.url().text());
    url.state = State::kWaiting;
    url.ahead = true;
    ++waiting_;
    --pages_;
  }

  void End() {
    Lease lease = TakeLease();
    Ending ending{.requested = Draw(4) != 0, .park = Draw(6) == 0 ? seconds(9) : seconds(0)};
    Url url = lease.url();
    ModelOrigin& origin = OriginOf(url);
    if (lease.kind() == Lease::Kind::kRobots) {
      EndRobots(std::move(lease), ending, origin);
    } else {
      EndPage(std::move(lease), ending, origin.urls.at(url.text()));
    }
    Rest(url, ending);
  }

  void EndRobots(Lease lease, const Ending& ending, ModelOrigin& origin) {
    if (Draw(4) == 0) {
      frontier_.EndRobots(std::move(lease), ending, RobotsUnreachable{.retry_in = seconds(20)});
      origin.robots = ModelOrigin::Robots::kUnreachable;
      origin.first_page = false;
      origin.robots_until = clock_.Now() + seconds(20);
      ++origin.robots_failures;
      return;
    }
    RobotsKnown known{.valid_for = minutes(10)};
    if (Draw(3) == 0) known.crawl_delay = seconds(3);
    frontier_.EndRobots(std::move(lease), ending, known);
    origin.robots = ModelOrigin::Robots::kKnown;
    origin.robots_until = clock_.Now() + minutes(10);
    origin.first_page = true;
    origin.robots_failures = 0;
    origin.crawl_delay = known.crawl_delay.value_or(seconds(0));
  }

  void EndPage(Lease lease, Ending ending, ModelUrl& url) {
    ending.retry = Draw(4) == 0;
    frontier_.End(std::move(lease), ending);
    url.state = State::kDone;
    if (ending.retry || !ending.requested) --pages_;
    if (!ending.retry) return;
    url.state = State::kBackOff;
    url.ahead = true;
    url.back_off_until = clock_.Now() + std::min(seconds(5 << url.attempt), seconds(15));
    ++url.attempt;
    ++waiting_;
  }

  void Step() {
    switch (Draw(8)) {
      case 0:
      case 1:
        return Schedule();
      case 2:
      case 3:
      case 4:
        return Acquire();
      case 5:
      case 6:
        return leases_.empty() ? Acquire() : Draw(8) == 0 ? Drop() : End();
      default:
        clock_.Advance(milliseconds(Draw(Draw(10) == 0 ? 900'000 : 900)));
    }
  }

  /// Crawls what is left; what was accepted must come out, whatever was done before.
  void Finish() {
    for (int guard = 0; guard < 100'000; ++guard) {
      Acquire();
      if (HasFatalFailure()) return;
      if (!leases_.empty()) {
        End();
      } else if (pages_ >= options_.pages_max || waiting_ == 0) {
        break;
      } else {
        clock_.Advance(seconds(1));
      }
    }
    ASSERT_TRUE(std::holds_alternative<Finished>(frontier_.Acquire()));
    if (pages_ >= options_.pages_max) return;
    for (const auto& [name, host] : hosts_) {
      for (const auto& [origin_name, origin] : host.origins) {
        for (const auto& [text, url] : origin.urls) EXPECT_EQ(url.state, State::kDone) << text;
      }
    }
  }

  std::mt19937_64 random_;
  FrontierOptions options_;
  base::FakeClock clock_;
  std::unique_ptr<Scope> scope_;
  Frontier frontier_;
  std::vector<Lease> leases_;
  std::map<std::string, ModelHost> hosts_;
  std::uint64_t orders_ = 0;
  std::uint64_t waiting_ = 0;  // back-offs included
  std::uint64_t pages_ = 0;
};

TEST_P(ModelTest, RandomOperationsAgree) {
  for (int i = 0; i < 1500; ++i) {
    Step();
    if (HasFatalFailure()) return;
    FrontierStats stats = frontier_.Stats();
    ASSERT_EQ(stats.queued, waiting_);
    ASSERT_EQ(stats.pages, pages_);
    ASSERT_EQ(stats.leased, leases_.size());
  }
  Finish();
  EXPECT_GT(orders_, 10U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ModelTest, testing::Range(1U, 61U));

}  // namespace
}  // namespace frontier
