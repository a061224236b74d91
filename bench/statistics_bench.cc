// What counting costs a page: the counters of a crawl, from one thread and from many at once.
//
//     statistics_bench
//
// A page is several hundred microseconds of work; see docs/performance.md.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <vector>

#include "crawler/pipeline/statistics.h"

namespace {

using crawler::Disposition;
using crawler::Statistics;

Statistics* shared = nullptr;

/// All that the pipeline counts of one stored page; with no name, without the busiest hosts.
void CountPage(benchmark::State& state) {
  if (state.thread_index() == 0) shared = new Statistics;
  std::vector<std::string> hosts;
  for (int i = 0; i < state.range(0); ++i)
    hosts.push_back("host" + std::to_string(i) + ".example");
  const std::string none;
  const crawler::PageTimes times{.fetch = std::chrono::milliseconds(80),
                                 .parse = std::chrono::microseconds(300),
                                 .check = std::chrono::microseconds(90)};
  std::size_t page = static_cast<std::size_t>(state.thread_index());
  for ([[maybe_unused]] auto unused : state) {
    shared->Received(20'000, 60'000);
    shared->LinksStored(80, 12);
    shared->Ended(Disposition::kStored, hosts.empty() ? none : hosts[++page % hosts.size()],
                  times);
  }
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() == 0) {
    delete shared;
    shared = nullptr;
  }
}
BENCHMARK(CountPage)
    ->ArgName("hosts")
    ->Arg(0)
    ->Arg(100)
    ->Arg(10'000)
    ->ThreadRange(1, 8)
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
