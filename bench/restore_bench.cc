// How soon what ContentSeen remembers is back in memory when a data directory is opened again.
//
//     restore_bench make N DIRECTORY        a data directory of N stored pages, made up
//     restore_bench open DIRECTORY THREADS  opens its store and restores all documents
//     restore_bench save DIRECTORY          the same, then writes their image
//     restore_bench load DIRECTORY          has all documents back from the image
//     restore_bench index N THREADS         the part of the fingerprint index alone: no store
//
// Prints a line of figures: seconds and CPU seconds of each part, and resident memory. Bodies,
// texts and fingerprints are random, so nothing is near to anything, as among admitted pages.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "contentseen/content_seen.h"
#include "contentseen/detectors/fingerprint_index.h"
#include "contentseen/document_record.h"
#include "contentseen/mix.h"
#include "crawler/crawl/crawl_state.h"
#include "crawler/crawl/data_directory.h"
#include "crawler/crawl/restore_documents.h"
#include "crawler/crawl/seen_image.h"

namespace crawler {
namespace {

constexpr std::uint64_t kDocumentsACommit = 20'000;

class Stopwatch {
 public:
  void Print(const char* what) {
    const double cpu = Cpu();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    std::printf("%s: %.1f s, %.1f s of CPU; %.0f MB resident\n", what, elapsed.count(), cpu - cpu_,
                ResidentMegabytes());
    std::fflush(stdout);
    start_ = std::chrono::steady_clock::now();
    cpu_ = cpu;
  }

 private:
  static double Cpu() {
    rusage usage{};
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  static double ResidentMegabytes() {
    std::ifstream file("/proc/self/statm");
    double size = 0;
    double resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
  }

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double cpu_ = Cpu();
};

contentseen::Digest MadeUp(std::uint64_t seed) {
  contentseen::Digest digest;
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    digest.bytes[i] =
        static_cast<std::uint8_t>(contentseen::Mix64(seed * 4 + i / 8) >> (i % 8 * 8));
  }
  return digest;
}

contentseen::DocumentRecord Stored(std::uint64_t n) {
  const std::uint64_t fingerprint = contentseen::Mix64(~n);
  return {.id = n,
          .body = MadeUp(2 * n),
          .text = MadeUp(2 * n + 1),
          .fingerprint = fingerprint,
          .features = 600,
          .signature = {fingerprint}};
}

int Make(std::uint64_t documents, const std::string& directory) {
  auto data = DataDirectory::Open(directory, {.earlier = DataDirectory::Earlier::kErase});
  CHECK(data.has_value());
  Stopwatch watch;
  store::Batch batch;
  for (std::uint64_t n = 1; n <= documents; ++n) {
    std::string key;
    base::AppendBigEndian(n, key);
    batch.Put(store::Table::kDocuments, key, Encode(Stored(n)));
    if (n % kDocumentsACommit != 0 && n != documents) continue;
    CrawlSnapshot snapshot;
    snapshot.seen.documents = n;
    PutSnapshot(snapshot, batch);
    CHECK((*data)->store().Write(batch, store::Durability::kProcess));
    batch = {};
  }
  watch.Print("made");
  return 0;
}

contentseen::ContentSeenOptions OptionsFor(std::uint64_t documents) {
  return {.documents_expected = documents, .detector = "simhash"};
}

int Open(const std::string& directory, std::uint32_t threads, bool save) {
  Stopwatch watch;
  auto data = DataDirectory::Open(directory, {});
  CHECK(data.has_value());
  auto snapshot = ReadSnapshot((*data)->store());
  CHECK(snapshot.has_value() && snapshot->has_value());
  watch.Print("data directory opened");
  auto seen = contentseen::ContentSeen::Create(OptionsFor((*snapshot)->seen.documents));
  CHECK(seen.has_value());
  auto last = RestoreDocuments((*data)->store(), **seen, contentseen::kNoDocument, threads);
  CHECK(last.has_value());
  watch.Print("documents restored");
  CHECK((*seen)->counts().documents == *last && (*seen)->counts().near == *last);
  if (save) {
    CHECK(SaveSeen(**seen, *last, directory, (*data)->store()));
    watch.Print("image written");
  }
  return 0;
}

int Load(const std::string& directory) {
  Stopwatch watch;
  auto data = DataDirectory::Open(directory, {});
  CHECK(data.has_value());
  watch.Print("data directory opened");
  auto image = LoadSeen(OptionsFor(0), directory, (*data)->store());
  CHECK(image.has_value() && image->seen != nullptr);
  auto last = RestoreDocuments((*data)->store(), *image->seen, image->last, 1);
  CHECK(last.has_value());
  watch.Print("documents restored");
  CHECK(image->seen->counts().documents == *last && image->seen->counts().near == *last);
  return 0;
}

int Index(std::uint64_t documents, std::uint32_t threads) {
  constexpr std::uint64_t kBatch = 4'096;
  Stopwatch watch;
  auto index = contentseen::FingerprintIndex::Create({.k = 3, .expected_n = documents});
  CHECK(index.has_value());
  std::atomic<std::uint64_t> next = 1;  // relaxed: only the number counts
  auto insert = [&] {
    std::vector<contentseen::FingerprintIndex::Entry> batch;
    for (;;) {
      const std::uint64_t first = next.fetch_add(kBatch, std::memory_order_relaxed);
      if (first > documents) return;
      batch.clear();
      for (std::uint64_t n = first; n < std::min(first + kBatch, documents + 1); ++n) {
        batch.push_back({contentseen::Mix64(~n), n});
      }
      (*index)->InsertBatch(batch);
    }
  };
  std::vector<std::thread> workers;
  for (std::uint32_t i = 0; i < threads; ++i) workers.emplace_back(insert);
  for (std::thread& worker : workers) worker.join();
  watch.Print("fingerprints inserted");
  CHECK((*index)->size() == documents);
  return 0;
}

int Run(const std::vector<std::string>& arguments) {
  const auto number = [&](std::size_t i) {
    return std::strtoull(arguments[i].c_str(), nullptr, 10);
  };
  if (arguments.size() == 3 && arguments[0] == "make") return Make(number(1), arguments[2]);
  if (arguments.size() == 3 && arguments[0] == "open") {
    return Open(arguments[1], static_cast<std::uint32_t>(number(2)), /*save=*/false);
  }
  if (arguments.size() == 2 && arguments[0] == "save") return Open(arguments[1], 2, true);
  if (arguments.size() == 2 && arguments[0] == "load") return Load(arguments[1]);
  if (arguments.size() == 3 && arguments[0] == "index") {
    return Index(number(1), static_cast<std::uint32_t>(number(2)));
  }
  std::fprintf(stderr,
               "restore_bench make N DIRECTORY | open DIRECTORY THREADS | save DIRECTORY | "
               "load DIRECTORY | index N THREADS\n");
  return 2;
}

}  // namespace
}  // namespace crawler

int main(int argc, char** argv) { return crawler::Run({argv + 1, argv + argc}); }
