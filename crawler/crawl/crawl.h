#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "contentseen/content_seen.h"
#include "crawler/crawl/crawl_snapshot.h"
#include "crawler/crawl/data_directory.h"
#include "crawler/crawl/memory_budget.h"
#include "crawler/crawl/seen_image.h"
#include "crawler/crawl/timed_source.h"
#include "crawler/data/crawl_log.h"
#include "crawler/data/journal.h"
#include "crawler/fetch/fetcher.h"
#include "crawler/pipeline/crawl_archive.h"
#include "crawler/pipeline/pipeline.h"
#include "crawler/pipeline/robots_cache.h"
#include "crawler/pipeline/soft_404.h"
#include "crawler/pipeline/statistics.h"
#include "crawler/pipeline/suspects.h"
#include "crawler/settings/crawl_settings.h"
#include "crawler/settings/options.h"
#include "frontier/frontier.h"
#include "frontier/scope.h"

namespace crawler {

/// A whole crawl: its rooms put together, and the threads that run it. In a data directory that
/// holds an earlier crawl it goes on with that one.
///
///     auto crawl = Crawl::Create(options, clock, CurlFetchers(options, clock));
///     if (!crawl) return Complain(crawl.error());
///     if (auto added = (*crawl)->AddSeeds(seeds.urls); !added) return Complain(added.error());
///     base::Status end = (*crawl)->Run();      // to the end of the frontier
///     Show((*crawl)->Snapshot());
///
/// Thread safety: Run() once, from one thread; Stop(), StopNow() and Snapshot() from any.
/// Ownership: the clock must outlive it.
class Crawl final : private Journal::Part {
 public:
  /// Makes one fetcher; called once for each fetching thread.
  using MakeFetcher = std::function<base::Result<std::unique_ptr<Fetcher>>()>;

  using Earlier = DataDirectory::Earlier;

  /// Fails when an option cannot be used, the data directory cannot be read or written, or an
  /// option that must stay differs from that of the crawl there. `open_store` for tests: see
  /// DataDirectory.
  static base::Result<std::unique_ptr<Crawl>> Create(
      const Options& options, const base::Clock& clock, const MakeFetcher& make_fetcher,
      Earlier earlier = Earlier::kResume, const DataDirectory::OpenStore& open_store = {});
  ~Crawl() override;
  Crawl(const Crawl&) = delete;
  Crawl& operator=(const Crawl&) = delete;

  /// Goes on with an earlier crawl (and not with one that died before it had kept its seeds).
  bool resumes() const { return resumes_; }
  /// What the user should know: of options that differ from those of the crawl's last run, and of
  /// trouble that the crawl is none the worse for. Run() may add to them.
  const std::vector<std::string>& notes() const { return settings_.notes; }

  /// Widens the scope by the seeds and queues those not seen yet, what IsNamedSitemap() as a
  /// sitemap; gives what became of them. Those queued are kept from then on. Asks `enough`, where
  /// one is given, after each thousand of many; the rest is left out once it says so. Fails when
  /// what is queued cannot be written.
  base::Result<frontier::ScheduleCounts> AddSeeds(const std::vector<frontier::Url>& seeds,
                                                  const std::function<bool()>& enough = {});

  /// Crawls until nothing is left, its time is over, or a stop was asked for, with as many threads
  /// as the options say or the system starts. Fails when it starts none, or something that must be
  /// kept could not be written; what was done until then is kept.
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

 private:
  Crawl(const Options& options, const base::Clock& clock, std::unique_ptr<frontier::Scope> scope,
        SeenImage seen, std::unique_ptr<DataDirectory> data, CrawlSettings settings,
        std::unique_ptr<Suspects> suspects, std::unique_ptr<CrawlArchive> archive,
        std::vector<std::unique_ptr<Fetcher>> fetchers);

  base::Status Restore(const CrawlSnapshot& earlier);
  frontier::ScheduleCounts ScheduleSeeds(std::span<const frontier::Url> seeds);
  void SaveImage();
  base::Status Flush() override;
  void Save(store::Batch& batch) override;
  void Saved() override;
  std::size_t unsaved_bytes() const override;
  CrawlSnapshot SnapshotWith(const frontier::FrontierStats& frontier) const;
  /// Gives store and queues what the rest leaves. Fails when that is too little.
  base::Status DivideMemory(const CrawlSnapshot& at);

  // Constant after construction; in the order in which they rest on one another.
  const Options options_;
  const base::Clock& clock_;
  const base::Time created_;
  const std::unique_ptr<frontier::Scope> scope_;
  const std::unique_ptr<contentseen::ContentSeen> seen_;
  // The last document of the image that seen_ came from, if it came from one.
  const contentseen::DocumentId image_last_;
  const contentseen::DocumentId last_taken_;  // see SeenImage
  const std::unique_ptr<DataDirectory> data_;
  CrawlSettings settings_;  // constant but for its notes
  const MemoryBudget memory_;
  const std::unique_ptr<Suspects> suspects_;
  Journal journal_;
  CrawlLog log_;
  const std::unique_ptr<CrawlArchive> archive_;  // null: none is kept
  // Before the frontier and the pipeline, which wake them up to their own end.
  const std::vector<std::unique_ptr<Fetcher>> fetchers_;
  frontier::Frontier frontier_;
  RobotsCache robots_;
  Soft404 soft_404_;
  Statistics statistics_;
  Pipeline pipeline_;
  TimedSource source_;
  // Set before Run().
  bool resumes_ = false;
  std::chrono::duration<double> elapsed_before_{0};
};

}  // namespace crawler
