#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "contentseen/content_seen.h"
#include "crawler/crawl_log.h"
#include "crawler/fetcher.h"
#include "crawler/options.h"
#include "crawler/pipeline.h"
#include "crawler/robots_cache.h"
#include "crawler/statistics.h"
#include "frontier/frontier.h"
#include "frontier/scope.h"

namespace crawler {

/// What a crawl looks like from outside at one moment.
struct CrawlSnapshot {
  StatisticsSnapshot statistics;
  frontier::FrontierStats frontier;
  contentseen::ContentSeen::Counts seen;
  std::size_t in_flight = 0;
  std::size_t waiting = 0;
  std::chrono::duration<double> elapsed{0};
};

/// A whole crawl: its rooms put together, and the threads that run it.
///
///     auto crawl = Crawl::Create(options, clock, CurlFetchers(options.fetch, clock));
///     if (!crawl) return Complain(crawl.error());
///     (*crawl)->AddSeeds(seeds.urls);
///     base::Status end = (*crawl)->Run();      // to the end of the frontier
///     Show((*crawl)->Snapshot());
///
/// Thread safety: Run() once, from one thread; Stop(), StopNow() and Snapshot() from any.
/// Ownership: the clock must outlive it.
class Crawl {
 public:
  /// Makes one fetcher; called once for each fetching thread.
  using MakeFetcher = std::function<base::Result<std::unique_ptr<Fetcher>>()>;

  /// Fails when an option cannot be used or the data directory cannot be written.
  static base::Result<std::unique_ptr<Crawl>> Create(
      const Options& options, const base::Clock& clock, const MakeFetcher& make_fetcher,
      CrawlLog::Earlier earlier = CrawlLog::Earlier::kRefuse);
  ~Crawl();
  Crawl(const Crawl&) = delete;
  Crawl& operator=(const Crawl&) = delete;

  /// Widens the scope by the seeds and queues them; gives what became of them.
  frontier::ScheduleCounts AddSeeds(const std::vector<frontier::Url>& seeds);

  /// Crawls until nothing is left or a stop was asked for. Fails when something that must be kept
  /// could not be written; what was done until then is kept.
  base::Status Run();

  /// Starts no further fetch; what is in flight is finished and judged.
  void Stop();
  /// Also drops what is in flight.
  void StopNow();
  bool stopped() const { return pipeline_.stopping(); }

  CrawlSnapshot Snapshot() const;
  /// The hosts with most pages.
  std::vector<BusiestHosts::Host> Busiest(std::size_t count) const {
    return statistics_.Busiest(count);
  }
  const CrawlLog& log() const { return *log_; }

 private:
  Crawl(const Options& options, const base::Clock& clock, std::unique_ptr<frontier::Scope> scope,
        std::unique_ptr<contentseen::ContentSeen> seen, std::unique_ptr<CrawlLog> log,
        std::vector<std::unique_ptr<Fetcher>> fetchers);

  // Constant after construction; in the order in which they rest on one another.
  const Options options_;
  const base::Clock& clock_;
  const base::Time created_;
  const std::unique_ptr<frontier::Scope> scope_;
  const std::unique_ptr<contentseen::ContentSeen> seen_;
  const std::unique_ptr<CrawlLog> log_;
  // Before the frontier and the pipeline, which wake them up to their own end.
  const std::vector<std::unique_ptr<Fetcher>> fetchers_;
  frontier::Frontier frontier_;
  RobotsCache robots_;
  Statistics statistics_;
  Pipeline pipeline_;
};

}  // namespace crawler
