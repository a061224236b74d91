#include "crawler/crawl/crawl.h"

#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "contentseen/digest.h"
#include "crawler/crawl/crawl_state.h"
#include "crawler/crawl/restore_documents.h"
#include "crawler/crawl/seeds.h"
#include "crawler/crawl/start_threads.h"
#include "crawler/crawl/store_tally.h"
#include "crawler/version.h"

namespace crawler {
namespace {

frontier::FrontierOptions FrontierOptionsOf(const Options& options, std::uint64_t hash_key) {
  frontier::FrontierOptions made = options.frontier;
  made.hash_key = hash_key;
  made.queue_bytes_max = MemoryBudget(options.crawl.memory_mb).First().queues;
  const std::string reader =
      options.parser.product_token + " " + std::to_string(options.frontier.delay_max.count());
  made.robots_reader = contentseen::Sha256(reader).Key().high;
  return made;
}

std::uint32_t Processors() { return std::max(1U, std::thread::hardware_concurrency()); }

std::uint32_t FetchThreads(const CrawlOptions& options) {
  return options.fetch_threads > 0 ? options.fetch_threads : std::max(1U, Processors() / 4);
}

std::uint32_t ProcessThreads(const CrawlOptions& options) {
  return options.process_threads > 0 ? options.process_threads : std::min(Processors(), 256U);
}

// For threads of a crawl: who is woken waits for its turn. Where a fetching and a working thread
// share a core each would else stop the other for every single page, and find its caches cold.
// Nothing but time is lost where the system does not know it.
void RunInBatches() {
  const sched_param none{};
  static_cast<void>(::sched_setscheduler(0, SCHED_BATCH, &none));
}

// From so many on it pays to make room for them at once. (Fewer tell the index nothing of how many
// there will be.)
constexpr std::uint64_t kManyDocuments = 1'000'000;

std::optional<base::Time> EndOfRun(const CrawlOptions& options, base::Time began) {
  if (options.time_max.count() == 0) return std::nullopt;
  return began + options.time_max;
}

// What an earlier crawl has seen, as far as an image of it is there; else an empty ContentSeen:
// `empty`, where there was no earlier one.
base::Result<SeenImage> WhatWasSeen(const Options& options, const store::Store& store,
                                    const std::optional<CrawlSnapshot>& earlier,
                                    std::unique_ptr<contentseen::ContentSeen> empty) {
  if (earlier) empty.reset();  // or there would be address space for two of them
  auto image = LoadSeen(options.contentseen, options.crawl.data, store);
  if (!image || image->seen != nullptr) return image;
  if (empty != nullptr) {
    image->seen = std::move(empty);
    return image;
  }
  contentseen::ContentSeenOptions roomy = options.contentseen;
  const std::uint64_t documents = earlier ? earlier->seen.documents : 0;
  // With room for them from the beginning, so that nothing grows while they come back.
  if (documents > kManyDocuments) {
    roomy.documents_expected = std::max(roomy.documents_expected,
                                        std::min(documents, contentseen::kDocumentsExpectedMax));
  }
  auto seen = contentseen::ContentSeen::Create(roomy);
  if (!seen) return base::Fail(seen.error().message);
  image->seen = std::move(*seen);
  return image;
}

tl::unexpected<base::Error> CannotGoOn(const Options& options, const base::Error& why) {
  return base::Fail(options.crawl.data + " cannot be continued: " + why.message);
}

// Seeds that are scheduled in one commit, at most: what is not committed waits in memory.
constexpr std::size_t kSeedsAtOnce = 1'000;

// What the archive says of the crawl in each of its files.
WarcFields WarcinfoOf(const Options& options) {
  WarcFields about = {
      {"software", std::string("contentseen/") + kVersion},
      {"format", "WARC File Format 1.1"},
      {"conformsTo",
       "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
      {"robots", "obey"},
      {"http-header-user-agent", options.fetch.user_agent}};
  if (!options.fetch.contact_url.empty())
    about.emplace_back("operator", options.fetch.contact_url);
  return about;
}

std::filesystem::path WarcFolder(const Options& options) {
  return std::filesystem::path(options.crawl.data) / kWarcFolder;
}

base::Result<std::unique_ptr<CrawlArchive>> OpenArchive(const Options& options,
                                                        const store::Store& store,
                                                        const base::Clock& clock) {
  WarcWriterOptions files;
  files.directory = WarcFolder(options);
  files.about = WarcinfoOf(options);
  return CrawlArchive::Open(std::move(files), options.output, options.journal.durability, store,
                            clock);
}

// For a run that writes no WARC files: gives the one that a killed run was writing its name and
// index, or nobody would.
base::Status FinishArchive(const Options& options, const store::Store& store,
                           const base::Clock& clock) {
  if (!HasUnfinishedWarcFile(WarcFolder(options))) return {};
  auto archive = OpenArchive(options, store, clock);
  if (!archive) return base::Fail(archive.error().message);
  return (*archive)->Close();
}

}  // namespace

base::Result<std::unique_ptr<Crawl>> Crawl::Create(const Options& options,
                                                   const base::Clock& clock,
                                                   const MakeFetcher& make_fetcher,
                                                   Earlier earlier,
                                                   const DataDirectory::OpenStore& open_store) {
  auto scope = frontier::Scope::Make(options.scope);
  if (!scope) return base::Fail(scope.error().message);
  // Before anything is written: a lexicon may be missing.
  auto empty = contentseen::ContentSeen::Create(options.contentseen);
  if (!empty) return base::Fail(empty.error().message);
  std::vector<std::unique_ptr<Fetcher>> fetchers;
  for (std::uint32_t i = 0; i < FetchThreads(options.crawl); ++i) {
    auto fetcher = make_fetcher();
    if (!fetcher) return base::Fail(fetcher.error().message);
    fetchers.push_back(std::move(*fetcher));
  }
  auto data = DataDirectory::Open(
      options.crawl.data, {.earlier = earlier,
                           .log_part_bytes_max = options.crawl.log_part_bytes_max,
                           .memory_bytes = MemoryBudget(options.crawl.memory_mb).First().store,
                           .open_store = open_store});
  if (!data) return base::Fail(data.error().message);
  // None where a crawl begins, or one died before its first commit.
  auto at = ReadSnapshot((*data)->store());
  if (!at) return base::Fail(at.error().message);
  if (*at) {
    if (auto fits = FitsMemory(**at, options); !fits) return CannotGoOn(options, fits.error());
  }
  auto settings = KeepSettings(options, (*data)->store());
  if (!settings) return base::Fail(settings.error().message);
  auto seen = WhatWasSeen(options, (*data)->store(), *at, std::move(*empty));
  if (!seen) return base::Fail(seen.error().message);
  if (!seen->complaint.empty()) settings->notes.push_back(seen->complaint);
  auto suspects = Suspects::Open(std::filesystem::path(options.crawl.data) / kWorkingName,
                                 ProcessThreads(options.crawl), (*data)->store());
  if (!suspects) return base::Fail(suspects.error().message);
  std::unique_ptr<CrawlArchive> archive;
  if (options.output.warc) {
    auto opened = OpenArchive(options, (*data)->store(), clock);
    if (!opened) return base::Fail(opened.error().message);
    archive = std::move(*opened);
  } else if (auto finished = FinishArchive(options, (*data)->store(), clock); !finished) {
    settings->notes.push_back("The WARC files of an earlier run stay unfinished: " +
                              finished.error().message);
  }
  std::unique_ptr<Crawl> crawl(new Crawl(
      options, clock, std::move(*scope), std::move(*seen), std::move(*data), std::move(*settings),
      std::move(*suspects), std::move(archive), std::move(fetchers)));
  if (*at) {
    auto restored = crawl->Restore(**at);
    if (!restored) return CannotGoOn(options, restored.error());
  }
  return crawl;
}

Crawl::Crawl(const Options& options, const base::Clock& clock,
             std::unique_ptr<frontier::Scope> scope, SeenImage seen,
             std::unique_ptr<DataDirectory> data, CrawlSettings settings,
             std::unique_ptr<Suspects> suspects, std::unique_ptr<CrawlArchive> archive,
             std::vector<std::unique_ptr<Fetcher>> fetchers)
    : options_(options),
      clock_(clock),
      created_(clock.Now()),
      scope_(std::move(scope)),
      seen_(std::move(seen.seen)),
      image_last_(seen.last),
      last_taken_(seen.last_taken),
      data_(std::move(data)),
      settings_(std::move(settings)),
      memory_(options.crawl.memory_mb),
      suspects_(std::move(suspects)),
      journal_(options_.journal, data_->store(), data_->TakeLogs(), clock),
      log_(journal_, data_->store(), options_.contentseen.k, options_.texts, clock),
      archive_(std::move(archive)),
      fetchers_(std::move(fetchers)),
      frontier_(FrontierOptionsOf(options_, settings_.hash_key), *scope_, clock, &data_->store()),
      robots_({options_.parser.product_token, options_.robots,
               options_.pipeline.robots_cache_bytes_max},
              &data_->store()),
      soft_404_(options_.soft_404, settings_.hash_key, options_.contentseen.k),
      pipeline_(options_.pipeline,
                PipelineParts{frontier_, *seen_, robots_, journal_, log_, statistics_, clock_,
                              options_.url, options_.parser, options_.robots, options_.sitemaps,
                              options_.frontier, soft_404_, options_.fetch.body_bytes_max,
                              *suspects_, archive_.get()}),
      source_(pipeline_, clock_, EndOfRun(options_.crawl, created_)) {
  auto wake = [this] {
    for (const auto& fetcher : fetchers_) fetcher->Wake();
  };
  frontier_.SetWakeup(wake);
  pipeline_.SetWakeup(wake);
  journal_.Join(log_);
  journal_.Join(*this);
  journal_.Join(robots_);
  if (archive_) journal_.Join(*archive_);
}

Crawl::~Crawl() = default;

// ---- What outlives the process

// In the place of a directory that is not ours any more another crawl may write.
base::Status Crawl::Flush() {
  base::Status held = data_->CheckHeld();
  pipeline_.FailIfNot(held);
  return held;
}

void Crawl::Save(store::Batch& batch) {
  CrawlSnapshot at = SnapshotWith(frontier_.Save(batch));
  // One that has come to its end needs no more.
  if (at.frontier.queued_open() > 0) pipeline_.FailIfNot(DivideMemory(at));
  // Who reads it finds no lease: what is out waits again.
  at.frontier.queued += at.frontier.pages_out;
  PutSnapshot(at, batch);
}

void Crawl::Saved() { frontier_.Saved(); }

std::size_t Crawl::unsaved_bytes() const { return frontier_.unsaved_bytes(); }

base::Status Crawl::DivideMemory(const CrawlSnapshot& at) {
  const std::optional<MemoryShares> shares = memory_.Divide(at.memory);
  if (!shares) return base::Fail(memory_.Complaint(at.memory));
  frontier_.SetQueueBytesMax(shares->queues);
  data_->store().SetMemory(static_cast<std::size_t>(shares->store));
  return {};
}

base::Status Crawl::Restore(const CrawlSnapshot& earlier) {
  const store::Store& store = data_->store();
  resumes_ = true;
  statistics_.Restore(earlier.statistics);
  elapsed_before_ = earlier.elapsed;
  if (auto restored = soft_404_.Restore(store); !restored) return restored;
  if (auto restored = frontier_.Restore(); !restored) return restored;
  auto last = RestoreDocuments(store, *seen_, image_last_, Processors());
  if (!last) return base::Fail(last.error().message);
  pipeline_.SetNextDocument(std::max(*last, last_taken_) + 1);
  const CrawlSnapshot found = Snapshot();
  if (auto whole = CheckTally(TallyOf(earlier), TallyOf(found)); !whole) return whole;
  return DivideMemory(found);
}

// ---- Running

base::Result<frontier::ScheduleCounts> Crawl::AddSeeds(const std::vector<frontier::Url>& seeds,
                                                       const std::function<bool()>& enough) {
  frontier::ScheduleCounts counts;
  for (std::size_t begin = 0; begin < seeds.size(); begin += kSeedsAtOnce) {
    if (begin > 0) pipeline_.FailIfNot(journal_.CommitIfDue());
    if (begin > 0 && enough && enough()) break;
    counts += ScheduleSeeds(
        std::span(seeds).subspan(begin).first(std::min(kSeedsAtOnce, seeds.size() - begin)));
  }
  if (counts.queued == 0) return counts;
  if (auto committed = journal_.Commit(); !committed) {
    return base::Fail(committed.error().message);
  }
  return counts;
}

frontier::ScheduleCounts Crawl::ScheduleSeeds(std::span<const frontier::Url> seeds) {
  std::vector<frontier::Candidate> candidates;
  candidates.reserve(seeds.size());
  for (const frontier::Url& url : seeds) {
    using Role = frontier::CandidateRole;
    const Role role = IsNamedSitemap(url) ? Role::kSitemap : Role::kPage;
    candidates.push_back({.url = url, .seed = true, .role = role});
  }
  const Journal::Turn turn(journal_);
  const frontier::ScheduleCounts counts = frontier_.Schedule(candidates);
  statistics_.LeftOut(counts);
  return counts;
}

base::Status Crawl::Run() {
  std::vector<std::thread> working =
      StartThreads(ProcessThreads(options_.crawl), [this](std::size_t) {
        RunInBatches();
        pipeline_.Work();
      });
  // Who fetches what nobody works at would wait for ever.
  const std::size_t fetchers = working.empty() ? 0 : fetchers_.size();
  std::vector<std::thread> fetching = StartThreads(fetchers, [this](std::size_t i) {
    RunInBatches();
    fetchers_[i]->Run(source_);
  });
  if (fetching.empty())
    pipeline_.FailIfNot(base::Fail("the system starts no thread for the crawl"));
  for (std::thread& thread : fetching) thread.join();
  pipeline_.Close();
  for (std::thread& thread : working) thread.join();
  for (std::string& note : pipeline_.notes()) settings_.notes.push_back(std::move(note));
  {
    const Journal::Turn turn(journal_);  // how it ended is kept, also where no page did
  }
  base::Status committed = journal_.Commit();
  if (committed && archive_) committed = archive_->Close();
  if (committed) SaveImage();
  base::Status status = pipeline_.status();
  return status ? committed : status;
}

void Crawl::SaveImage() {
  const contentseen::DocumentId last = pipeline_.next_document() - 1;
  if (last == image_last_) return;  // the image that is there says it all
  if (auto saved = SaveSeen(*seen_, last, options_.crawl.data, data_->store()); !saved) {
    settings_.notes.push_back(saved.error().message +
                              "; the next run reads what was seen from the store instead");
  }
}

void Crawl::Stop() { pipeline_.Stop(); }

void Crawl::StopNow() {
  pipeline_.StopNow();
  for (const auto& fetcher : fetchers_) fetcher->Stop();
}

CrawlSnapshot Crawl::Snapshot() const { return SnapshotWith(frontier_.Stats()); }

CrawlSnapshot Crawl::SnapshotWith(const frontier::FrontierStats& frontier) const {
  CrawlSnapshot snapshot;
  snapshot.statistics = statistics_.Snapshot();
  snapshot.frontier = frontier;
  snapshot.seen = seen_->counts();
  snapshot.in_flight = pipeline_.in_flight();
  snapshot.waiting = pipeline_.waiting();
  snapshot.elapsed = elapsed_before_ + (clock_.Now() - created_);
  if (source_.is_over()) {
    snapshot.time_max_reached = static_cast<std::uint64_t>(options_.crawl.time_max.count());
  }
  snapshot.memory = {.urls_seen = snapshot.frontier.seen_bytes,
                     .hosts = snapshot.frontier.host_bytes,
                     .documents = snapshot.seen.memory_bytes,
                     .archive = archive_ ? archive_->memory_bytes() : 0};
  snapshot.paused = journal_.pause_reason();
  if (snapshot.paused.empty() && snapshot.frontier.outage > base::Duration(0)) {
    snapshot.paused =
        "no host answers, as if this machine had no network; one is asked now and then";
  }
  snapshot.memory_warning = memory_.Warning(snapshot.memory);
  return snapshot;
}

}  // namespace crawler
