// What memory a large frontier takes: schedules made URLs into a frontier with a store on disk,
// commits as a crawl does, and prints a line of figures (tab-separated) now and then.
//
//     frontier_memory URLS HOSTS MEMORY_MB DIRECTORY > run.tsv
//     bench/plot_frontier_memory.py run.tsv > docs/frontier-memory.svg
//
// At the end it opens the store again, as a crawl that goes on does, and says how long that took.
// With 0 for URLS it does only that.

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "frontier/frontier.h"
#include "store/rocks_store.h"

namespace {

constexpr std::uint64_t kLinksAPage = 30;
constexpr std::uint64_t kPagesACommit = 1'000;

struct Arguments {
  std::uint64_t urls;
  std::uint64_t hosts;
  std::uint64_t memory_mb;
  std::string directory;
};

std::uint64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  file >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Links of one page: most within its host.
std::vector<frontier::Candidate> LinksOf(std::uint64_t first, const Arguments& arguments) {
  std::vector<frontier::Candidate> links;
  for (std::uint64_t n = first; n < first + kLinksAPage; ++n) {
    const std::string host = "www.site-" + std::to_string(n * 7919 % arguments.hosts) + ".example";
    frontier::Candidate link{
        .url = frontier::Url::FromCanonical("https://" + host + "/articles/2026/11/" +
                                            std::to_string(n) + "-some-title.html")};
    link.referrer = frontier::Url::FromCanonical("https://" + host + "/articles/2026/11/");
    link.depth = 5;
    links.push_back(std::move(link));
  }
  return links;
}

void Commit(frontier::Frontier& frontier, store::Store& store) {
  store::Batch batch;
  frontier.Save(batch);
  CHECK(store.Write(batch, store::Durability::kProcess));
  frontier.Saved();
}

void Print(const char* what, std::uint64_t urls, const frontier::Frontier& frontier,
           std::chrono::steady_clock::time_point start) {
  const frontier::FrontierStats stats = frontier.Stats();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("%s\t%llu\t%.1f\t%.1f\t%.1f\t%.1f\n", what, static_cast<unsigned long long>(urls),
              static_cast<double>(ResidentBytes()) / 1e6,
              static_cast<double>(stats.seen_bytes) / 1e6,
              static_cast<double>(stats.queue_bytes) / 1e6, elapsed.count());
  std::fflush(stdout);
}

int Run(const Arguments& arguments) {
  const base::SystemClock clock;
  auto scope = frontier::Scope::Make({.reach = frontier::ScopeReach::kAny});
  const std::uint64_t quarter = arguments.memory_mb * 1'000'000 / 4;
  frontier::FrontierOptions options;
  options.hash_key = 1;
  options.queue_bytes_max = quarter;
  const store::RocksStoreOptions store_options{.memory_bytes = quarter};
  std::printf("what\turls\tresident_mb\tseen_mb\tqueue_mb\tseconds\n");
  for (const bool again : {false, true}) {
    const auto start = std::chrono::steady_clock::now();
    auto store = store::OpenRocksStore(arguments.directory, store_options);
    CHECK(scope && store);
    frontier::Frontier frontier(options, **scope, clock, store->get());
    if (!again && arguments.urls == 0) continue;
    if (again) {
      CHECK(frontier.Restore());
      CHECK(frontier.Stats().queued >= arguments.urls);
      Print("restored", frontier.Stats().queued, frontier, start);
      break;
    }
    std::uint64_t pages = 0;
    for (std::uint64_t n = 0; n < arguments.urls; n += kLinksAPage) {
      frontier.Schedule(LinksOf(n, arguments));
      if (++pages % kPagesACommit == 0) Commit(frontier, **store);
      if (pages % (10 * kPagesACommit) == 0) Print("scheduled", n + kLinksAPage, frontier, start);
    }
    Commit(frontier, **store);
    Print("scheduled", arguments.urls, frontier, start);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "frontier_memory URLS HOSTS MEMORY_MB DIRECTORY\n");
    return 2;
  }
  return Run({std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10),
              std::strtoull(argv[3], nullptr, 10), argv[4]});
}
