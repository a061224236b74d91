// Lookups and inserts of the Hamming index, side by side with FAISS and with what the memory
// gives.
//
//     hamming_index_bench --n=1000000,10000000 [--k=3] [--faiss_n_max=10000000]
//     [--queries=1000000]
//                         [Google Benchmark's own flags, e.g. --benchmark_out=run.json]
//
// Before anything is timed, a sample of queries is compared with a linear scan; a difference ends
// the program with an error. Fingerprints are uniform; "mix": half of the queries are stored ones
// with 1..k bits flipped, half random; "miss": all random. Rates are by CPU time of the thread.
// Each row of lookups also says how many cache lines one asks for, what lines a second and what
// latency the memory gives in a table of that size, and the share of those lines that it reaches.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "contentseen/fingerprint.h"
#include "contentseen/hamming/batch_join.h"
#include "contentseen/hamming/compressed_tables.h"
#include "contentseen/hamming/hamming_index.h"
#include "contentseen/mix.h"
#include "contentseen/reserved_memory.h"

#if defined(CONTENTSEEN_BENCH_FAISS)
#include <faiss/IndexBinaryHash.h>
#include <faiss/impl/AuxIndexStructures.h>
extern "C" void omp_set_num_threads(int);
#endif

namespace contentseen {
namespace {

struct Settings {
  std::vector<std::uint64_t> n = {1'000'000};
  unsigned k = 3;
  std::uint64_t faiss_n_max = 10'000'000;
  std::uint64_t queries = 1'000'000;
};

// Number i of the stored fingerprints.
Fingerprint Stored(std::uint64_t i) { return Mix64(i + 0x9e3779b97f4a7c15); }

enum class Queries { kMix, kMiss };

std::vector<Fingerprint> MakeQueries(const Settings& settings, std::uint64_t n, Queries kind) {
  std::vector<Fingerprint> queries(settings.queries);
  std::uint64_t state = 777;
  auto next = [&] { return Mix64(~++state * 0xd6e8feb86659fd93); };
  for (Fingerprint& query : queries) {
    query = next();
    if (kind == Queries::kMiss || settings.k == 0 || next() % 2 == 0) continue;
    auto flips = static_cast<int>(1 + next() % settings.k);
    Fingerprint mask = 0;
    while (std::popcount(mask) < flips) mask |= Fingerprint{1} << next() % 64;
    query = Stored(next() % n) ^ mask;
  }
  return queries;
}

// Calls read(i) for 2 M of i; nanoseconds each.
template <class Read>
double Nanoseconds(Read read) {
  constexpr std::uint64_t kReads = std::uint64_t{1} << 21;
  auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < kReads; ++i) read(i);
  std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  return taken.count() / static_cast<double>(kReads);
}

// What the memory gives one core, in a table as large as an index of n fingerprints: larger ones
// are slower, for addresses have to be translated. Measured before and after what is compared with
// it, since it varies with what the machine's neighbours do; but of more than 2 GB, which would
// leave no room for the index, once at the beginning.
class Memory {
 public:
  explicit Memory(std::uint64_t n)
      : lines_(std::max<std::uint64_t>(n * 15 / 64, 1)),
        table_(*ReservedMemory::Reserve(lines_ * 64, true)) {
    std::memset(table_.data(), 1, lines_ * 64);
    if (lines_ <= std::uint64_t{1} << 25) return;
    const double lines = Lines();
    measured_ = {lines, Latency()};
    table_ = {};
  }

  // Lines a second, read at random, 32 asked for ahead, into the first or the second cache,
  // whichever is better.
  double Lines() {
    if (measured_) return measured_->lines;
    return std::max(Pipelined([](const void* p) { __builtin_prefetch(p, 0, 3); }),
                    Pipelined([](const void* p) { __builtin_prefetch(p, 0, 2); }));
  }
  // Nanoseconds until a line is there whose address the line before tells.
  double Latency() {
    if (measured_) return measured_->latency;
    return Nanoseconds(
        [&](std::uint64_t i) { sum_ += static_cast<std::uint64_t>(*Line(i + sum_)); });
  }

 private:
  const std::byte* Line(std::uint64_t i) {
    __extension__ using Wide = unsigned __int128;
    return table_.data() + static_cast<std::size_t>(Wide{Mix64(i)} * lines_ >> 64) * 64;
  }
  template <class Prefetch>
  double Pipelined(Prefetch prefetch) {
    std::array<const std::byte*, 32> ring;
    ring.fill(table_.data());
    double nanoseconds = Nanoseconds([&](std::uint64_t i) {
      const std::byte*& line = ring[i % ring.size()];
      sum_ += static_cast<std::uint64_t>(*line);
      line = Line(i + sum_ % 2);
      prefetch(line);
    });
    benchmark::DoNotOptimize(sum_);
    return 1e9 / nanoseconds;
  }

  struct Measured {
    double lines;
    double latency;
  };

  std::uint64_t lines_;
  ReservedMemory table_;
  std::optional<Measured> measured_;
  std::uint64_t sum_ = 0;
};

// One index is kept, that of the N being measured: a thousand million of them fill the machine.
struct Current {
  std::uint64_t n = 0;
  std::unique_ptr<HammingIndex> index;
  std::unique_ptr<Memory> memory;
};
Current& TheCurrent() {
  static Current current;
  return current;
}

std::unique_ptr<HammingIndex> NewIndex(unsigned k, std::uint64_t expected_n) {
  auto index = HammingIndex::Create({.k = k, .expected_n = expected_n});
  if (!index) {
    std::fprintf(stderr, "%s\n", index.error().message.c_str());
    std::exit(1);
  }
  return std::move(*index);
}

constexpr std::size_t kSmallBlock = std::size_t{1} << 14;
constexpr std::size_t kLargeBlock = std::size_t{1} << 25;

void Fill(HammingIndex& index, std::uint64_t from, std::uint64_t to,
          std::size_t block_size = kSmallBlock) {
  std::vector<Fingerprint> block(std::min<std::uint64_t>(block_size, to - from));
  for (std::uint64_t i = from; i < to; i += block.size()) {
    std::size_t count = std::min<std::uint64_t>(block.size(), to - i);
    for (std::size_t j = 0; j < count; ++j) block[j] = Stored(i + j);
    index.InsertBatch({block.data(), count});
  }
}

// All N, each thread its part at once.
void FillInBulk(HammingIndex& index, std::uint64_t n, std::uint64_t threads) {
  std::vector<std::thread> workers;
  for (std::uint64_t i = 0; i < threads; ++i) {
    workers.emplace_back(
        [=, &index] { Fill(index, n * i / threads, n * (i + 1) / threads, kLargeBlock); });
  }
  for (std::thread& worker : workers) worker.join();
}

// Every answer for a sample of queries against a linear scan over all of them.
void CheckAgainstLinearScan(const Settings& settings, const HammingIndex& index, std::uint64_t n) {
  std::vector<Fingerprint> queries = MakeQueries(settings, n, Queries::kMix);
  queries.resize(std::clamp<std::size_t>(1'000'000'000 / n, 4, 32));
  std::vector<char> near(queries.size());
  for (std::uint64_t i = 0; i < n; ++i) {
    Fingerprint x = Stored(i);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      if (static_cast<unsigned>(Distance(x, queries[q])) <= settings.k) near[q] = 1;
    }
  }
  for (std::size_t q = 0; q < queries.size(); ++q) {
    auto found = index.FindWithin(queries[q]);
    bool right = found.has_value() == (near[q] != 0) &&
                 (!found || static_cast<unsigned>(Distance(*found, queries[q])) <= settings.k);
    if (right) continue;
    std::fprintf(stderr, "wrong answer for %s\n", FormatFingerprint(queries[q]).c_str());
    std::exit(1);
  }
}

const HammingIndex& IndexOf(const Settings& settings, std::uint64_t n) {
  Current& current = TheCurrent();
  if (current.n != n) {
    current.index.reset();
    current.memory = std::make_unique<Memory>(n);
    current.index = NewIndex(settings.k, n);
    FillInBulk(*current.index, n, 2);
    CheckAgainstLinearScan(settings, *current.index, n);
    current.n = n;
  }
  return *current.index;
}

// Beside the rate, the share of it that the memory allows; `lines_before`: what it gave just now.
void Report(benchmark::State& state, const HammingIndex& index,
            const std::vector<Fingerprint>& queries, double lines_before, std::uint64_t lookups,
            std::uint64_t hits) {
  const std::size_t sample = std::min<std::size_t>(queries.size(), 10'000);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < sample; ++i) sum += index.LinesRead(queries[i]);
  const double lines = static_cast<double>(sum) / static_cast<double>(sample);
  Memory& memory = *TheCurrent().memory;
  const double lines_a_second = (lines_before + memory.Lines()) / 2;
  state.counters["lines"] = lines;
  state.counters["Mlines/s_max"] = lines_a_second / 1e6;
  state.counters["latency_ns"] = memory.Latency();
  state.counters["of_memory"] = benchmark::Counter(
      static_cast<double>(lookups) * lines / lines_a_second, benchmark::Counter::kIsRate);
  state.SetItemsProcessed(static_cast<std::int64_t>(lookups));
  state.counters["N"] = static_cast<double>(index.size());
  state.counters["bytes/fp"] =
      static_cast<double>(index.bytes()) / static_cast<double>(index.size());
  state.counters["hits"] = static_cast<double>(hits) / static_cast<double>(lookups);
  state.SetLabel(index.kernel_name());
}

void Single(benchmark::State& state, const Settings& settings, std::uint64_t n, Queries kind) {
  const HammingIndex& index = IndexOf(settings, n);
  std::vector<Fingerprint> queries = MakeQueries(settings, n, kind);
  std::uint64_t hits = 0;
  std::uint64_t lookups = 0;
  const double lines_before = TheCurrent().memory->Lines();
  for (auto _ : state) {
    hits += index.FindWithin(queries[lookups % queries.size()]) ? 1 : 0;
    ++lookups;
  }
  Report(state, index, queries, lines_before, lookups, hits);
}

void Batch(benchmark::State& state, const Settings& settings, std::uint64_t n, Queries kind) {
  const HammingIndex& index = IndexOf(settings, n);
  std::vector<Fingerprint> queries = MakeQueries(settings, n, kind);
  std::size_t size = std::min<std::size_t>(queries.size(), 10'000);
  std::vector<std::optional<Fingerprint>> found(size);
  std::uint64_t hits = 0;
  std::uint64_t lookups = 0;
  const double lines_before = TheCurrent().memory->Lines();
  for (auto _ : state) {
    std::size_t at = lookups % (queries.size() - size + 1);
    index.FindBatch({queries.data() + at, size}, found);
    for (const auto& one : found) hits += one ? 1 : 0;
    lookups += size;
  }
  Report(state, index, queries, lines_before, lookups, hits);
}

// The index as shared by the benchmark's threads; built before they start.
void Threads(benchmark::State& state, const Settings& settings, std::uint64_t n) {
  const HammingIndex& index = *TheCurrent().index;
  std::vector<Fingerprint> queries = MakeQueries(settings, n, Queries::kMix);
  auto at = static_cast<std::uint64_t>(state.thread_index()) * 7919;
  std::uint64_t lookups = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(index.FindWithin(queries[(at + lookups) % queries.size()]));
    ++lookups;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(lookups));
}

// Lookups among a million fingerprints that agree in their first sixteen bits, as the queries do.
void Skewed(benchmark::State& state, const Settings& settings) {
  constexpr std::uint64_t kStored = 1'000'000;
  auto agreeing = [](std::uint64_t i) { return Stored(i) >> 16 | Fingerprint{0xabcd} << 48; };
  TheCurrent() = {};
  auto index = NewIndex(settings.k, 0);
  for (std::uint64_t i = 0; i < kStored; ++i) index->Insert(agreeing(i));
  std::uint64_t hits = 0;
  std::uint64_t lookups = 0;
  for (auto _ : state) hits += index->FindWithin(agreeing(kStored + lookups++)) ? 1 : 0;
  state.SetItemsProcessed(static_cast<std::int64_t>(lookups));
  state.counters["bytes/fp"] = static_cast<double>(index->bytes()) / kStored;
  state.counters["hits"] = static_cast<double>(hits) / static_cast<double>(lookups);
}

// Seconds that the kernel has worked for this process so far; of inserts, it clears fresh pages
// (and below a virtual machine the host finds them).
double KernelSeconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_stime.tv_usec);
}

// All N inserted: into tables of the right size, or growing from the smallest.
void Inserts(benchmark::State& state, const Settings& settings, std::uint64_t n, bool grown) {
  for (auto _ : state) {
    TheCurrent() = {};
    const double kernel = KernelSeconds();
    auto index = NewIndex(settings.k, grown ? 0 : n);
    Fill(*index, 0, n);
    state.counters["kernel_s"] = KernelSeconds() - kernel;
    state.counters["bytes/fp"] = static_cast<double>(index->bytes()) / static_cast<double>(n);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
}

// The same in blocks so large that they are ordered by line; by wall clock.
void InsertsInBulk(benchmark::State& state, const Settings& settings, std::uint64_t n,
                   std::uint64_t threads) {
  for (auto _ : state) {
    TheCurrent() = {};
    const double kernel = KernelSeconds();
    auto index = NewIndex(settings.k, n);
    FillInBulk(*index, n, threads);
    state.counters["kernel_s"] = KernelSeconds() - kernel;
    state.counters["bytes/fp"] = static_cast<double>(index->bytes()) / static_cast<double>(n);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
}

// How long single inserts take while the table grows from N/2 to N: most of them nothing, a few
// rewrite a unit of groups.
void Pauses(benchmark::State& state, const Settings& settings, std::uint64_t n) {
  using Clock = std::chrono::steady_clock;
  for (auto _ : state) {
    TheCurrent() = {};
    auto index = NewIndex(settings.k, 0);
    Fill(*index, 0, n / 2);
    // Inserts that took less than 1, 10, 100 us, 1, 10 ms, and longer.
    std::array<std::uint64_t, 6> histogram{};
    double longest = 0;
    for (std::uint64_t i = n / 2; i < n; ++i) {
      auto begin = Clock::now();
      index->Insert(Stored(i));
      double us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
      longest = std::max(longest, us);
      std::size_t decade = 0;
      for (double limit = 1; decade < 5 && us >= limit; limit *= 10) ++decade;
      ++histogram[decade];
    }
    const char* names[] = {"<1us", "<10us", "<100us", "<1ms", "<10ms", ">=10ms"};
    for (std::size_t d = 0; d < histogram.size(); ++d) {
      state.counters[names[d]] = static_cast<double>(histogram[d]);
    }
    state.counters["longest_us"] = longest;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n / 2));
}

// A million queries against existing ones that stream by, 20 M of them.
void Join(benchmark::State& state, const Settings& settings) {
  std::vector<Fingerprint> queries = MakeQueries(settings, 20'000'000, Queries::kMix);
  auto table = JoinTable::Create(queries, settings.k);
  if (!table) {
    state.SkipWithError("no memory");
    return;
  }
  std::vector<Fingerprint> existing(20'000'000);
  for (std::uint64_t i = 0; i < existing.size(); ++i) existing[i] = Stored(i);
  std::uint64_t pairs = 0;
  for (auto _ : state) {
    table->ForEachPair(existing, [&](Fingerprint, Fingerprint) { ++pairs; });
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(existing.size()));
  state.counters["pairs"] = static_cast<double>(pairs) / static_cast<double>(state.iterations());
}

// A table of N uniform fingerprints, sorted and compressed in blocks (Manku, Jain, Das Sarma, WWW
// 2007, section 3.2): bytes of each.
void Compress(benchmark::State& state, std::uint64_t n) {
  TheCurrent() = {};
  std::vector<Fingerprint> sorted(n);
  for (std::uint64_t i = 0; i < n; ++i) sorted[i] = Stored(i);
  std::sort(sorted.begin(), sorted.end());
  std::size_t bytes = 0;
  for (auto _ : state) bytes = CompressedTable::Compress(sorted).size();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
  state.counters["bytes/fp"] = static_cast<double>(bytes) / static_cast<double>(n);
}

#if defined(CONTENTSEEN_BENCH_FAISS)
// FAISS's exact setting for k = 3: two hashes of 32 bits, each probed within one flip.
void Faiss(benchmark::State& state, const Settings& settings, std::uint64_t n, Queries kind) {
  omp_set_num_threads(1);
  static std::uint64_t built = 0;
  static std::unique_ptr<faiss::IndexBinaryMultiHash> index;
  if (built != n) {
    index = std::make_unique<faiss::IndexBinaryMultiHash>(64, 2, 32);
    index->nflip = 1;
    std::vector<Fingerprint> all(n);
    for (std::uint64_t i = 0; i < n; ++i) all[i] = Stored(i);
    index->add(static_cast<faiss::Index::idx_t>(n),
               reinterpret_cast<const std::uint8_t*>(all.data()));
    built = n;
  }
  std::vector<Fingerprint> queries = MakeQueries(settings, n, kind);
  constexpr std::size_t kSize = 1000;
  std::uint64_t lookups = 0;
  std::uint64_t hits = 0;
  for (auto _ : state) {
    std::size_t at = lookups % (queries.size() - kSize + 1);
    faiss::RangeSearchResult result(kSize);
    // Its radius is exclusive.
    index->range_search(kSize, reinterpret_cast<const std::uint8_t*>(queries.data() + at),
                        static_cast<int>(settings.k) + 1, &result);
    for (std::size_t q = 0; q < kSize; ++q) hits += result.lims[q + 1] > result.lims[q] ? 1 : 0;
    lookups += kSize;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(lookups));
  state.counters["N"] = static_cast<double>(n);
  state.counters["hits"] = static_cast<double>(hits) / static_cast<double>(lookups);
}
#endif

void Register(const Settings& settings) {
  if (settings.k <= 3) {
    benchmark::RegisterBenchmark("join/1000000x20000000",
                                 [=](benchmark::State& state) { Join(state, settings); });
  }
  benchmark::RegisterBenchmark("find/skewed/1000000",
                               [=](benchmark::State& state) { Skewed(state, settings); });
  for (std::uint64_t n : settings.n) {
    std::string of = "/" + std::to_string(n);
    auto add = [&](const std::string& name, const std::function<void(benchmark::State&)>& run) {
      return benchmark::RegisterBenchmark((name + of).c_str(), run);
    };
    auto lookups = [&](const std::string& name, auto run) {
      for (Queries kind : {Queries::kMix, Queries::kMiss}) {
        add(name + (kind == Queries::kMix ? "/mix" : "/miss"),
            [=](benchmark::State& state) { run(state, settings, n, kind); });
      }
    };
    add("inserts/sized", [=](benchmark::State& s) {
      Inserts(s, settings, n, false);
    })->Iterations(1);
    for (std::uint64_t threads : {1, 2}) {
      add("inserts/bulk/" + std::to_string(threads) + "_threads",
          [=](benchmark::State& s) { InsertsInBulk(s, settings, n, threads); })
          ->Iterations(1)
          ->UseRealTime();
    }
    if (n <= 100'000'000) {
      add("inserts/growing", [=](benchmark::State& s) {
        Inserts(s, settings, n, true);
      })->Iterations(1);
    }
    if (n <= 100'000'000) {
      add("inserts/pauses", [=](benchmark::State& s) { Pauses(s, settings, n); })->Iterations(1);
    }
    lookups("find/single", Single);
    lookups("find/batch", Batch);
    for (int threads : {1, 2}) {
      add("find/threads", [=](benchmark::State& s) { Threads(s, settings, n); })
          ->Threads(threads)
          ->UseRealTime();
    }
    if (n <= 100'000'000) {
      add("compress", [=](benchmark::State& s) { Compress(s, n); })->Iterations(1);
    }
#if defined(CONTENTSEEN_BENCH_FAISS)
    if (n <= settings.faiss_n_max && settings.k == 3) lookups("faiss/multihash_2x32", Faiss);
#endif
  }
}

// Takes this program's own flags out of the arguments; false for one it does not understand.
bool ParseFlags(int argc, char** argv, Settings& settings) {
  for (int i = 1; i < argc; ++i) {
    char* value = std::strchr(argv[i], '=');
    if (value == nullptr) return false;
    std::string name(argv[i], static_cast<std::size_t>(value - argv[i]));
    ++value;
    if (name == "--n") {
      settings.n.clear();
      for (char* at = value; *at != '\0'; at += *at == ',' ? 1 : 0) {
        settings.n.push_back(std::strtoull(at, &at, 10));
        if (settings.n.back() == 0) return false;
      }
    } else if (name == "--k") {
      settings.k = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    } else if (name == "--faiss_n_max") {
      settings.faiss_n_max = std::strtoull(value, nullptr, 10);
    } else if (name == "--queries") {
      settings.queries = std::max<std::uint64_t>(std::strtoull(value, nullptr, 10), 1000);
    } else {
      return false;
    }
  }
  return !settings.n.empty() && settings.k <= 10;
}

}  // namespace
}  // namespace contentseen

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  contentseen::Settings settings;
  if (!contentseen::ParseFlags(argc, argv, settings)) {
    std::fprintf(stderr, "usage: %s [--n=N,N...] [--k=K] [--faiss_n_max=N] [--queries=N]\n",
                 argv[0]);
    return 2;
  }
  contentseen::Register(settings);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
