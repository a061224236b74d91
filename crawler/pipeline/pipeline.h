#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "contentseen/content_seen.h"
#include "crawler/data/crawl_log.h"
#include "crawler/data/journal.h"
#include "crawler/fetch/fetcher.h"
#include "crawler/io/bounded_queue.h"
#include "crawler/page/disposition.h"
#include "crawler/page/page.h"
#include "crawler/page/submission.h"
#include "crawler/pipeline/crawl_archive.h"
#include "crawler/pipeline/folder_copies.h"
#include "crawler/pipeline/pipeline_options.h"
#include "crawler/pipeline/robots_cache.h"
#include "crawler/pipeline/sitemap_links.h"
#include "crawler/pipeline/soft_404.h"
#include "crawler/pipeline/statistics.h"
#include "crawler/pipeline/suspects.h"
#include "crawler/pipeline/unkept_texts.h"
#include "frontier/frontier.h"
#include "parser/html_parser.h"

namespace crawler {

/// What a pipeline works with; all of it outlives the pipeline.
struct PipelineParts {
  frontier::Frontier& frontier;
  contentseen::ContentSeen& seen;
  RobotsCache& robots;
  Journal& journal;
  CrawlLog& log;
  Statistics& statistics;
  const base::Clock& clock;
  const frontier::UrlRules& url_rules;
  const parser::ParseOptions& parse;
  const parser::RobotsLimits& robots_limits;
  const SitemapOptions& sitemaps;
  const frontier::FrontierOptions& politeness;
  Soft404& soft_404;
  std::size_t page_bytes_max;       // of a body that is judged
  Suspects& suspects;               // of as many slots as threads are in Work()
  CrawlArchive* archive = nullptr;  // null: nothing is archived
};

/// The way of a page from the frontier to its disposition; drawn at the top of pipeline.cc.
///
///     Pipeline pipeline(options, parts);
///     std::thread fetching([&] { fetcher.Run(pipeline); });     // any number of these
///     std::thread working([&] { pipeline.Work(); });            // and of these
///     fetching.join(), pipeline.Close(), working.join();
///
/// Promises: every page lease ends in exactly one Disposition, counted in `statistics`; a page's
/// links are scheduled before its lease ends; of a duplicate's links only a refresh is, unless it
/// is a seed or options say so; no page is fetched that its origin's robots.txt denies. All that
/// one page changes stands in one commit of the journal, and nothing in it rests on what stands in
/// a later one.
///
/// Thread safety: all methods. Cost: of its own, a few microseconds a page.
class Pipeline final : public FetchSource {
 public:
  Pipeline(const PipelineOptions& options, const PipelineParts& parts);

  /// `wake` makes every fetcher ask NextFetch() again. Set before the first fetcher runs.
  void SetWakeup(std::function<void()> wake) { wake_ = std::move(wake); }

  /// The number of the first page that will be judged: none was judged under it or a larger one.
  /// Set before the first fetcher runs; 1 if never set.
  void SetNextDocument(contentseen::DocumentId id) { next_document_.store(id); }
  contentseen::DocumentId next_document() const { return next_document_.load(); }

  Next NextFetch() override;
  void Fetched(FetchRequest request, FetchResponse response) override;

  /// Judges pages until Close() was called and none is left.
  void Work();
  /// No more pages will be fetched. REQUIRES: all fetchers have returned from Run().
  void Close() { queue_.Close(); }

  /// Hands out no further URL; pages in flight are still judged. The rest stays in the frontier.
  void Stop();
  /// Also gives back the pages that wait to be judged.
  void StopNow();
  /// Stops because of `status`, which status() then is, unless it is good.
  void FailIfNot(const base::Status& status) EXCLUDES(mutex_);
  bool stopping() const override { return stopping_.load(std::memory_order_acquire); }

  /// The first failure; the pipeline has stopped because of it.
  base::Status status() const EXCLUDES(mutex_);

  /// What the user should know: why the first few origins were given up.
  std::vector<std::string> notes() const EXCLUDES(mutex_);
  /// For showing: pages being fetched, and pages waiting to be judged.
  std::size_t in_flight() const EXCLUDES(mutex_);
  std::size_t waiting() const { return queue_.size(); }

 private:
  // What a working thread keeps from page to page.
  struct Workbench {
    Workbench(const parser::ParseOptions& options, std::size_t its_slot)
        : html(options), slot(its_slot) {}
    parser::HtmlParser html;
    const std::size_t slot;  // of the Suspects
    // Held from the first thing that a page changes to its end.
    std::optional<Journal::Turn> turn;
    SubmissionMaker submission;
  };
  // A stage ends the page's way by naming its disposition, or passes it on by naming none.
  using StageResult = std::optional<Disposition>;

  // Before the fetch.
  Next TakeNext();
  bool ReservePlace();
  void ReleasePlace();
  std::optional<Disposition> WhyNotToAsk(Page& page);
  FetchRequest StartFetch(Page page) EXCLUDES(mutex_);

  // After it: the stages in their order.
  void Settle(Page page, Workbench& bench);
  Disposition Process(Page& page, Workbench& bench);
  StageResult LearnRedirect(const Page& page, const frontier::Url& target, Workbench& bench);
  void BeginTurn(Workbench& bench);
  StageResult LookAtResponse(Page& page, Workbench& bench);
  StageResult FollowRedirect(Page& page, Workbench& bench);
  StageResult FollowSitemap(Page& page, Workbench& bench);
  StageResult LookAtContent(Page& page, Workbench& bench);
  StageResult RecogniseBytes(Page& page, Workbench& bench);
  StageResult Parse(Page& page, Workbench& bench);
  StageResult LookForSoft404(Page& page, Workbench& bench);
  StageResult Judge(Page& page, Workbench& bench);
  StageResult FollowLinks(Page& page, Workbench& bench);
  StageResult Keep(Page& page, Workbench& bench);

  void Archive(const Page& page, Disposition disposition);
  Disposition RetryOr(const Page& page, Disposition disposition) const;
  bool IsOfOutage(const Page& page) const;
  StageResult Skip(Page& page, Workbench& bench);
  void FollowThoughSeen(Page& page, Workbench& bench);
  void Follow(Page& page, std::span<const parser::Link> links, Workbench& bench);
  void End(Page page, Disposition disposition);
  void ForgetDeaths(const Page& page);

  /// Schedules, and counts what was left out.
  frontier::ScheduleCounts Schedule(std::span<const frontier::Candidate> candidates);
  frontier::Ending EndingOf(const Page& page) const;

  void ProcessRobots(Page page) EXCLUDES(mutex_);
  void FollowRobotsRedirect(Page page);
  void EndRobots(Page page, std::string_view file);
  void RobotsFailed(Page page, RobotsCache::Denial denial, bool may_pass);
  void EndUnaskedRobots(Page page, Disposition why);
  void EndDeadlyRobots(Page page);
  frontier::OriginPolicy AfterFailure(const Page& page, RobotsCache::Denial denial, bool may_pass,
                                      base::Duration park) EXCLUDES(mutex_);
  frontier::OriginPolicy GiveUpRobots(std::string_view origin, RobotsCache::Denial denial);

  const PipelineOptions options_;
  const PipelineParts parts_;
  std::function<void()> wake_ = [] {};

  BoundedQueue<Page> queue_;
  UnkeptTexts unkept_;
  FolderCopies in_folders_;
  // Relaxed: only its being unique matters.
  std::atomic<std::uint64_t> next_ticket_{1};
  std::atomic<std::uint64_t> next_document_{1};
  std::atomic<std::size_t> next_slot_{0};
  // Release and acquire: who sees it set sees the failure that set it.
  std::atomic<bool> stopping_{false};
  // Relaxed: a page more or less is judged.
  std::atomic<bool> dropping_{false};
  // Sequentially consistent with the queue's mutex: set before a reservation is tried again, so
  // that a place freed in between is either seen or announced.
  std::atomic<bool> wants_room_{false};

  mutable base::Mutex mutex_;
  // Pages whose response is awaited, by ticket.
  std::unordered_map<std::uint64_t, Page> in_flight_ GUARDED_BY(mutex_);
  base::Status status_ GUARDED_BY(mutex_);
  std::vector<std::string> notes_ GUARDED_BY(mutex_);
};

}  // namespace crawler
