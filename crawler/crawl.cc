#include "crawler/crawl.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

namespace crawler {
namespace {

// Against URLs made to collide in the hash tables (nobody outside can know the key).
frontier::FrontierOptions WithRandomKey(frontier::FrontierOptions options) {
  std::random_device random;
  options.hash_key = (std::uint64_t{random()} << 32) | random();
  return options;
}

std::uint32_t Processors() { return std::max(1U, std::thread::hardware_concurrency()); }

std::uint32_t FetchThreads(const CrawlOptions& options) {
  return options.fetch_threads > 0 ? options.fetch_threads : std::max(1U, Processors() / 4);
}

std::uint32_t ProcessThreads(const CrawlOptions& options) {
  return options.process_threads > 0 ? options.process_threads : Processors();
}

}  // namespace

base::Result<std::unique_ptr<Crawl>> Crawl::Create(const Options& options,
                                                   const base::Clock& clock,
                                                   const MakeFetcher& make_fetcher,
                                                   CrawlLog::Earlier earlier) {
  auto scope = frontier::Scope::Make(options.scope);
  if (!scope) return base::Fail(scope.error().message);
  auto seen = contentseen::ContentSeen::Create(options.contentseen);
  if (!seen) return base::Fail(seen.error().message);
  std::vector<std::unique_ptr<Fetcher>> fetchers;
  for (std::uint32_t i = 0; i < FetchThreads(options.crawl); ++i) {
    auto fetcher = make_fetcher();
    if (!fetcher) return base::Fail(fetcher.error().message);
    fetchers.push_back(std::move(*fetcher));
  }
  auto log =
      CrawlLog::Open(options.crawl.data, options.contentseen.k, options.texts, clock, earlier);
  if (!log) return base::Fail(log.error().message);
  return std::unique_ptr<Crawl>(new Crawl(options, clock, std::move(*scope), std::move(*seen),
                                          std::move(*log), std::move(fetchers)));
}

Crawl::Crawl(const Options& options, const base::Clock& clock,
             std::unique_ptr<frontier::Scope> scope,
             std::unique_ptr<contentseen::ContentSeen> seen, std::unique_ptr<CrawlLog> log,
             std::vector<std::unique_ptr<Fetcher>> fetchers)
    : options_(options),
      clock_(clock),
      created_(clock.Now()),
      scope_(std::move(scope)),
      seen_(std::move(seen)),
      log_(std::move(log)),
      fetchers_(std::move(fetchers)),
      frontier_(WithRandomKey(options_.frontier), *scope_, clock),
      robots_(options_.parser.product_token, options_.pipeline.robots_cache_bytes_max),
      pipeline_(options_.pipeline,
                PipelineParts{frontier_, *seen_, robots_, *log_, statistics_, clock_, options_.url,
                              options_.parser, options_.robots}) {
  auto wake = [this] {
    for (const auto& fetcher : fetchers_) fetcher->Wake();
  };
  frontier_.SetWakeup(wake);
  pipeline_.SetWakeup(wake);
}

Crawl::~Crawl() = default;

frontier::ScheduleCounts Crawl::AddSeeds(const std::vector<frontier::Url>& seeds) {
  std::vector<frontier::Candidate> candidates;
  candidates.reserve(seeds.size());
  for (const frontier::Url& url : seeds) candidates.push_back({.url = url, .seed = true});
  return frontier_.Schedule(candidates);
}

base::Status Crawl::Run() {
  std::vector<std::thread> fetching;
  std::vector<std::thread> working;
  for (std::uint32_t i = 0; i < ProcessThreads(options_.crawl); ++i) {
    working.emplace_back([this] { pipeline_.Work(); });
  }
  for (const auto& fetcher : fetchers_) {
    fetching.emplace_back([this, &fetcher] { fetcher->Run(pipeline_); });
  }
  for (std::thread& thread : fetching) thread.join();
  pipeline_.Close();
  for (std::thread& thread : working) thread.join();
  return pipeline_.status();
}

void Crawl::Stop() { pipeline_.Stop(); }

void Crawl::StopNow() {
  pipeline_.StopNow();
  for (const auto& fetcher : fetchers_) fetcher->Stop();
}

CrawlSnapshot Crawl::Snapshot() const {
  CrawlSnapshot snapshot;
  snapshot.statistics = statistics_.Snapshot();
  snapshot.frontier = frontier_.Stats();
  snapshot.seen = seen_->counts();
  snapshot.in_flight = pipeline_.in_flight();
  snapshot.waiting = pipeline_.waiting();
  snapshot.elapsed = clock_.Now() - created_;
  return snapshot;
}

}  // namespace crawler
