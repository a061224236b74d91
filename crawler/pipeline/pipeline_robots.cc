// The way of a robots.txt, which is a lease of its own: from its answer to the rules that its
// origin's pages wait for.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "crawler/pipeline/outcome.h"
#include "crawler/pipeline/pipeline.h"
#include "crawler/pipeline/robots_record.h"

namespace crawler {
namespace {

// Origins given up whose reason is told.
constexpr std::size_t kNotesMax = 5;

}  // namespace

void Pipeline::ProcessRobots(Page page) {
  const FetchResponse& response = page.response;
  if (response.error == FetchError::kStopped) return;  // the lease goes back
  parts_.statistics.RobotsFetched();
  if (response.error != FetchError::kNone) {
    RobotsCache::Denial denial{DispositionOf(response.error),
                               "robots.txt: " + response.error_detail};
    return RobotsFailed(std::move(page), std::move(denial), IsPassing(response.error));
  }
  switch (RobotsAnswerOf(response)) {
    case RobotsAnswer::kFile: {
      const std::string file = std::move(page.response.body);
      return EndRobots(std::move(page), file);
    }
    case RobotsAnswer::kElsewhere:
      if (page.candidate().redirects < kRobotsHopsMax) {
        return FollowRobotsRedirect(std::move(page));
      }
      parts_.statistics.Hit(Limit::kRobotsRedirects);
      [[fallthrough]];
    case RobotsAnswer::kNone:
      return EndRobots(std::move(page), {});
    case RobotsAnswer::kLater:
      RobotsCache::Denial denial{Disposition::kRobotsUnreachable,
                                 "robots.txt: HTTP " + std::to_string(response.status)};
      return RobotsFailed(std::move(page), std::move(denial), true);
  }
}

void Pipeline::FollowRobotsRedirect(Page page) {
  std::optional<std::string_view> location = Location(page.response);
  base::Result<frontier::Url> target =
      location ? TargetOf(page.url(), *location, parts_.url_rules) : base::Fail("no Location");
  // A redirect that leads nowhere is as good as no file at all (2.3.1.2, 2.3.1.3). So is one to
  // itself, but where a cookie may make a difference.
  const bool goes_round = target && *target == page.url() && !page.response.Header("set-cookie");
  if (!target || goes_round) return EndRobots(std::move(page), {});
  const frontier::Ending ending = EndingOf(page);
  parts_.frontier.EndRobots(std::move(page.lease), ending,
                            frontier::RobotsElsewhere{std::move(*target)});
}

// An empty file allows everything, as no file does.
void Pipeline::EndRobots(Page page, std::string_view file) {
  const parser::RobotsTxt rules = parser::RobotsTxt::Parse(file, parts_.robots_limits);
  store::Batch batch;
  PutRobots(page.asked().origin(), file, batch);
  parts_.journal.Add(batch);
  frontier::RobotsKnown policy;
  if (auto delay = rules.CrawlDelay(parts_.parse.product_token)) {
    if (*delay > parts_.politeness.delay_max) parts_.statistics.Hit(Limit::kCrawlDelay);
    policy.crawl_delay = *delay;
  }
  if (file.size() > parts_.robots_limits.body_bytes_max)
    parts_.statistics.Hit(Limit::kRobotsBytes);
  parts_.statistics.Hit(Limit::kRobotsMemory, parts_.robots.Know(page.asked().origin(), rules));
  if (auto probe = parts_.soft_404.ProbeOf(page.asked())) Schedule({&*probe, 1});
  if (parts_.sitemaps.use) Schedule(SitemapsOf(rules, page.asked(), parts_.url_rules));
  const frontier::Ending ending = EndingOf(page);
  parts_.frontier.EndRobots(std::move(page.lease), ending, policy);
}

void Pipeline::RobotsFailed(Page page, RobotsCache::Denial denial, bool may_pass) {
  const frontier::Ending answer = EndingOf(page);
  const frontier::OriginPolicy policy =
      AfterFailure(page, std::move(denial), may_pass, answer.park);
  parts_.frontier.EndRobots(std::move(page.lease), answer, policy);
}

frontier::OriginPolicy Pipeline::AfterFailure(const Page& page, RobotsCache::Denial denial,
                                              bool may_pass, base::Duration park) {
  const std::string_view origin = page.asked().origin();
  // Its rules hold on: an hour without them must not cost a host its queue.
  const base::Result<bool> known = parts_.robots.Knows(origin);
  if (!known) {
    FailIfNot(base::Fail(known.error().message));
    return frontier::RobotsUnreachable{};
  }
  if (*known) return frontier::RobotsKept{};
  const std::uint32_t attempt = page.candidate().attempt;
  if (may_pass && (attempt + 1 < options_.robots_attempts_max || IsOfOutage(page))) {
    return frontier::RobotsUnreachable{
        .retry_in = std::max<base::Duration>(options_.robots_retry_delay * (1U << attempt),
                                             std::min(park, parts_.politeness.park_max))};
  }
  if (may_pass) {
    base::MutexLock lock(mutex_);
    if (notes_.size() < kNotesMax) {
      notes_.push_back(std::string(origin) + " was given up (" + denial.why +
                       "): its URLs wait for the next start");
    }
    return frontier::RobotsGivenUp{};
  }
  return GiveUpRobots(origin, std::move(denial));
}

void Pipeline::EndUnaskedRobots(Page page, Disposition why) {
  if (why == Disposition::kDeadly) return EndDeadlyRobots(std::move(page));
  RobotsFailed(std::move(page),
               {why, "robots.txt: the host that it is redirected to was given up"}, true);
}

// One that kills its parser again and again is as good as none that could be had.
void Pipeline::EndDeadlyRobots(Page page) {
  RobotsCache::Denial denial{Disposition::kRobotsUnreachable,
                             "robots.txt: the process died with it again and again"};
  ForgetDeaths(page);
  const frontier::OriginPolicy policy = GiveUpRobots(page.asked().origin(), std::move(denial));
  parts_.frontier.EndRobots(std::move(page.lease), frontier::Ending{.requested = false}, policy);
}

// Its pages come to an end, each with this reason. The next process may be told to ask otherwise.
frontier::OriginPolicy Pipeline::GiveUpRobots(std::string_view origin,
                                              RobotsCache::Denial denial) {
  store::Batch batch;
  PutRobotsGivenUp(origin, denial, batch);
  parts_.journal.Add(batch);
  parts_.robots.GiveUp(origin, std::move(denial));
  return frontier::RobotsKnown{.lasts = false};
}

}  // namespace crawler
